#include "sim/figures/steady.hpp"

#include <algorithm>

#include "sim/state/report.hpp"

namespace ttsim::impl::sim {

static GraphExecutes pace_of(const GraphReport& graph) {
    return {graph.inputs,    graph.executes, graph.first_inputs,     graph.first_start,
            graph.first_end, graph.last_end, graph.inputs_per_second};
}

void summarize(RunReport& report) {
    if (report.graphs.empty() || report.cycles == 0) return;
    const double hz = static_cast<double>(report.clock_mhz) * 1e6;
    std::int64_t inputs = 0;
    std::vector<GraphExecutes> graphs;
    for (const GraphReport& graph : report.graphs) {
        inputs = std::max(inputs, graph.inputs);
        graphs.push_back(pace_of(graph));
    }
    report.end_to_end_per_second = end_to_end_rate(inputs, hz, report.cycles);
    report.push_to_pop_per_second = end_to_end_rate(inputs, hz, report.push_to_pop_cycles());
    report.inputs_per_second = steady_rate(graphs, hz);
    report.rate_of_loop = is_loop_rate(graphs);
    const GraphReport& last = report.graphs.back();
    if (last.first_input_end > report.first_loaded.value_or(0))
        report.latency_cycles = last.first_input_end - report.first_loaded.value_or(0);
}

void count_host(RunReport& report, std::int64_t samples, double host_seconds, bool all_on_host) {
    report.host_seconds = host_seconds;
    report.all_on_host = all_on_host;
    if (report.cycles == 0) return;  // no clock
    const double hz = static_cast<double>(report.clock_mhz) * 1e6;
    report.end_to_end_per_second = end_to_end_rate(samples, hz, all_on_host ? 0 : report.cycles, host_seconds);
    report.push_to_pop_per_second = end_to_end_rate(samples, hz, report.push_to_pop_cycles());
    if (!all_on_host) return;
    report.inputs_per_second = 0;
    report.latency_cycles = 0;
    for (GraphReport& graph : report.graphs) graph.inputs_per_second = 0;
}

}  // namespace ttsim::impl::sim
