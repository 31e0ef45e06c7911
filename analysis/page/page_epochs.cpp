// The machine and the epochs of a page, with the L1 buffers of their ops.
#include <map>

#include "analysis/page/page_parts.hpp"

namespace ttsim::impl::report {

namespace {

/// Buffers of one core of an op as [name, bytes], counted as in netlist/plan/l1_space.hpp.
Json l1_buffers(const PlanOp& op) {
    Json buffers = Json::array();
    const auto add = [&](const std::string& what, std::int64_t bytes) {
        if (bytes > 0) buffers.push_back({what, bytes});
    };
    add("overlay", op.op->overlay_size);
    const std::int64_t output = op.output_streaming.scatter() ? op.output_streaming.buffer_tiles : op.capacity_tiles;
    add("output", output * op.out_tile_bytes);
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
        const PlanOperand& operand = op.operands[k];
        add(fmt::format("input {}", k), operand.l1_tiles * operand.tile_bytes);
        add(fmt::format("input {} held", k), operand.held_tiles * operand.tile_bytes);
    }
    return buffers;
}

Json epoch_entry(const Plan& plan) {
    Json graphs = Json::array(), ops = Json::array();
    for (const Graph* graph : plan.graphs) graphs.push_back(graph->name);
    for (const PlanOp& op : plan.ops) {
        Json entry{{"op", op.op->name()}, {"chip", op.chip}, {"l1", l1_buffers(op)}};
        if (op.ethernet) entry["ethernet"] = true;
        ops.push_back(std::move(entry));
    }
    return {{"graphs", std::move(graphs)}, {"chips", plan.chips}, {"launches", 0}, {"ops", std::move(ops)}};
}

}  // namespace

Json page_machine(const Machine& machine) {
    Json chips = Json::array();
    for (const ChipInstance& chip : machine.chips) {
        const ChipParams& p = chip.params;
        Json rows = Json::array(), columns = Json::array();
        for (const int y : p.worker_y) rows.push_back(y);
        for (const int x : p.worker_x) columns.push_back(x);
        chips.push_back({{"id", chip.id},
                         {"arch", p.name},
                         {"clock_mhz", p.clock_mhz},
                         {"rows", std::move(rows)},
                         {"columns", std::move(columns)},
                         {"harvested_rows", chip.harvested_rows},
                         {"dram_channels", p.dram.size()},
                         {"dram_channel_bytes", p.dram_channel_bytes},
                         {"l1_bytes", p.l1_bytes},
                         {"l1_reserved", p.l1_reserved}});
    }
    return {{"name", machine.name}, {"chips", std::move(chips)}};
}

Json page_epochs(const sim::Setup& setup) {
    Json epochs = Json::array();
    std::map<std::string, std::size_t> known;
    EpochStream stream(setup.netlist, setup.state->calls, setup.state->settings.inputs_count);
    EpochCommand command;
    while (stream.next(command)) {
        const auto* launch = std::get_if<EpochLaunch>(&command);
        if (!launch) continue;
        const std::string key = plan_key(*launch);
        const auto [at, fresh] = known.try_emplace(key, epochs.size());
        if (fresh) epochs.push_back(epoch_entry(*setup.state->plans.at(key).plan));
        Json& launches = epochs[at->second]["launches"];
        launches = launches.get<std::int64_t>() + 1;
    }
    return epochs;
}

}  // namespace ttsim::impl::report
