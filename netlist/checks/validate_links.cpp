// Rules of connections: formats, shapes, TMs, untilized and gradient outputs, aliases.
#include <algorithm>

#include "kernels/copy_ops.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/checks/validate_parts.hpp"

namespace ttsim::impl::checking {

namespace {

// --- inputs of ops ----------------------------------------------------------------------------------------------

void check_input_format(Validation& v, const Op& op, std::size_t k) {
    const Queue* queue = v.index.queue(op.inputs[k]);
    const Op* from = queue ? nullptr : v.index.op(op.inputs[k]).op;
    const DataFormat source_format = queue ? queue->df : from->cfg.out_df;
    if (op.cfg.in_df[k] != source_format)
        v.out.error(op.cfg.loc, "in_df[{}] of op '{}' is {}, but '{}' delivers {}", k, op.cfg.name,
                    to_string(op.cfg.in_df[k]), op.inputs[k], to_string(source_format));
    const bool takes_flat = op.cfg.type == "tilizer" || (op.cfg.type == "embedding" && k == 0);
    if (queue && queue->layout == QueueLayout::Flat && !takes_flat)
        v.out.error(op.cfg.loc,
                    "input {} of op '{}' is the flat queue '{}'; only tilizer and embedding tables read "
                    "flat queues",
                    k, op.cfg.name, queue->name);
    if (op.cfg.type == "tilizer" && (!queue || queue->layout != QueueLayout::Flat))
        v.out.error(op.cfg.loc, "op '{}' is a tilizer and needs a queue with layout flat, which '{}' is not",
                    op.cfg.name, op.inputs[k]);
}

void check_source_graph(Validation& v, const Graph& graph, const Op& op, std::size_t k) {
    const NameIndex::OpPlace from = v.index.op(op.inputs[k]);
    if (!from.op) return;
    const std::int64_t to = from.op->cfg.attr.dest_device;
    const bool arrives = from.op->cfg.type == "ethernet_datacopy" && to != from.graph->device() && to < v.chips;
    if (arrives && to >= 0 && to != graph.device())
        v.out.error(op.cfg.loc, "op '{}' on chip {} reads '{}', which delivers on chip {} (dest_device)", op.cfg.name,
                    graph.device(), from.op->cfg.name, to);
    if (from.graph == &graph) return;
    if (from.graph->device() == graph.device()) {
        v.out.error(op.cfg.loc,
                    "input {} of op '{}' is op '{}' of graph '{}' on the same chip; between graphs of one "
                    "chip data passes through a queue",
                    k, op.cfg.name, from.op->cfg.name, from.graph->name);
        return;
    }
    if (from.graph->input_count != graph.input_count)
        v.out.error(op.cfg.loc,
                    "op '{}' streams from graph '{}' with input_count {} to graph '{}' with {}; they run "
                    "together and must be equal",
                    op.cfg.name, from.graph->name, from.graph->input_count, graph.name, graph.input_count);
}

bool may_transpose(const Op& op, std::size_t k, const ChipFeatures& chip) {
    const OpDef* def = find_op(op.cfg.type);
    if (!def) return true;
    switch (def->op_class) {
        case OpClass::Matmul:
        case OpClass::SparseMatmul:
            return k == 1;
        case OpClass::Move:
            return is_core_copy(op.cfg.type);
        case OpClass::Ethernet:
        case OpClass::Sfpu:
            return true;
        case OpClass::Binary:
        case OpClass::SfpuBinary:
            return k == 0 && chip.transpose_binary;
        case OpClass::Depthwise:
        case OpClass::Reduce:
        case OpClass::Fused:
            return false;
    }
    return false;
}

void check_tms(Validation& v, const Op& op, std::size_t k) {
    const OperandTms& tms = op.tms[k];
    int pads = tms.pad_rt != 0 || tms.pad_ct != 0 ? 1 : 0;
    for (const Tm& tm : tms.tms) {
        if (tm.kind == Tm::Kind::Pad && ++pads == 2)
            v.out.error(tm.loc, "input {} of op '{}' is padded twice; one pad an input is allowed", k, op.cfg.name);
        if (tm.kind == Tm::Kind::Pad && op.cfg.type == "fused_op")
            v.out.error(tm.loc, "input {} of op '{}' is padded; a fused op cannot pad", k, op.cfg.name);
    }
    if (!transposes_tiles(tms)) return;
    const auto transpose =
        std::find_if(tms.tms.begin(), tms.tms.end(), [](const Tm& tm) { return tm.kind == Tm::Kind::Transpose; });
    if (!may_transpose(op, k, v.chip.features)) {
        v.out.error(transpose->loc, "input {} of {} '{}' cannot be transposed on this chip", k, op.cfg.type,
                    op.cfg.name);
        return;
    }
    if (k == 0 && op.cfg.in_df[k] == DataFormat::Int32)
        v.out.error(transpose->loc, "input 0 of op '{}' is Int32 and cannot be transposed", op.cfg.name);
    const TileDim before{op.cfg.in_tile[k].w, op.cfg.in_tile[k].h};
    const bool matmul_dim = before == TileDim{} || before == TileDim{16, tile_edge};
    if (op.cfg.type == "matmul" && !matmul_dim)
        v.out.error(transpose->loc, "input {} of matmul '{}' has tile_dim {}; only 32x32 and 16x32 can be transposed",
                    k, op.cfg.name, before);
}

/// Kernel broadcasts of a matmul must hold complete inner blocks.
void check_matmul_broadcast(Validation& v, const Op& op) {
    const OpAttributes& attr = op.cfg.attr;
    if (op.cfg.type != "matmul" || attr.identity || !v.chip.features.broadcast_blocks) return;
    const Blocking& b = op.cfg.out;
    const bool tall = b.ublock_ct < b.ublock_rt;
    const int input = tall ? 0 : 1;
    const std::int64_t unit = tall ? b.ublock_rt * attr.u_kt : b.ublock_ct;
    for (const auto* list : {&attr.kernel_broadcast, &attr.kernel_broadcast_per_t}) {
        const auto found = list->find(input);
        if (found != list->end() && found->second != 1 && unit > 0 && found->second % unit != 0)
            v.out.error(op.cfg.loc,
                        "the kernel broadcast of input {} of matmul '{}' holds {} tiles; it must be a "
                        "multiple of {}",
                        input, op.cfg.name, found->second, unit);
    }
}

// --- outputs of ops ---------------------------------------------------------------------------------------------

void check_fed_queue(Validation& v, const Op& op, const Queue& queue) {
    if (queue.df != op.cfg.out_df)
        v.out.error(queue.loc, "queue '{}' has df {}, but op '{}' writes {}", queue.name, to_string(queue.df),
                    op.cfg.name, to_string(op.cfg.out_df));
    if (queue.tile != op.cfg.tile)
        v.out.error(queue.loc, "queue '{}' has tile_dim {}, but op '{}' writes {}", queue.name, queue.tile, op.cfg.name,
                    op.cfg.tile);
    if (op.cfg.type == "ethernet_datacopy" && queue.device() != op.cfg.attr.dest_device)
        v.out.error(queue.loc, "queue '{}' is on chip {}, but op '{}' delivers on chip {} (dest_device)", queue.name,
                    queue.device(), op.cfg.name, op.cfg.attr.dest_device);
    try {
        const TileShape written = shape_after(op.shape(), queue.input_tms);
        if (written != queue.shape())
            v.out.error(queue.loc,
                        "an entry of queue '{}' has {} tiles (slices x rows x columns), but op '{}' writes {}",
                        queue.name, shape_text(queue.shape()), op.cfg.name, shape_text(written));
    } catch (const Error& wrong) {
        v.out.add(wrong.fault(), wrong.where().file.empty() ? queue.loc : wrong.where(),
                  fmt::format("queue '{}': {}", queue.name, wrong.message()));
    }
}

void check_untilized(Validation& v, const Op& op, const std::vector<const Queue*>& queues) {
    if (!op.cfg.untilize) return;
    const auto readers = v.readers.find(op.cfg.name);
    if (readers != v.readers.end())
        v.out.error(op.cfg.loc, "op '{}' has untilize_output and feeds op '{}'; it may feed one queue only",
                    op.cfg.name, readers->second.front()->cfg.name);
    if (queues.size() != 1)
        v.out.error(op.cfg.loc, "op '{}' has untilize_output and feeds {} queues; it must feed exactly one",
                    op.cfg.name, queues.size());
    for (const Queue* queue : queues)
        if (queue->blocking.cores() != 1)
            v.out.error(queue->loc, "queue '{}' takes untilized output and has grid_size {}x{}; it must be 1x1",
                        queue->name, queue->blocking.grid_r, queue->blocking.grid_c);
}

void check_output(Validation& v, const Op& op) {
    static const std::vector<const Queue*> none;
    const auto found = v.fed_queues.find(op.cfg.name);
    const std::vector<const Queue*>& queues = found == v.fed_queues.end() ? none : found->second;
    for (const Queue* queue : queues) check_fed_queue(v, op, *queue);
    check_untilized(v, op, queues);
    if (op.cfg.gradient && queues.empty())
        v.out.error(op.cfg.loc, "op '{}' is a gradient_op and feeds no queue to accumulate in", op.cfg.name);
    const std::int64_t body = tile_body_bytes(op.cfg.out_df, op.cfg.tile);
    constexpr std::int64_t unit = default_noc_alignment;  // a rule of netlists, on all chips
    if (op.cfg.tile != TileDim{} && body % unit != 0 && (body + tile_header_bytes) % unit != 0)
        v.out.error(op.cfg.loc, "op '{}' writes {} tiles of {} bytes in {}; tiles must be a multiple of 32 bytes",
                    op.cfg.name, op.cfg.tile, body, to_string(op.cfg.out_df));
}

// --- queues -----------------------------------------------------------------------------------------------------

void check_alias(Validation& v, const Queue& queue) {
    if (queue.alias.empty()) return;
    const Queue* base = v.index.queue(queue.alias);
    if (!base) {
        v.out.error(queue.loc, "queue '{}' is an alias of '{}', which does not exist", queue.name, queue.alias);
        return;
    }
    if (queue.type != QueueType::Ram || base->type != QueueType::Ram)
        v.out.error(queue.loc, "queue '{}' is an alias of '{}'; both must be of type ram", queue.name, base->name);
    if (!base->alias.empty())
        v.out.error(queue.loc, "queue '{}' is an alias of '{}', which is an alias itself", queue.name, base->name);
    if (base->entries % queue.entries != 0)
        v.out.error(queue.loc, "queue '{}' has {} entries, which do not divide the {} of '{}'", queue.name,
                    queue.entries, base->entries, base->name);
    else if (base->shape().tiles() * (base->entries / queue.entries) != queue.shape().tiles())
        v.out.error(queue.loc, "queue '{}' and '{}' must have the same number of tiles in all", queue.name, base->name);
    if (base->df != queue.df)
        v.out.error(queue.loc, "queue '{}' has df {} and its memory '{}' {}; they must be equal", queue.name,
                    to_string(queue.df), base->name, to_string(base->df));
}

/// All graphs that read a queue must consume it at the same rate, so they need the same number of inputs.
void check_input_counts(Validation& v, const Queue& queue) {
    const auto readers = v.readers.find(queue.name);
    if (queue.type != QueueType::Queue || readers == v.readers.end()) return;
    const Graph* first = v.index.op(readers->second.front()->cfg.name).graph;
    for (const Op* op : readers->second) {
        const Graph* graph = v.index.op(op->cfg.name).graph;
        if (graph->input_count == first->input_count) continue;
        v.out.error(queue.loc,
                    "queue '{}' is read by graph '{}' with input_count {} and by graph '{}' with {}; they must "
                    "be equal",
                    queue.name, first->name, first->input_count, graph->name, graph->input_count);
        return;
    }
}

}  // namespace

void check_links(Validation& v) {
    for (const Graph& graph : v.netlist.graphs)
        for (const Op& op : graph.ops) {
            for (std::size_t k = 0; k < op.inputs.size(); ++k) {
                check_input_format(v, op, k);
                check_source_graph(v, graph, op, k);
                check_tms(v, op, k);
            }
            check_matmul_broadcast(v, op);
            check_output(v, op);
        }
    for (const Queue& queue : v.netlist.queues) {
        check_alias(v, queue);
        check_input_counts(v, queue);
    }
}

}  // namespace ttsim::impl::checking
