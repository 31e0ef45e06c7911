#include "analysis/trace/wait_graph.hpp"

#include <algorithm>
#include <optional>

namespace ttsim::impl::trace {

namespace {

void add_nodes(Reader& trace, const EpochUse& epoch, WaitGraph& graph) {
    Statement query(trace.database(),
                    "SELECT o.id, o.chip, o.grid_r * o.grid_c, o.name, o.type, c.start, c.end, c.busy + c.wait_dst + "
                    "c.wait_pack + c.drain, c.wait_noc, c.wait_dram, c.wait_output, c.wait_source, c.wait_room "
                    "FROM op_core c JOIN op o ON o.id = c.op WHERE c.epoch = ? ORDER BY c.core");
    query.bind(1, epoch.id);
    while (query.step()) {
        WaitNode node;
        node.id = query.integer(0);
        node.chip = query.integer(1);
        node.cores = query.integer(2);
        node.name = query.text(3);
        node.type = query.text(4);
        double* const numbers[] = {&node.start, &node.end,    &node.work,   &node.noc,
                                   &node.dram,  &node.output, &node.source, &node.room};
        int column = 5;
        for (double* number : numbers) *number = query.real(column++);
        const auto own = [](const WaitNode& n) { return n.work + n.noc + n.dram + n.output; };
        const auto [found, fresh] = graph.nodes.try_emplace(node.id, node);
        if (!fresh && own(node) > own(found->second)) found->second = node;
    }
    bool any = false;
    for (const auto& [_, node] : graph.nodes) {
        graph.first = any ? std::min(graph.first, node.start) : node.start;
        graph.last = std::max(graph.last, node.end);
        any = true;
    }
    for (auto& [_, node] : graph.nodes) node.source += node.start - graph.first;
}

std::optional<std::int64_t> optional_id(const Statement& query, int column) {
    return query.null(column) ? std::nullopt : std::optional(query.integer(column));
}

void add_edges(Reader& trace, const EpochUse& epoch, WaitGraph& graph) {
    Statement query(
        trace.database(),
        "SELECT f.kind = 'writer', f.op, f.operand, f.from_op, f.queue, max(t.wait_source), "
        "max(t.wait_room), sum(t.in_flight) FROM flow_total t JOIN flow f ON f.id = t.flow WHERE t.epoch = "
        "? AND f.kind != 'resident' GROUP BY f.kind, f.op, f.operand, f.from_op, f.queue ORDER BY min(f.id)");
    query.bind(1, epoch.id);
    while (query.step()) {
        WaitEdge edge;
        edge.writer = query.integer(0) != 0;
        if (!edge.writer) {
            edge.to_op = query.integer(1);
            edge.operand = query.integer(2);
        }
        edge.from_op = optional_id(query, 3);
        edge.queue = optional_id(query, 4);
        edge.wait_source = query.real(5);
        edge.wait_room = query.real(6);
        edge.in_flight = query.real(7);
        graph.edges.push_back(edge);
    }
}

std::map<std::int64_t, WaitQueue> read_queues(Reader& trace) {
    std::map<std::int64_t, WaitQueue> queues;
    Statement query(trace.database(),
                    "SELECT q.id, q.name, q.place = 'host', q.chip, json_extract(b.value, '$[0]') FROM queue q LEFT "
                    "JOIN json_each(q.buffers) b ORDER BY q.id");
    while (query.step()) {
        WaitQueue& queue = queues[query.integer(0)];
        queue.name = query.text(1);
        queue.host = query.integer(2) != 0;
        queue.chip = query.integer(3);
        if (!query.null(4)) queue.channels.push_back(query.integer(4));
    }
    Statement writers(trace.database(), "SELECT DISTINCT queue FROM flow WHERE kind = 'writer' AND queue IS NOT NULL");
    while (writers.step())
        if (const auto found = queues.find(writers.integer(0)); found != queues.end()) found->second.written = true;
    return queues;
}

}  // namespace

WaitGraphs::WaitGraphs(Reader& trace) : trace_(trace), queues_(read_queues(trace)), resources_(all_resources(trace)) {
    Statement cores(trace.database(), "SELECT op, x, y FROM core");
    while (cores.step()) places_[cores.integer(0)].insert({cores.integer(1), cores.integer(2)});
}

void WaitGraphs::add_loads(WaitGraph& graph) const {
    const auto length = static_cast<double>(trace_.run().bucket_cycles);
    if (length <= 0) return;
    for (const Resource& one : resources_) {
        WaitResource resource{one.kind, one.name, one.chip, one.channel, one.to_chip, 0, one.x, one.y, one.direction};
        resource.busy = one.busy_between(length, graph.first, graph.last);
        if (resource.busy > 0) graph.resources.push_back(std::move(resource));
    }
    std::stable_sort(graph.resources.begin(), graph.resources.end(),
                     [](const WaitResource& a, const WaitResource& b) { return a.busy > b.busy; });
}

WaitGraph WaitGraphs::of(const EpochUse& epoch) {
    WaitGraph graph;
    add_nodes(trace_, epoch, graph);
    if (graph.nodes.empty()) return graph;
    for (auto& [id, node] : graph.nodes)
        if (const auto found = places_.find(id); found != places_.end()) node.places = found->second;
    add_edges(trace_, epoch, graph);
    graph.queues = queues_;
    // ops of another chip may have packed nothing yet; a damaged trace may have unknown ids
    std::erase_if(graph.edges, [&](const WaitEdge& e) {
        const auto lost = [](const auto& known, const auto& id) { return id && !known.contains(*id); };
        return lost(graph.nodes, e.from_op) || lost(graph.nodes, e.to_op) || lost(graph.queues, e.queue);
    });
    add_loads(graph);
    return graph;
}

}  // namespace ttsim::impl::trace
