#include "sim/figures/memory_use.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "netlist/checks/instances.hpp"
#include "netlist/plan/l1_space.hpp"

namespace ttsim::impl::sim {

namespace {

using OpReports = std::map<std::pair<std::string_view, std::string_view>, OpReport*>;  // by graph and op

OpReports op_reports(RunReport& report) {
    OpReports found;
    for (GraphReport& graph : report.graphs)
        for (OpReport& op : graph.ops) found[{graph.name, op.name}] = &op;
    return found;
}

void report_l1(const RunState& state, RunReport& report) {
    MemoryUse& memory = report.memory;
    const OpReports reports = op_reports(report);
    for (const auto& [_, prepared] : state.plans)
        for (const PlanOp& op : prepared.plan->ops) {
            const L1Use use = l1_use(op, state.machine.find(op.chip)->params);
            const auto reported = reports.find({op.graph->name, op.op->name()});
            if (reported != reports.end())
                reported->second->l1_bytes = std::max(reported->second->l1_bytes, use.needed);
            memory.l1_bytes = std::max(memory.l1_bytes, use.needed);
            memory.l1_share =
                std::max(memory.l1_share, share_of(static_cast<double>(use.needed), static_cast<double>(use.left)));
        }
}

void report_dram(const RunState& state, RunReport& report) {
    std::map<std::int64_t, std::int64_t> bytes;  // by chip
    for (const Queue& queue : state.netlist.queues)
        if (queue.where == QueueLoc::Dram && queue.alias.empty())
            bytes[queue.device()] += queue.blocking.cores() * queue_buffer_bytes(queue);
    for (const auto& [chip, used] : bytes) {
        const ChipParams& params = state.machine.find(chip)->params;
        const double all = static_cast<double>(params.dram_channel_bytes) * static_cast<double>(params.dram.size());
        report.memory.dram_bytes = std::max(report.memory.dram_bytes, used);
        report.memory.dram_share = std::max(report.memory.dram_share, share_of(static_cast<double>(used), all));
    }
}

}  // namespace

void report_memory(const RunState& state, RunReport& report) {
    report_l1(state, report);
    report_dram(state, report);
}

}  // namespace ttsim::impl::sim
