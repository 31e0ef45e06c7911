// Estimated cycles to send an op's output, from pipe constants alone: no waits, no other traffic.
#pragma once

#include "isa/pipe_constants.hpp"
#include "netlist/plan/output_streaming.hpp"

namespace ttsim::impl {

/// Cycles per input of the busiest core that sends the output, or of the busiest pipe that gathers from several cores,
/// whichever is larger. `made`: the op's output streaming for the same readers.
double output_streaming_cycles(const OutputStreaming& made, const Op& producer, const PipeConstants& constants);

}  // namespace ttsim::impl
