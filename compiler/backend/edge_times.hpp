// What handing over from op to op takes, for the candidates of both.
#pragma once

#include <vector>

#include "compiler/backend/edge_limits.hpp"

namespace ttsim::impl::ir {

/// Of one search; not for several threads.
class EdgeTimes {
public:
    EdgeTimes(const Choices& choices, const EdgeCosts& costs)
        : choices_(choices), costs_(costs), known_(choices.edges.size()) {}

    struct Time {
        double pace = -1;            ///< clocks of an input
        double first = 0, last = 0;  ///< from a block packed to the reader having the first and the last of it
    };
    /// For candidate i of the producer of edge k into the op, and j of the op, as if nobody else read it.
    const Time& of(std::size_t op, std::size_t k, std::size_t i, std::size_t j);

private:
    Time count(std::size_t edge, std::size_t i, std::size_t j) const;
    const Choices& choices_;
    const EdgeCosts& costs_;
    std::vector<std::vector<Time>> known_;  // per edge, by both candidates
};

}  // namespace ttsim::impl::ir
