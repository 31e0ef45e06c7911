// How fast inputs leave once the pipeline is full.
#pragma once

#include <cstdint>
#include <vector>

namespace tt::sim {

/// Cycles from one input to the next. `ends`: when each input has left, ascending, at least two. Where a pattern of
/// intervals comes several times in a row, its average where that lasts longest; inputs that leave in bursts repeat
/// burst by burst. A stretch shorter than half of the later inputs' time is none: then the average of the later half.
double steady_interval(const std::vector<std::uint64_t>& ends);

struct RunReport;
/// The figures of a whole run from those of its graphs: steady and end-to-end rate, latency.
void sum_up(RunReport& report);

}  // namespace tt::sim
