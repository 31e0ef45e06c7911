#include "analysis/trace_report/remedies.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ttsim::impl::report {

using trace::Reason;
using trace::RootKind;

namespace {

using Words = std::vector<std::string>;

struct Place {
    const Op* op = nullptr;
    const Graph* graph = nullptr;
};

Place find_op(const std::optional<Netlist>& netlist, const std::string& name) {
    if (netlist)
        for (const Graph& graph : netlist->graphs)
            for (const Op& op : graph.ops)
                if (op.name() == name) return {&op, &graph};
    return {};
}

const Queue* find_queue(const std::optional<Netlist>& netlist, const std::string& name) {
    if (netlist)
        for (const Queue& queue : netlist->queues)
            if (queue.name == name) return &queue;
    return nullptr;
}

bool wide(DataFormat format) { return format == DataFormat::Float32 || format == DataFormat::Int32; }

/// Median number of cores of the ops of a graph, for comparison with one op.
std::int64_t median_cores(const Graph& graph) {
    std::vector<std::int64_t> cores;
    for (const Op& op : graph.ops) cores.push_back(op.cfg.out.cores());
    std::sort(cores.begin(), cores.end());
    return cores.empty() ? 0 : cores[cores.size() / 2];
}

std::string larger_grid(const Op& op, const Graph& graph, const std::string& name) {
    const Blocking& out = op.cfg.out;
    const std::int64_t usual = median_cores(graph);
    const std::string others =
        usual > out.cores() ? fmt::format("; half of the ops of '{}' have {} cores or more", graph.name, usual) : "";
    return fmt::format("a larger grid for '{}' (grid_size [{}, {}]{})", name, out.grid_r, out.grid_c, others);
}

/// Remedies for an op that is always busy: fewer steps, cheaper steps, more cores.
Words against_work(const Op& op, const Graph& graph, const std::string& name) {
    constexpr std::int64_t many_blocks = 4, small_block = 4;
    Words words;
    const OpConfig& cfg = op.cfg;
    const OpAttributes& attr = cfg.attr;
    const bool small = 2 * cfg.out.cores() < median_cores(graph);
    if (small) words.push_back(larger_grid(op, graph, name));
    if (attr.m_k >= many_blocks && attr.u_kt < small_block)
        words.push_back(
            fmt::format("a larger u_kt (now u_kt {} and m_k {}: partial results are spilled and read back {} "
                        "times)",
                        attr.u_kt, attr.m_k, attr.m_k - 1));
    const bool product = attr.u_kt > 0;
    if (product && (cfg.fidelity == Fidelity::HiFi4 || cfg.fidelity == Fidelity::HiFi3))
        words.push_back(fmt::format("a lower math_fidelity (now {}) or Bfp8_b operands", to_string(cfg.fidelity)));
    if (wide(cfg.out_df) || wide(cfg.intermed_df) || std::any_of(cfg.in_df.begin(), cfg.in_df.end(), wide))
        words.push_back(fmt::format("a narrower format (in {}, out {})",
                                    cfg.in_df.empty() ? "-" : to_string(cfg.in_df.front()), to_string(cfg.out_df)));
    if (!small) words.push_back(larger_grid(op, graph, name));
    return words;
}

Words against_buffer(const Reason& cause, const std::optional<Netlist>& netlist) {
    const Place fork = find_op(netlist, cause.root.op), join = find_op(netlist, cause.root.other);
    Words words;
    const std::string now = fork.op ? fmt::format(" (now {})", fork.op->buf_size_mb) : "";
    std::string operand = "its operand";
    if (join.op)
        for (std::size_t k = 0; k < join.op->inputs.size(); ++k)
            if (join.op->inputs[k] == cause.root.op) operand = fmt::format("input {}", k);
    if (cause.root.fork)
        words.push_back(fmt::format(
            "more input_buf_min_size_tiles for {} of '{}', whose branch is too short, or a DRAM queue between", operand,
            cause.other));
    words.push_back(fmt::format("a larger buf_size_mb of '{}'{}", cause.op, now));
    if (!cause.root.fork)
        words.push_back(fmt::format("more input_buf_min_size_tiles for {} of '{}'", operand, cause.other));
    return words;
}

Words against_dram(const Reason& cause, const std::optional<Netlist>& netlist) {
    const Queue* queue = find_queue(netlist, cause.root.other);
    std::string others;
    if (queue && netlist && !queue->buffers.empty()) {
        int users = 0;
        for (const Queue& q : netlist->queues)
            for (const BufferAddress& at : q.buffers)
                if (q.where == QueueLoc::Dram && q.device() == queue->device() &&
                    std::any_of(queue->buffers.begin(), queue->buffers.end(),
                                [&](const BufferAddress& own) { return own.channel == at.channel; }))
                    ++users;
        others = fmt::format(" ({} buffers lie on its channels)", users);
    }
    if (queue && wide(queue->df))
        return {fmt::format("a narrower format of queue '{}' (now {}), or more channels for it{}", cause.root.other,
                            to_string(queue->df), others)};
    return {fmt::format("spread queue '{}' over more channels: another channel in its 'dram', or a larger grid_size{}",
                        cause.root.other, others),
            "a prologue for data that is read for every input, or a narrower format"};
}

Words against_pipe(const Reason& cause, const std::optional<Netlist>& netlist) {
    const Place from = find_op(netlist, cause.root.op), to = find_op(netlist, cause.root.other);
    Words words;
    if (from.op && to.op) {
        const Blocking &a = from.op->cfg.out, &b = to.op->cfg.out;
        if (a.grid_r != b.grid_r || a.grid_c != b.grid_c)
            words.push_back(
                fmt::format("the same grid for both (now [{}, {}] and [{}, {}]): '{}' gathers from several "
                            "cores",
                            a.grid_r, a.grid_c, b.grid_r, b.grid_c, cause.other));
        else if (a.mblock_m != b.mblock_m || a.mblock_n != b.mblock_n || a.ublock_rt != b.ublock_rt ||
                 a.ublock_ct != b.ublock_ct || a.t != b.t)
            words.emplace_back("the same mblock, ublock and t for both: tiles are reordered during the transfer");
        if (wide(from.op->cfg.out_df)) words.push_back(fmt::format("a narrower out_df of '{}'", cause.op));
    }
    words.push_back(
        fmt::format("larger blocks, or a larger buf_size_mb of '{}', so that transfers overlap with work", cause.op));
    return words;
}

}  // namespace

std::vector<std::string> remedies(const Reason& cause, const std::optional<Netlist>& netlist) {
    const trace::Root& root = cause.root;
    switch (root.kind) {
        case RootKind::Op: {
            const Place place = find_op(netlist, root.op);
            if (place.op) return against_work(*place.op, *place.graph, cause.op);
            return {fmt::format("a larger grid for '{}', larger u_kt or lower fidelity of a product", cause.op)};
        }
        case RootKind::Dram:
            return against_dram(cause, netlist);
        case RootKind::Host: {
            const Place place = find_op(netlist, root.op);
            if (place.op && place.op->cfg.untilize)
                return {
                    fmt::format("untilize_output: false for '{}', or its queue in DRAM: host memory receives its "
                                "rows one by one",
                                cause.op)};
            return {"queues in DRAM instead of host memory", "more entries, pushed earlier and fetched later",
                    "a narrower format"};
        }
        case RootKind::Ethernet:
            return {"cut the graph elsewhere, or keep both ops on one chip", "a narrower format across the link",
                    "smaller blocks and more buffers of the op that crosses"};
        case RootKind::NocLink:
            return {"other positions (grid_loc) for ops whose routes share the link", "a narrower format"};
        case RootKind::Pipe:
            return against_pipe(cause, netlist);
        case RootKind::Reads:
            return {fmt::format("a larger input_dram_io_buf_size_tiles of '{}' and blocks as '{}' is stored", cause.op,
                                cause.other),
                    fmt::format("a larger grid of queue '{}', over more channels", cause.other)};
        case RootKind::Writes:
            return {fmt::format("a larger buf_size_mb of '{}'", cause.op),
                    fmt::format("a larger grid of queue '{}', over more channels", cause.other)};
        case RootKind::Sends: {
            const Place place = find_op(netlist, root.op);
            Words words;
            if (place.op) words.push_back(larger_grid(*place.op, *place.graph, cause.op) + ": more cores send");
            words.emplace_back("a narrower out_df");
            words.push_back(fmt::format("fewer readers of '{}': a nop in between forwards it", cause.op));
            return words;
        }
        case RootKind::Buffer:
            return against_buffer(cause, netlist);
        case RootKind::Entries:
            return {fmt::format("the epoch that writes queue '{}' is late: apply its remedies first", cause.other),
                    "both graphs in one epoch, joined by a pipe"};
        case RootKind::Load:
            return {"fewer and longer epochs: more inputs per execute (input_count), several graphs in one",
                    "ops of the next epoch on free cores"};
    }
    return {};
}

}  // namespace ttsim::impl::report
