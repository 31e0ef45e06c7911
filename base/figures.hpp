// The figures of runs: what each is called in every report, and the formulas behind them. docs/figures.md lists them
// for readers; a test holds the two together.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ttsim::impl {

/// A figure's key (in JSON, CSV, traces, pages and Python) and its title (in texts and tables).
struct Figure {
    std::string_view key, title, unit;
};

/// In the order of docs/figures.md.
std::span<const Figure> all_figures();

// --- formulas ---
/// A part of a whole from 0 to 1; 0 where there is no whole.
double share_of(double part, double whole);
/// Inputs per second where one takes so many cycles; 0 where these are not known (0).
double inputs_per_second(double clock_hz, double cycles_per_input);
double milliseconds_of(std::uint64_t cycles, std::int64_t clock_mhz);
/// Inputs over all the time of a run: the chips' cycles, and seconds of the host before and after them; 0: no time.
double end_to_end_rate(std::int64_t inputs, double clock_hz, std::uint64_t cycles, double host_seconds = 0);

// --- the steady rate of a launch ---

/// What one core did in a launch. Cycles of the run.
struct CorePace {
    std::uint64_t first_packed = 0, last_packed = 0;  ///< its first and its last input
};
/// What the steady rate of a launch follows from.
struct LaunchPace {
    std::vector<std::uint64_t> ends;  ///< when each input had left, ascending
    std::uint64_t drains = 0;         ///< when the first pipe or core had nothing more to do
    std::uint64_t last_sent = 0;      ///< when the last pipe had sent all; 0: there is none
    double kernel_cycles = 0;         ///< cycles of the slowest op for an input, operands and room always there
    std::vector<CorePace> cores;
};
/// Of at least two ends: where a pattern of intervals comes several times in a row, its average where that lasts
/// longest; inputs that leave in bursts repeat burst by burst. A stretch shorter than half of the later inputs' time is
/// none: then the average of the later half.
double steady_interval(const std::vector<std::uint64_t>& ends);
/// Cycles from one input to the next while the pipeline is full, at least those of the slowest kernel; 0: it was full
/// for too few inputs (docs/figures.md).
double steady_interval(const LaunchPace& launch);

// --- the rates of a run ---

/// All executes of a graph.
struct GraphPace {
    std::int64_t inputs = 0, executes = 0;
    std::int64_t first_inputs = 0;                         ///< of its first execute
    std::uint64_t start = 0, first_end = 0, last_end = 0;  ///< of its first execute; ends of its first and last one
    double inputs_per_second = 0;                          ///< within an execute; 0: unknown
};
/// Inputs per second that the run would go on with; 0: unknown. Graphs that run at the same time go at the pace of the
/// slowest; those one after the other add up their cycles. Where a graph runs again and again its pace is that of its
/// loop, unless it is alone and its rate within an execute is known.
double steady_rate(const std::vector<GraphPace>& graphs, double clock_hz);

}  // namespace ttsim::impl
