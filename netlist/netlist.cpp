#include "netlist/netlist.hpp"

#include <algorithm>
#include <tuple>

namespace ttsim::impl {

/// The op at a place; null if there is another one now.
static const Op* op_at(const Netlist& netlist, const NamePlaces::Place& place, std::string_view name) {
    if (place.kind != NamePlaces::Kind::Op || place.at >= netlist.graphs.size()) return nullptr;
    const std::vector<Op>& ops = netlist.graphs[place.at].ops;
    return place.op_at < ops.size() && ops[place.op_at].name() == name ? &ops[place.op_at] : nullptr;
}

static const Queue* queue_at(const Netlist& netlist, const NamePlaces::Place& place, std::string_view name) {
    if (place.kind != NamePlaces::Kind::Queue || place.at >= netlist.queues.size()) return nullptr;
    const Queue& queue = netlist.queues[place.at];
    return queue.name == name ? &queue : nullptr;
}

const Queue* Netlist::find_queue(std::string_view name) const {
    if (const NamePlaces::Place* place = places ? places->find(name) : nullptr) {
        if (const Queue* queue = queue_at(*this, *place, name)) return queue;
        if (op_at(*this, *place, name)) return nullptr;  // names are unique
    }
    for (const Queue& queue : queues)
        if (queue.name == name) return &queue;
    return nullptr;
}

const Op* Netlist::find_op(std::string_view name) const {
    if (const NamePlaces::Place* place = places ? places->find(name) : nullptr) {
        if (const Op* op = op_at(*this, *place, name)) return op;
        if (queue_at(*this, *place, name)) return nullptr;
    }
    for (const Graph& graph : graphs)
        for (const Op& op : graph.ops)
            if (op.cfg.name == name) return &op;
    return nullptr;
}

const Graph* Netlist::find_graph(std::string_view name) const {
    if (const std::size_t* at = places ? places->graph(name) : nullptr)
        if (*at < graphs.size() && graphs[*at].name == name) return &graphs[*at];
    for (const Graph& graph : graphs)
        if (graph.name == name) return &graph;
    return nullptr;
}

const Program* Netlist::find_program(std::string_view name) const {
    for (const Program& program : programs)
        if (program.name == name) return &program;
    return nullptr;
}

std::vector<const Queue*> Netlist::written_by(std::string_view op) const {
    std::vector<const Queue*> written;
    if (places && places->queues() == queues.size()) {
        for (const std::size_t at : places->written_by(op)) written.push_back(&queues[at]);
        return written;
    }
    for (const Queue& queue : queues)
        if (queue.input == op) written.push_back(&queue);
    return written;
}

ChipTraits traits_of(const ChipFeatures& chip) { return {chip.noc_alignment, chip.fpu_minus_unit}; }

void set_chip(Netlist& netlist, const ChipFeatures& chip) {
    for (Queue& queue : netlist.queues) queue.alignment = chip.noc_alignment;
    for (Graph& graph : netlist.graphs)
        for (Op& op : graph.ops) op.cfg.chip = traits_of(chip);
}

// --- equality, ignoring places in the file
// ----------------------------------------------------------------------------------

namespace {

template <class T, class Same>
bool all_same(const std::vector<T>& a, const std::vector<T>& b, Same same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

auto parts(const Queue& q) {
    return std::tie(q.name, q.input, q.input_tms, q.type, q.entries, q.blocking, q.df, q.tile, q.target_devices,
                    q.where, q.buffers, q.read_ports, q.write_ports, q.layout, q.alias);
}
auto parts(const OpConfig& c) {
    return std::tie(c.type, c.name, c.out, c.tile, c.in, c.in_tile, c.in_df, c.acc_df, c.intermed_df, c.out_df,
                    c.fidelity, c.attr, c.gradient, c.untilize);
}
auto parts(const Op& o) {
    return std::tie(o.inputs, o.tms, o.grid_loc_r, o.grid_loc_c, o.has_grid_loc, o.grid_transpose, o.buf_size_mb,
                    o.input_buf_min_size_tiles, o.input_dram_io_buf_size_tiles, o.overlay_size, o.forked_dram_inputs);
}
auto parts(const QueueSetting& s) {
    return std::tie(s.queue, s.prologue, s.epilogue, s.zero, s.read_only, s.rd_ptr_local, s.rd_ptr_global,
                    s.wr_ptr_global, s.rd_ptr_autoinc, s.global_rdptr_autoinc, s.global_wrptr_autoinc);
}
auto parts(const Instruction& i) { return std::tie(i.kind, i.variables, i.out, i.op, i.operands, i.graph, i.queues); }
auto parts(const FusedSubOp& s) {
    return std::tie(s.name, s.type, s.inputs, s.input_tms, s.output, s.mblock_m, s.mblock_n, s.ublock_rt, s.ublock_ct,
                    s.attributes, s.pop, s.pop_last);
}
auto parts(const TestConfig& t) {
    return std::tie(t.args, t.comparison, t.comparison_overrides, t.stimulus, t.stimulus_overrides, t.io_inputs,
                    t.io_outputs);
}
auto parts(const PerformanceCheck& p) {
    return std::tie(p.name, p.program, p.graph, p.target_inputs, p.target_ops, p.target_cores, p.metrics);
}

bool same_op(const Op& a, const Op& b) { return parts(a.cfg) == parts(b.cfg) && parts(a) == parts(b); }
bool same_graph(const Graph& a, const Graph& b) {
    return a.name == b.name && a.target_devices == b.target_devices && a.input_count == b.input_count &&
           all_same(a.ops, b.ops, same_op);
}
bool same_instruction(const Instruction& a, const Instruction& b) {
    return parts(a) == parts(b) && all_same(a.settings, b.settings, [](const QueueSetting& x, const QueueSetting& y) {
               return parts(x) == parts(y);
           });
}
bool same_program(const Program& a, const Program& b) {
    return a.name == b.name && all_same(a.instructions, b.instructions, same_instruction);
}
bool same_fused(const std::shared_ptr<const FusedDefinition>& a, const std::shared_ptr<const FusedDefinition>& b) {
    return a->id == b->id && a->inputs == b->inputs && a->intermediates == b->intermediates &&
           all_same(a->schedules, b->schedules, [](const auto& x, const auto& y) {
               return all_same(x, y, [](const FusedSubOp& p, const FusedSubOp& q) { return parts(p) == parts(q); });
           });
}

}  // namespace

bool equal(const Netlist& a, const Netlist& b) {
    const auto same_parts = [](const auto& x, const auto& y) { return parts(x) == parts(y); };
    return a.archs == b.archs && all_same(a.queues, b.queues, same_parts) && all_same(a.graphs, b.graphs, same_graph) &&
           all_same(a.programs, b.programs, same_program) && all_same(a.fused_ops, b.fused_ops, same_fused) &&
           parts(a.test) == parts(b.test) && all_same(a.performance, b.performance, same_parts);
}

}  // namespace ttsim::impl
