// The steady rates of launches and runs (docs/figures.md).
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/figures.hpp"

namespace ttsim::impl {

namespace {

constexpr std::size_t longest_pattern = 256;
constexpr std::size_t least_repeated = 4;  ///< intervals that must equal those a pattern earlier

struct Stretch {
    std::size_t first = 0, last = 0, period = 1;  ///< inputs at its ends
};

double average_interval(const std::vector<std::uint64_t>& ends, std::size_t from, std::size_t to) {
    return static_cast<double>(ends[to] - ends[from]) / static_cast<double>(to - from);
}

/// The stretch that lasts longest of those that repeat with that period; none: first == last.
Stretch longest_repeat(const std::vector<std::uint64_t>& ends, std::size_t period) {
    const auto interval = [&](std::size_t n) { return ends[n + 1] - ends[n]; };
    Stretch best{0, 0, period};
    std::size_t same = 0;
    for (std::size_t n = period; n + 1 < ends.size(); ++n) {
        same = interval(n) == interval(n - period) ? same + 1 : 0;
        if (same < std::max(least_repeated, period)) continue;
        const std::size_t first = n + 1 - same - period;
        if (ends[n + 1] - ends[first] >= ends[best.last] - ends[best.first]) best = {first, n + 1, period};
    }
    return best;
}

}  // namespace

double steady_interval(const std::vector<std::uint64_t>& ends) {
    const std::size_t last = ends.size() - 1;
    Stretch best;
    for (std::size_t period = 1; period <= std::min(longest_pattern, last / 2); ++period) {
        const Stretch found = longest_repeat(ends, period);
        if (ends[found.last] - ends[found.first] > ends[best.last] - ends[best.first]) best = found;
    }
    if (2 * (ends[best.last] - ends[best.first]) > ends[last] - ends[last / 2])
        return average_interval(ends, best.last - best.period, best.last);
    return average_interval(ends, last / 2, last);
}

// --- launches ------------------------------------------------------------------------------------------------------

namespace {

constexpr double alike_within = 0.02;       ///< intervals that count as equal differ by no more
constexpr double agrees_within = 0.05;      ///< what still agrees
constexpr double most_averages = 1.25;      ///< a steady interval is no longer than so many average ones
constexpr std::size_t least_alike = 8;      ///< inputs from which on even intervals alone are believed
constexpr std::size_t least_averaged = 32;  ///< inputs from which on filling hardly counts in an average

/// From `first` on, no interval is longer than another by more than that share.
bool all_alike(const std::vector<std::uint64_t>& ends, std::size_t first, double most) {
    double shortest = 0, longest = 0;
    for (std::size_t n = first; n + 1 < ends.size(); ++n) {
        const auto interval = static_cast<double>(ends[n + 1] - ends[n]);
        shortest = n == first ? interval : std::min(shortest, interval);
        longest = std::max(longest, interval);
    }
    return longest <= (1 + most) * shortest;
}

/// From its first input to its last, of the part that took longest; its filling, and waits for parts that drain, count.
double average_pace(const LaunchPace& launch) {
    double longest = average_interval(launch.ends, 0, launch.ends.size() - 1);
    for (const CorePace& core : launch.cores)
        longest = std::max(longest, static_cast<double>(core.last_packed - core.first_packed) /
                                        static_cast<double>(launch.ends.size() - 1));
    return longest;
}

/// Whether inputs that leave at `full`, while the pipeline is full, do so steadily.
bool settled(const std::vector<std::uint64_t>& full, std::size_t inputs, double average) {
    if (full.size() < 2) return false;
    const std::size_t intervals = full.size() - 1;
    const double steady = steady_interval(full);
    // Independent parts of a graph fall behind each other, and the last of them is quicker once it is alone.
    if (2 * full.size() < inputs && steady > most_averages * average) return false;
    if (intervals == 1) return std::abs(steady - average) <= agrees_within * average;
    if (all_alike(full, intervals < 4 ? 0 : intervals / 2, alike_within)) return true;
    return intervals >= least_alike && std::abs(steady / average_interval(full, 0, intervals) - 1) <= agrees_within;
}

}  // namespace

double steady_interval(const LaunchPace& launch) {
    const std::vector<std::uint64_t>& ends = launch.ends;
    if (ends.size() < 2) return 0;
    const double average = average_pace(launch);
    // (1) The pipeline is full from where the first input leaves to where the first part has nothing more to do.
    const std::vector<std::uint64_t> full(ends.begin(), std::upper_bound(ends.begin(), ends.end(), launch.drains));
    if (settled(full, ends.size(), average)) return std::max(launch.kernel_cycles, steady_interval(full));
    const double later = std::max(launch.kernel_cycles, average_interval(ends, (ends.size() - 1) / 2, ends.size() - 1));
    // (2) It was not, but the slowest kernel never waited: nothing goes faster, and nothing held it up.
    const bool alike = all_alike(ends, 0, agrees_within);
    const bool at_kernel = later <= (1 + agrees_within) * launch.kernel_cycles;
    if (alike && at_kernel && (ends.size() >= 4 || average <= (1 + agrees_within) * launch.kernel_cycles)) return later;
    // (3) It was not, but a row of inputs left evenly, and pipes between ops were at work meanwhile.
    if (alike && ends.size() >= least_alike && launch.last_sent >= ends[ends.size() / 2]) return later;
    // (4) It has no even pace.
    return ends.size() >= least_averaged ? std::max(launch.kernel_cycles, average) : 0;
}

// --- runs ----------------------------------------------------------------------------------------------------------

namespace {

bool loops(const GraphPace& graph) { return graph.executes > 1; }

/// Cycles of all inputs of a graph at the pace of its loop, end to end of its executes; 0: unknown.
double loop_cycles(const GraphPace& graph) {
    const std::int64_t later = graph.inputs - graph.first_inputs;
    if (!loops(graph) || later <= 0 || graph.last_end <= graph.first_end) return 0;
    return static_cast<double>(graph.last_end - graph.first_end) * static_cast<double>(graph.inputs) /
           static_cast<double>(later);
}

double execute_cycles(const GraphPace& graph, double clock_hz) {
    return graph.inputs_per_second > 0 ? static_cast<double>(graph.inputs) * clock_hz / graph.inputs_per_second : 0;
}

/// Graphs of one launch, which begin and end together, count as one.
std::vector<GraphPace> launches_of(const std::vector<GraphPace>& graphs) {
    const auto times = [](const GraphPace& g) {
        return std::tuple(g.start, g.last_end, g.first_end, g.executes, g.inputs);
    };
    std::vector<GraphPace> all = graphs;
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return times(a) < times(b); });
    all.erase(std::unique(all.begin(), all.end(), [&](const auto& a, const auto& b) { return times(a) == times(b); }),
              all.end());
    return all;
}

/// Cycles of all inputs; what runs at the same time counts once, as long as its slowest part. 0: unknown.
double run_cycles(const std::vector<GraphPace>& launches, bool looped, double clock_hz) {
    double sum = 0, slowest = 0;
    std::uint64_t until = 0;
    for (const GraphPace& launch : launches) {
        if (looped && loop_cycles(launch) == 0) continue;  // before and behind the loops, or without a time
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

}  // namespace

double steady_rate(const std::vector<GraphPace>& graphs, double clock_hz) {
    const std::vector<GraphPace> launches = launches_of(graphs);
    if (launches.empty()) return 0;
    if (launches.size() == 1 && launches[0].inputs_per_second > 0) return launches[0].inputs_per_second;
    std::int64_t inputs = 0;
    for (const GraphPace& launch : launches) inputs = std::max(inputs, launch.inputs);
    const bool looped = std::any_of(launches.begin(), launches.end(), loops);
    return inputs_per_second(
        clock_hz, run_cycles(launches, looped, clock_hz) / static_cast<double>(std::max<std::int64_t>(1, inputs)));
}

}  // namespace ttsim::impl
