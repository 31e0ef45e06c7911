// The steady rates of launches and runs (docs/figures.md).
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/figures.hpp"

namespace ttsim::impl {

namespace {

constexpr std::size_t max_pattern = 256;
constexpr std::size_t min_repeated = 4;  ///< intervals that must equal those one period earlier

struct IntervalPattern {
    std::size_t first = 0, last = 0, period = 1;  ///< indices of its first and last input
};

double average_interval(const std::vector<std::uint64_t>& ends, std::size_t from, std::size_t to) {
    return static_cast<double>(ends[to] - ends[from]) / static_cast<double>(to - from);
}

/// The longest stretch whose intervals repeat with that period; first == last if there is none.
IntervalPattern longest_repeat(const std::vector<std::uint64_t>& ends, std::size_t period) {
    const auto interval = [&](std::size_t n) { return ends[n + 1] - ends[n]; };
    IntervalPattern best{0, 0, period};
    std::size_t same = 0;
    for (std::size_t n = period; n + 1 < ends.size(); ++n) {
        same = interval(n) == interval(n - period) ? same + 1 : 0;
        if (same < std::max(min_repeated, period)) continue;
        const std::size_t first = n + 1 - same - period;
        if (ends[n + 1] - ends[first] >= ends[best.last] - ends[best.first]) best = {first, n + 1, period};
    }
    return best;
}

}  // namespace

double steady_interval(const std::vector<std::uint64_t>& ends) {
    const std::size_t last = ends.size() - 1;
    IntervalPattern best;
    for (std::size_t period = 1; period <= std::min(max_pattern, last / 2); ++period) {
        const IntervalPattern found = longest_repeat(ends, period);
        if (ends[found.last] - ends[found.first] > ends[best.last] - ends[best.first]) best = found;
    }
    if (2 * (ends[best.last] - ends[best.first]) > ends[last] - ends[last / 2])
        return average_interval(ends, best.last - best.period, best.last);
    return average_interval(ends, last / 2, last);
}

// --- launches ------------------------------------------------------------------------------------------------------

namespace {

constexpr double equal_tolerance = 0.02;      ///< relative difference of intervals that count as equal
constexpr double agreement_tolerance = 0.05;  ///< relative difference of values that agree
constexpr std::size_t min_even_inputs = 8;    ///< minimum number of inputs to accept even intervals alone
constexpr std::size_t min_averaged_inputs =
    32;  ///< minimum number of inputs for the pipeline fill to be negligible in an average

/// Whether the intervals from `first` on differ by at most the fraction `most`.
bool all_similar(const std::vector<std::uint64_t>& ends, std::size_t first, double most) {
    double shortest = 0, longest = 0;
    for (std::size_t n = first; n + 1 < ends.size(); ++n) {
        const auto interval = static_cast<double>(ends[n + 1] - ends[n]);
        shortest = n == first ? interval : std::min(shortest, interval);
        longest = std::max(longest, interval);
    }
    return longest <= (1 + most) * shortest;
}

/// Average interval of the slowest part from its first input to its last. It includes pipeline fill and waits for
/// draining parts.
double average_of_slowest(const LaunchTimes& launch) {
    double longest = average_interval(launch.ends, 0, launch.ends.size() - 1);
    for (const CorePackTimes& core : launch.cores)
        longest = std::max(longest, static_cast<double>(core.last_pack - core.first_pack) /
                                        static_cast<double>(launch.ends.size() - 1));
    return longest;
}

/// Whether inputs that end at the times `full`, while the pipeline is full, have a steady interval.
bool is_steady(const std::vector<std::uint64_t>& full, std::size_t inputs, double average) {
    if (full.size() < 2) return false;
    const std::size_t intervals = full.size() - 1;
    const double steady = steady_interval(full);
    // Parts of a graph with a queue between them, or without a pipe, can drift apart; the last one speeds up once the
    // others are done. Then no interval lasts, and all inputs together take less than at this one.
    if (2 * full.size() < inputs && steady > (1 + agreement_tolerance) * average) return false;
    if (intervals == 1) return std::abs(steady - average) <= agreement_tolerance * average;
    if (all_similar(full, intervals < 4 ? 0 : intervals / 2, equal_tolerance)) return true;
    return intervals >= min_even_inputs &&
           std::abs(steady / average_interval(full, 0, intervals) - 1) <= agreement_tolerance;
}

}  // namespace

double steady_interval(const LaunchTimes& launch) {
    const std::vector<std::uint64_t>& ends = launch.ends;
    if (ends.size() < 2) return 0;
    const double average = average_of_slowest(launch);
    // (1) The pipeline is full from the end of the first input until the first part has finished.
    const std::vector<std::uint64_t> full(ends.begin(), std::upper_bound(ends.begin(), ends.end(), launch.drains));
    if (is_steady(full, ends.size(), average)) return std::max(launch.kernel_cycles, steady_interval(full));
    const double later = std::max(launch.kernel_cycles, average_interval(ends, (ends.size() - 1) / 2, ends.size() - 1));
    // (2) It was never full, but the slowest kernel never waited, so it determines the interval.
    const bool similar = all_similar(ends, 0, agreement_tolerance);
    const bool at_kernel = later <= (1 + agreement_tolerance) * launch.kernel_cycles;
    if (similar && at_kernel && (ends.size() >= 4 || average <= (1 + agreement_tolerance) * launch.kernel_cycles))
        return later;
    // (3) It was never full, but inputs left at even intervals while pipes between ops were active.
    if (similar && ends.size() >= min_even_inputs && launch.last_send >= ends[ends.size() / 2]) return later;
    // (4) The intervals are not even.
    return ends.size() >= min_averaged_inputs ? std::max(launch.kernel_cycles, average) : 0;
}

// --- runs ----------------------------------------------------------------------------------------------------------

namespace {

bool loops(const GraphExecutes& graph) { return graph.executes > 1; }

/// Cycles of all inputs of a graph at the rate of its loop, from end to end of its executes; 0: unknown.
double loop_cycles(const GraphExecutes& graph) {
    const std::int64_t later = graph.inputs - graph.first_inputs;
    if (!loops(graph) || later <= 0 || graph.last_end <= graph.first_end) return 0;
    return static_cast<double>(graph.last_end - graph.first_end) * static_cast<double>(graph.inputs) /
           static_cast<double>(later);
}

double execute_cycles(const GraphExecutes& graph, double clock_hz) {
    return graph.inputs_per_second > 0 ? static_cast<double>(graph.inputs) * clock_hz / graph.inputs_per_second : 0;
}

/// Merges graphs of one launch, which begin and end together.
std::vector<GraphExecutes> launches_of(const std::vector<GraphExecutes>& graphs) {
    const auto times = [](const GraphExecutes& g) {
        return std::tuple(g.start, g.last_end, g.first_end, g.executes, g.inputs);
    };
    std::vector<GraphExecutes> all = graphs;
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return times(a) < times(b); });
    all.erase(std::unique(all.begin(), all.end(), [&](const auto& a, const auto& b) { return times(a) == times(b); }),
              all.end());
    return all;
}

/// Cycles of all inputs. Concurrent graphs count once, with the slowest. 0: unknown.
double run_cycles(const std::vector<GraphExecutes>& launches, bool looped, double clock_hz) {
    double sum = 0, slowest = 0;
    std::uint64_t until = 0;
    for (const GraphExecutes& launch : launches) {
        if (looped && loop_cycles(launch) == 0) continue;  // outside of the loops, or unknown
        const double cycles = looped ? loop_cycles(launch) : execute_cycles(launch, clock_hz);
        if (cycles == 0) return 0;
        if (launch.start >= until) {
            sum += slowest;
            slowest = 0;
        }
        slowest = std::max(slowest, cycles);
        until = std::max(until, launch.last_end);
    }
    return sum + slowest;
}

bool only_execute_counts(const std::vector<GraphExecutes>& launches) {
    return launches.size() == 1 && launches[0].inputs_per_second > 0;
}

}  // namespace

bool is_loop_rate(const std::vector<GraphExecutes>& graphs) {
    const std::vector<GraphExecutes> launches = launches_of(graphs);
    return !only_execute_counts(launches) && std::any_of(launches.begin(), launches.end(), loops);
}

double steady_rate(const std::vector<GraphExecutes>& graphs, double clock_hz) {
    const std::vector<GraphExecutes> launches = launches_of(graphs);
    if (launches.empty()) return 0;
    if (only_execute_counts(launches)) return launches[0].inputs_per_second;
    std::int64_t inputs = 0;
    for (const GraphExecutes& launch : launches) inputs = std::max(inputs, launch.inputs);
    const bool looped = std::any_of(launches.begin(), launches.end(), loops);
    return inputs_per_second(
        clock_hz, run_cycles(launches, looped, clock_hz) / static_cast<double>(std::max<std::int64_t>(1, inputs)));
}

}  // namespace ttsim::impl
