// Values for the parameters a program declares, where the command line does not give them.
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

/// Parameters of one program, in the order it declares them (docs/netlist.md "Parameters"). `given` may name them
/// with or without '$'; a given name that no program of the netlist declares is an Error(Input).
std::vector<ChosenParameter> choose_parameters(const Netlist& resolved, const Program& program,
                                               const std::map<std::string, std::int64_t>& given);

}  // namespace ttsim::impl
