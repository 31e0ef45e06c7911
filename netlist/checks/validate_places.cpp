// Rules of placement: chips, core grids, DRAM channels and addresses, Ethernet channels.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kernels/ops/op_def.hpp"
#include "netlist/checks/instances.hpp"
#include "netlist/checks/validate_parts.hpp"
#include "netlist/program/queue_state.hpp"

namespace ttsim::impl::checking {

namespace {

bool is_ethernet(const Op& op) { return op.cfg.type == "ethernet_datacopy"; }

std::string chips_text(std::int64_t chips) {
    return chips == 1 ? std::string("chip 0 only") : fmt::format("chips 0..{}", chips - 1);
}

void check_chip_id(Validation& v, std::int64_t chip, const SourceLoc& loc, const std::string& what) {
    if (chip >= v.chips) v.out.error(loc, "{} is on chip {}; the machine has {}", what, chip, chips_text(v.chips));
}

/// Assigns cores to the ops of a graph; a core may belong to one op only.
class CoreMap {
public:
    CoreMap(Validation& v, const Graph& graph)
        : v_(v), graph_(graph), owner_(static_cast<std::size_t>(v.grid.rows * v.grid.cols)) {}

    void place(const Op& op) {
        const Blocking& b = op.cfg.out;
        const std::int64_t rows = op.grid_transpose ? b.grid_c : b.grid_r;
        const std::int64_t cols = op.grid_transpose ? b.grid_r : b.grid_c;
        if (op.grid_loc_r + rows > v_.grid.rows || op.grid_loc_c + cols > v_.grid.cols) {
            v_.out.error(op.cfg.loc, "op '{}' uses cores [{}, {}] to [{}, {}]; the grid has {} rows and {} columns",
                         op.cfg.name, op.grid_loc_r, op.grid_loc_c, op.grid_loc_r + rows - 1, op.grid_loc_c + cols - 1,
                         v_.grid.rows, v_.grid.cols);
            return;
        }
        for (std::int64_t r = op.grid_loc_r; r < op.grid_loc_r + rows; ++r)
            for (std::int64_t c = op.grid_loc_c; c < op.grid_loc_c + cols; ++c) {
                const Op*& owner = owner_[static_cast<std::size_t>(r * v_.grid.cols + c)];
                if (owner) {
                    v_.out.error(op.cfg.loc, "op '{}' uses core [{}, {}], which op '{}' of graph '{}' already uses",
                                 op.cfg.name, r, c, owner->cfg.name, graph_.name);
                    return;
                }
                owner = &op;
            }
    }

private:
    Validation& v_;
    const Graph& graph_;
    std::vector<const Op*> owner_;
};

void check_channels(Validation& v, const Op& op, const std::vector<std::int64_t>& channels, const char* what) {
    if (channels.empty()) return;
    const std::int64_t wanted = op.cfg.out.cores();
    if (std::cmp_not_equal(channels.size(), wanted))
        v.out.error(op.cfg.loc, "op '{}' has {} {} for a grid of {}", op.cfg.name, channels.size(), what, wanted);
    std::vector<std::int64_t> sorted = channels;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        v.out.error(op.cfg.loc, "{} of op '{}' name channel {} twice", what, op.cfg.name, *twice);
    if (sorted.back() >= v.grid.eth_channels)
        v.out.error(op.cfg.loc, "{} of op '{}' name channel {}; the chip has {} Ethernet channels", what, op.cfg.name,
                    sorted.back(), v.grid.eth_channels);
}

void check_ethernet(Validation& v, const Graph& graph, const Op& op) {
    const SourceLoc& loc = op.cfg.loc;
    const std::string& name = op.cfg.name;
    if (!v.chip.features.cross_graph_ops) return;  // reported by the op's own check
    if (op.cfg.out.grid_r != 1)
        v.out.error(loc, "op '{}' is an ethernet_datacopy with grid_size {}x{}; it must be 1xN", name,
                    op.cfg.out.grid_r, op.cfg.out.grid_c);
    if (op.cfg.out.grid_c > v.grid.eth_channels)
        v.out.error(loc, "op '{}' takes {} Ethernet channels; the chip has {}", name, op.cfg.out.grid_c,
                    v.grid.eth_channels);
    const std::int64_t to = op.cfg.attr.dest_device;
    if (to == graph.device()) {
        v.out.error(loc, "op '{}' copies to chip {}, its own chip; dest_device must be another chip", name, to);
    } else {  // a missing device is reported by the op's own check
        check_chip_id(v, to, loc, "the destination of op '" + name + "'");
    }
    check_channels(v, op, op.cfg.attr.ingress_channels, "ingress_channels");
    check_channels(v, op, op.cfg.attr.egress_channels, "egress_channels");
}

void check_buffers(Validation& v, const Queue& queue) {
    if (queue.where != QueueLoc::Dram) return;
    // Divided instead of multiplied, to prevent overflow.
    const std::int64_t slot_tiles = queue.blocking.t * queue.blocking.mblock_tiles();
    const std::int64_t channel_bytes = v.grid.dram_channel_bytes;
    if (queue.entries > channel_bytes / std::max<std::int64_t>(slot_tiles, 1)) {
        v.out.error(queue.loc, "queue '{}' has {} entries of {} tiles; a DRAM channel has {} bytes", queue.name,
                    queue.entries, slot_tiles, channel_bytes);
        return;
    }
    const auto bytes = static_cast<std::uint64_t>(queue_buffer_bytes(queue));
    // One message per queue: if one buffer is wrong, usually all are.
    for (std::size_t k = 0; k < queue.buffers.size(); ++k) {
        const BufferAddress& at = queue.buffers[k];
        if (at.channel >= v.grid.dram_channels)
            return v.out.error(queue.loc, "buffer {} of queue '{}' is in DRAM channel {}; the chip has channels 0..{}",
                               k, queue.name, at.channel, v.grid.dram_channels - 1);
        // Addresses are 32 bits wide; on a channel of several blocks, addresses above the size wrap around.
        const auto size = static_cast<std::uint64_t>(channel_bytes);
        const std::uint64_t start = v.chip.dram_blocks > 1 ? at.address % size : at.address;
        if (start + bytes > size)
            return v.out.error(queue.loc, "buffer {} of queue '{}' ends at {:#x}; a DRAM channel ends at {:#x}", k,
                               queue.name, start + bytes, channel_bytes);
    }
}

void check_queue(Validation& v, const Queue& queue) {
    check_chip_id(v, queue.device(), queue.loc, "queue '" + queue.name + "'");
    check_buffers(v, queue);
    if (queue.tile != TileDim{} && !v.chip.features.tiny_tiles)
        v.out.error(queue.loc, "queue '{}' has tile_dim {}; this chip has 32x32 tiles only", queue.name, queue.tile);
    if (queue.tile != TileDim{} && (queue.df == DataFormat::Int8 || queue.df == DataFormat::Int32))
        v.out.error(queue.loc, "queue '{}' has tile_dim {} with df {}; small tiles are for float formats", queue.name,
                    queue.tile, to_string(queue.df));
    if ((!queue.read_ports.empty() || !queue.write_ports.empty()) && !v.chip.features.dram_ports)
        v.out.error(queue.loc, "queue '{}' sets DRAM ports, which this chip does not support", queue.name);
    if (queue.df == DataFormat::Invalid || queue.df == DataFormat::Tf32)
        v.out.error(queue.loc, "queue '{}' has df {}, which is not a memory format", queue.name, to_string(queue.df));
}

/// Queues that programs allocate and free may share memory at different times.
std::set<std::string_view> dynamic_queues(const Netlist& netlist) {
    std::set<std::string_view> names;
    for (const Program& program : netlist.programs)
        for (const Instruction& instruction : program.instructions)
            if (instruction.kind == Instruction::Kind::Allocate || instruction.kind == Instruction::Kind::Deallocate)
                names.insert(instruction.queues.begin(), instruction.queues.end());
    return names;
}

/// The smallest alignment among the chips of the netlist: one file for several chips has one set of addresses, which
/// its compiler laid out for one of them.
std::int64_t laid_out_alignment(const Validation& v) {
    std::int64_t least = v.chip.features.noc_alignment;
    const std::vector<std::string> known = chip_names();
    for (const std::string& arch : v.netlist.archs)
        if (std::find(known.begin(), known.end(), arch) != known.end())
            least = std::min(least, chip(arch).features.noc_alignment);
    return least;
}

/// Two queues of a graph that are both filled by the host, or both by ops, must not overlap. An output may overlap an
/// input: real models write new states over old ones.
void check_overlaps(Validation& v) {
    std::map<const Queue*, std::set<const Graph*>> users;
    for (const Graph& graph : v.netlist.graphs)
        for (const QueueUse& use : queue_uses(v.netlist, graph)) users[use.queue].insert(&graph);
    const auto together = [&](const Queue* a, const Queue* b) {
        if (a->host_fed() != b->host_fed()) return false;
        return std::any_of(users[a].begin(), users[a].end(),
                           [&](const Graph* graph) { return users[b].contains(graph); });
    };
    struct Extent {
        std::uint64_t start, end;
        const Queue* queue;
    };
    const std::int64_t alignment = laid_out_alignment(v);
    const std::set<std::string_view> dynamic = dynamic_queues(v.netlist);
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Extent>> channels;  // (chip, channel)
    for (const Queue& queue : v.netlist.queues) {
        if (queue.where != QueueLoc::Dram || !queue.alias.empty() || dynamic.contains(queue.name)) continue;
        Queue laid_out = queue;
        laid_out.alignment = alignment;
        const auto bytes = static_cast<std::uint64_t>(queue_buffer_bytes(laid_out));
        for (const BufferAddress& at : queue.buffers)
            channels[{queue.device(), at.channel}].push_back({at.address, at.address + bytes, &queue});
    }
    std::set<std::pair<const Queue*, const Queue*>> reported_pairs;
    for (auto& [place, extents] : channels) {
        std::stable_sort(extents.begin(), extents.end(),
                         [](const Extent& a, const Extent& b) { return a.start < b.start; });
        for (std::size_t i = 1; i < extents.size(); ++i) {
            const Extent &low = extents[i - 1], &high = extents[i];
            if (high.start >= low.end || high.queue == low.queue || !together(low.queue, high.queue)) continue;
            if (!reported_pairs.insert({low.queue, high.queue}).second) continue;
            v.out.error(high.queue->loc, "queues '{}' and '{}' overlap in DRAM channel {} of chip {} at {:#x}",
                        low.queue->name, high.queue->name, place.second, place.first, high.start);
        }
    }
}

}  // namespace

void check_places(Validation& v) {
    for (const Queue& queue : v.netlist.queues) check_queue(v, queue);
    if (v.out.empty()) check_overlaps(v);  // wrong sizes would also be reported as overlaps
    for (const Graph& graph : v.netlist.graphs) {
        check_chip_id(v, graph.device(), graph.loc, "graph '" + graph.name + "'");
        CoreMap cores(v, graph);
        for (const Op& op : graph.ops) {
            if (is_ethernet(op))
                check_ethernet(v, graph, op);
            else
                cores.place(op);
        }
    }
}

}  // namespace ttsim::impl::checking
