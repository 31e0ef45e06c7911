// What handing over an op's output takes, from the constants of pipes alone: no waits, no other traffic.
#pragma once

#include "isa/pipe_constants.hpp"
#include "netlist/plan/output_streaming.hpp"

namespace ttsim::impl {

/// Clocks per input of the busiest of its cores to send it, or of the busiest pipe to gather it from several cores,
/// whichever is longer. `made`: the op's, for the same readers.
double output_streaming_cycles(const OutputStreaming& made, const Op& producer, const PipeConstants& constants);

}  // namespace ttsim::impl
