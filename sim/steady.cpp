#include "sim/steady.hpp"

#include <algorithm>

#include "sim/run.hpp"

namespace tt::sim {

static constexpr std::size_t longest_pattern = 256;
static constexpr std::size_t least_repeated = 4;  ///< intervals that must equal those a pattern earlier

namespace {
struct Stretch {
    std::size_t first = 0, last = 0, period = 1;  ///< inputs at its ends
};

double average(const std::vector<std::uint64_t>& ends, std::size_t from, std::size_t to) {
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
        return average(ends, best.last - best.period, best.last);
    return average(ends, last / 2, last);
}

void sum_up(RunReport& report) {
    if (report.graphs.empty() || report.cycles == 0) return;
    const double hz = static_cast<double>(report.clock_mhz) * 1e6;
    std::int64_t inputs = 0;
    for (const GraphReport& graph : report.graphs) inputs = std::max(inputs, graph.inputs);
    report.end_to_end_per_second = static_cast<double>(inputs) * hz / static_cast<double>(report.cycles);
    const GraphReport& last = report.graphs.back();
    if (last.first_input_end > report.first_loaded.value_or(0))
        report.latency_cycles = last.first_input_end - report.first_loaded.value_or(0);
    // Graphs that run one after the other have no common steady state but that of the loop around them.
    if (report.graphs.size() == 1)
        report.inputs_per_second = last.inputs_per_second;
    else if (last.executes > 1 && last.last_end > last.first_end)
        report.inputs_per_second = static_cast<double>(last.inputs - last.first_inputs) * hz /
                                   static_cast<double>(last.last_end - last.first_end);
}

}  // namespace tt::sim
