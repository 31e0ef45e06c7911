// Commands on placement and memory layout: map, device, epochs, buffer.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/debug/arguments.hpp"
#include "base/text.hpp"

namespace ttsim::impl::debug {

namespace {

Rows map_rows() { return {"ops", {"number", "op", "type", "graph", "plan", "device", "loc", "noc", "grid"}, {}}; }

Answer map_live(Debugger& debugger, const Words& words) {
    expect(words, 0, 0, "map");
    Rows rows = map_rows();
    std::int64_t plan_number = 0, op_number = 0;
    for (const auto& plan : debugger.run().plans()) {
        for (const PlanOp& op : plan->ops)
            rows.add({op_number++, op.op->name(), op.op->cfg.type, op.graph->name, plan_number, op.chip,
                      fmt::format("{},{}", op.op->grid_loc_r, op.op->grid_loc_c), name_of(op.cores.front()),
                      fmt::format("{}x{}", op.op->cfg.out.grid_r, op.op->cfg.out.grid_c)});
        ++plan_number;
    }
    Answer answer;
    answer.tables.push_back(std::move(rows));
    return answer;
}

Answer map_offline(Debugger& debugger, const Words& words) {
    expect(words, 0, 0, "map");
    Rows rows = map_rows();
    trace::Statement ask(debugger.trace().database(),
                         "SELECT o.id, o.name, o.type, o.graph, o.plan, o.chip, o.grid_r, o.grid_c, c.x, c.y FROM op o "
                         "JOIN core c ON c.op = o.id AND c.n = 0 ORDER BY o.id");
    while (ask.step())
        rows.add({ask.integer(0), ask.text(1), ask.text(2), ask.text(3), ask.integer(4), ask.integer(5), nullptr,
                  fmt::format("{}-{}", ask.integer(8), ask.integer(9)),
                  fmt::format("{}x{}", ask.integer(6), ask.integer(7))});
    Answer answer;
    answer.tables.push_back(std::move(rows));
    return answer;
}

/// Drawing of a chip's grid: text of each core.
struct GridDrawing {
    std::vector<std::int64_t> xs, ys;                                    ///< columns and rows, NoC coordinates
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> cells;  ///< by x, y
};

std::string draw(const GridDrawing& grid) {
    std::size_t width = 4;
    for (const auto& [_, cell] : grid.cells) width = std::max(width, cell.size());
    std::string text = "     ";
    for (const std::int64_t x : grid.xs) text += fmt::format(" {:>{}}", x, width);
    text += "\n";
    for (const std::int64_t y : grid.ys) {
        text += fmt::format("{:>4} ", y);
        for (const std::int64_t x : grid.xs) {
            const auto cell = grid.cells.find({x, y});
            text += fmt::format(" {:>{}}", cell == grid.cells.end() ? "." : cell->second, width);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
    }
    return text;
}

const ChipInstance& find_chip(const Machine& machine, const Words& words) {
    const std::int64_t id = words.empty() ? machine.chips.front().id : number(words[0], "chip");
    const ChipInstance* chip = machine.find(id);
    if (!chip)
        fail_input({}, "the machine has no chip {}; its chips are {} to {}", id, machine.chips.front().id,
                   machine.chips.back().id);
    return *chip;
}

Rows core_rows() { return {"cores", {"noc", "op", "graph", "state", "input"}, {}}; }

Answer device_live(Debugger& debugger, const Words& words) {
    expect(words, 0, 2, "device [CHIP [op|state|input]]");
    const ChipInstance& chip = find_chip(debugger.run().machine(), words);
    const std::string cells = words.size() > 1 ? words[1] : "op";
    if (cells != "op" && cells != "state" && cells != "input")
        fail_input({}, "'{}' is not one of op|state|input{}", cells, did_you_mean(cells, {"op", "state", "input"}));
    GridDrawing grid{{chip.params.worker_x.begin(), chip.params.worker_x.end()},
                     {chip.params.worker_y.begin(), chip.params.worker_y.end()},
                     {}};
    std::map<const Op*, std::int64_t> number_of;
    for (const auto& plan : debugger.run().plans())
        for (const PlanOp& op : plan->ops) number_of.try_emplace(op.op, static_cast<std::int64_t>(number_of.size()));
    Rows rows = core_rows();
    for (const sim::CoreState& core : debugger.run().view().cores(nullptr)) {
        if (core.op->chip != chip.id) continue;
        const std::string state = sim::name_of(core.activity);
        grid.cells[{core.at().x, core.at().y}] = cells == "op"      ? fmt::format("{}", number_of.at(core.op->op))
                                                 : cells == "state" ? state
                                                                    : fmt::format("{}", core.input);
        rows.add({name_of(core.at()), core.op->op->name(), core.op->graph->name, state, core.input});
    }
    Answer answer;
    answer.facts = {{"chip", chip.id},
                    {"arch", chip.params.name},
                    {"workers", chip.params.worker_x.size() * chip.params.worker_y.size()},
                    {"harvested_rows", chip.harvested_rows}};
    answer.picture = draw(grid);
    if (!rows.rows.empty()) answer.tables.push_back(std::move(rows));
    if (grid.cells.empty()) answer.lines.emplace_back("no epoch is in flight there; 'map' shows the placement of ops");
    return answer;
}

Answer device_offline(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "device [CHIP]");
    const std::int64_t id = words.empty() ? 0 : number(words[0], "chip");
    trace::Database& database = debugger.trace().database();
    trace::Statement chip(database, "SELECT arch, workers, harvested_rows FROM chip WHERE id = ?");
    chip.bind(1, id);
    if (!chip.step()) fail_input({}, "the trace has no chip {}", id);
    Answer answer;
    answer.facts = {
        {"chip", id}, {"arch", chip.text(0)}, {"workers", chip.integer(1)}, {"harvested_rows", chip.text(2)}};
    trace::Statement cores(database,
                           "SELECT c.x, c.y, o.name, o.graph, o.plan, o.id FROM core c JOIN op o ON o.id = c.op "
                           "WHERE o.chip = ? ORDER BY o.id, c.n");
    cores.bind(1, id);
    Rows rows{"cores", {"noc", "op", "graph", "plan"}, {}};
    while (cores.step())
        rows.add(
            {fmt::format("{}-{}", cores.integer(0), cores.integer(1)), cores.text(2), cores.text(3), cores.integer(4)});
    answer.tables.push_back(std::move(rows));
    return answer;
}

Answer epochs_live(Debugger& debugger, const Words& words) {
    expect(words, 0, 0, "epochs");
    const sim::MachineView view = debugger.run().view();
    Answer answer;
    answer.facts = {{"cycle", view.now()}, {"begun", view.epochs_begun()}};
    Rows rows{"in_flight", {"epoch", "graphs", "started", "inputs", "over", "share"}, {}};
    for (const sim::EpochState& epoch : view.epochs())
        rows.add({epoch.number, epoch.graphs, epoch.started, epoch.inputs, epoch.over, epoch.share});
    answer.tables.push_back(std::move(rows));
    Rows plans{"plans", {"plan", "graphs", "chips", "ops", "cores"}, {}};
    std::int64_t number = 0;
    for (const auto& plan : debugger.run().plans()) {
        std::string graphs;
        for (const Graph* graph : plan->graphs) graphs += (graphs.empty() ? "" : ",") + graph->name;
        std::size_t cores = 0;
        for (const PlanOp& op : plan->ops) cores += op.cores.size();
        plans.add({number++, graphs, plan->chips, plan->ops.size(), cores});
    }
    answer.tables.push_back(std::move(plans));
    return answer;
}

Answer epochs_offline(Debugger& debugger, const Words& words) {
    expect(words, 0, 0, "epochs");
    Rows rows{"epochs", {"epoch", "plan", "graphs", "chips", "started", "cycles", "inputs", "status"}, {}};
    trace::Statement ask(debugger.trace().database(),
                         "SELECT id, plan, graphs, chips, start, cycles, inputs, status FROM epoch ORDER BY id");
    while (ask.step())
        rows.add({ask.integer(0), ask.integer(1), ask.text(2), ask.text(3), ask.integer(4), ask.integer(5),
                  ask.integer(6), ask.text(7)});
    Answer answer;
    answer.tables.push_back(std::move(rows));
    return answer;
}

/// The L1 buffers of an op's cores, as planned.
Answer buffer(Debugger& debugger, const Words& words) {
    expect(words, 1, 1, "buffer OP");
    const Op& op = find_op(debugger.run().netlist(), words[0]);
    Rows rows{
        "buffers", {"plan", "buffer", "source", "format", "tiles", "tile_bytes", "bytes", "chunks_per_input"}, {}};
    std::int64_t number = -1;
    for (const auto& plan : debugger.run().plans()) {
        ++number;
        for (const PlanOp& laid : plan->ops) {
            if (laid.op != &op) continue;
            for (std::size_t k = 0; k < laid.operands.size(); ++k) {
                const PlanOperand& operand = laid.operands[k];
                const std::string source =
                    operand.producer_op >= 0
                        ? plan->ops[static_cast<std::size_t>(operand.producer_op)].op->name()
                        : plan->queues[static_cast<std::size_t>(operand.producer_queue)].queue->name;
                rows.add({number, fmt::format("operand {}", k), source, ttsim::impl::to_string(operand.df),
                          operand.capacity_tiles, operand.tile_bytes, operand.capacity_tiles * operand.tile_bytes,
                          operand.operand_z * operand.chunks_per_slice});
                if (operand.held_tiles > 0)
                    rows.add({number, fmt::format("operand {} held", k), source, ttsim::impl::to_string(operand.df),
                              operand.held_tiles, operand.tile_bytes, operand.held_tiles * operand.tile_bytes,
                              nullptr});
            }
            rows.add({number, "output", laid.op->name(), ttsim::impl::to_string(op.cfg.out_df), laid.capacity_tiles,
                      laid.out_tile_bytes, laid.capacity_tiles * laid.out_tile_bytes, nullptr});
        }
    }
    Answer answer;
    answer.facts = {{"op", op.name()}};
    answer.tables.push_back(std::move(rows));
    return answer;
}

}  // namespace

void add_layout_commands(std::vector<Command>& to) {
    to.push_back({"map", {"om", "op-map"}, "", "placement of every op", map_live, map_offline, ""});
    to.push_back({"device",
                  {"d"},
                  "[CHIP [op|state|input]]",
                  "a chip's grid: ops by their number in 'map', states, or "
                  "inputs",
                  device_live,
                  device_offline,
                  ""});
    to.push_back({"epochs", {"eq"}, "", "epochs in flight, and plans of the run", epochs_live, epochs_offline, ""});
    to.push_back({"buffer", {"b"}, "OP", "the buffers of an op in L1", buffer, {}, ""});
}

}  // namespace ttsim::impl::debug
