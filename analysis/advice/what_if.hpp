// The run of a trace once more, with parts of the machine free: what would that give?
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/run.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::advice {

class WhatIf {
public:
    /// The trace holds netlist, programs, parameters and device; `cluster` is the file given when it was recorded.
    /// Simulates once to see that the cycles are those of the trace.
    WhatIf(trace::Reader& trace, const std::string& cluster);

    /// Why runs of this trace cannot be simulated again; "" when they can.
    const std::string& refusal() const { return refusal_; }
    std::uint64_t cycles() const { return cycles_; }  ///< of the run as it is

    /// Cycles of the run with these parts free, in words of sim::parse_idealized_resources(); simulated when first
    /// asked for.
    std::uint64_t without(const std::vector<std::string>& parts);

private:
    sim::RunOptions options_;
    std::string refusal_;
    std::uint64_t cycles_ = 0;
    std::map<std::set<std::string>, std::uint64_t> known_;  ///< cycles by what was free
};

}  // namespace ttsim::impl::advice
