// Chooses values for program parameters that the command line does not set.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

struct ChosenParameter {
    std::string name;  ///< "$p_loop_count"
    std::int64_t value = 0;
    std::string why;  ///< "--param", "test-arg microbatch_count", "default"
};

/// Parameters of one program, in order of declaration (docs/netlist.md "Parameters"). Names in `given` may omit '$';
/// throws Error(Input) for names that no program of the netlist declares.
std::vector<ChosenParameter> choose_parameters(const Netlist& resolved, const Program& program,
                                               const std::map<std::string, std::int64_t>& given);

}  // namespace ttsim::impl
