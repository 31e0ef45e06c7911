// What-if runs: simulates the run of a trace again with idealized resources.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/run.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::advice {

class WhatIf {
public:
    /// Netlist, programs, parameters and device come from the trace; `cluster` is the file that was used for recording.
    /// Simulates once to check that the cycles equal those of the trace.
    WhatIf(trace::Reader& trace, const std::string& cluster);

    /// Why runs of this trace cannot be simulated again; "" when they can.
    const std::string& refusal() const { return refusal_; }
    std::uint64_t cycles() const { return cycles_; }  ///< cycles of the unchanged run

    /// Cycles of the run with these resources idealized; simulated on the first call.
    std::uint64_t without(const sim::IdealizedResources& idealized);

private:
    sim::RunOptions options_;
    std::string refusal_;
    std::uint64_t cycles_ = 0;
    std::map<sim::IdealizedResources, std::uint64_t> known_;  ///< cycles by idealized resources
};

}  // namespace ttsim::impl::advice
