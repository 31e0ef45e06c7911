#include "analysis/report/run_uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ttsim::impl::report {

std::optional<double> graph_uncertainty(const std::optional<Uncertainty>& table, const sim::GraphReport& graph) {
    const sim::OpReport* slowest = graph.slowest_op();
    if (!table || !slowest || graph.cycles == 0) return {};
    return table->of_graph(slowest->type, graph.busy_share(*slowest), slowest->connections);
}

std::optional<double> run_uncertainty(const std::optional<Uncertainty>& table, const sim::RunReport& report) {
    double weighted = 0, cycles = 0;
    for (const sim::GraphReport& graph : report.graphs) {
        const std::optional<double> share = graph_uncertainty(table, graph);
        if (!share) continue;
        weighted += *share * static_cast<double>(graph.cycles);
        cycles += static_cast<double>(graph.cycles);
    }
    return cycles > 0 ? std::optional(weighted / cycles) : std::nullopt;
}

std::string plus_minus(const std::optional<double>& share) {
    return share ? fmt::format(" (+- {:.0f} %)", std::max(1.0, 100 * *share)) : "";
}

}  // namespace ttsim::impl::report
