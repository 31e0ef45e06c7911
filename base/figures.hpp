// The figures of a run: their names in all reports, and their formulas. docs/figures.md documents them; a test keeps
// both in sync.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ttsim::impl {

/// A figure: its key (in JSON, CSV, traces, pages and Python), its title (in texts and tables) and its unit.
struct Figure {
    std::string_view key, title, unit;
};

/// In the order of docs/figures.md.
std::span<const Figure> all_figures();

// --- formulas ---
/// part / whole, from 0 to 1; 0 if `whole` is 0.
double share_of(double part, double whole);
/// Inputs per second from cycles per input; 0 if the cycles are unknown (0).
double inputs_per_second(double clock_hz, double cycles_per_input);
double milliseconds_of(std::uint64_t cycles, std::int64_t clock_mhz);
/// Inputs per second over the complete run: the cycles of the chips plus the host's seconds before and after; 0 if no
/// time passed.
double end_to_end_rate(std::int64_t inputs, double clock_hz, std::uint64_t cycles, double host_seconds = 0);

// --- the steady rate of a launch ---

/// When one core packed its outputs in a launch, in cycles of the run.
struct CorePackTimes {
    std::uint64_t first_pack = 0, last_pack = 0;  ///< of its first and of its last input
};
/// Input of steady_interval(): the times of a launch, in cycles.
struct LaunchTimes {
    std::vector<std::uint64_t> ends;  ///< end of each input, ascending
    std::uint64_t drains = 0;         ///< when the first pipe or core finished its last input
    std::uint64_t last_send = 0;      ///< when the last pipe sent its last data; 0: no pipes
    double kernel_cycles = 0;         ///< cycles per input of the slowest op if it never waits
    std::vector<CorePackTimes> cores;
};
/// Steady interval of at least two ends. Finds the repeated pattern of intervals that lasts longest and returns its
/// average; inputs that leave in bursts repeat burst by burst. A pattern shorter than half of the time of the later
/// inputs is ignored; the result is then the average of the later half.
double steady_interval(const std::vector<std::uint64_t>& ends);
/// Cycles between inputs while the pipeline is full, at least those of the slowest kernel. 0: the pipeline was full for
/// too few inputs (docs/figures.md).
double steady_interval(const LaunchTimes& launch);

// --- the rates of a run ---

/// Totals of all executes of a graph. Times are in cycles of the run.
struct GraphExecutes {
    std::int64_t inputs = 0, executes = 0;
    std::int64_t first_inputs = 0;                         ///< of its first execute
    std::uint64_t start = 0, first_end = 0, last_end = 0;  ///< start and end of the first execute, end of the last
    double inputs_per_second = 0;                          ///< within an execute; 0: unknown
};
/// The rate, in inputs per second, at which the run would continue; 0: unknown. Of concurrent graphs the slowest
/// determines the rate; cycles of consecutive graphs add up. A graph that is executed repeatedly has the rate of its
/// loop, unless it is the only graph and its rate within an execute is known.
double steady_rate(const std::vector<GraphExecutes>& graphs, double clock_hz);
/// Whether that rate is one of loops, which includes the pauses between executes.
bool is_loop_rate(const std::vector<GraphExecutes>& graphs);

}  // namespace ttsim::impl
