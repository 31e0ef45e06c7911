// TMs and chains of them, for tests.
#pragma once

#include <utility>
#include <vector>

#include "netlist/tm.hpp"

namespace ttsim::impl::test {

inline Tm make_tm(Tm::Kind kind, std::int64_t n = 1) {
    Tm made;
    made.kind = kind;
    made.n = n;
    return made;
}
inline OperandTms chain(std::vector<Tm> tms) {
    OperandTms made;
    made.tms = std::move(tms);
    return made;
}

}  // namespace ttsim::impl::test
