#include "trace/wait_graph.hpp"

#include <algorithm>

namespace tt::trace {

namespace {

void add_nodes(Reader& trace, const EpochUse& epoch, WaitGraph& graph) {
    Statement query(trace.database(),
                    "SELECT o.id, o.chip, o.grid_r * o.grid_c, o.name, o.type, c.start, c.end, c.busy + c.wait_dst + "
                    "c.wait_pack + c.drain, c.wait_noc, c.wait_dram, c.wait_output, c.wait_source, c.wait_room "
                    "FROM op_core c JOIN op o ON o.id = c.op WHERE c.epoch = ? ORDER BY c.core");
    query.bind(1, epoch.id);
    while (query.step()) {
        WaitNode node;
        node.id = query.whole(0);
        node.chip = query.whole(1);
        node.cores = query.whole(2);
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
    return query.null(column) ? std::nullopt : std::optional(query.whole(column));
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
        edge.writer = query.whole(0) != 0;
        if (!edge.writer) {
            edge.to_op = query.whole(1);
            edge.operand = query.whole(2);
        }
        edge.from_op = optional_id(query, 3);
        edge.queue = optional_id(query, 4);
        edge.wait_source = query.real(5);
        edge.wait_room = query.real(6);
        edge.in_flight = query.real(7);
        graph.edges.push_back(edge);
    }
}

void add_queues(Reader& trace, WaitGraph& graph) {
    Statement query(trace.database(),
                    "SELECT q.id, q.name, q.place = 'host', q.chip, json_extract(b.value, '$[0]'), EXISTS (SELECT 1 "
                    "FROM flow f WHERE f.kind = 'writer' AND f.queue = q.id) FROM queue q LEFT JOIN "
                    "json_each(q.buffers) b ORDER BY q.id");
    while (query.step()) {
        WaitQueue& queue = graph.queues[query.whole(0)];
        queue.name = query.text(1);
        queue.host = query.whole(2) != 0;
        queue.chip = query.whole(3);
        if (!query.null(4)) queue.channels.push_back(query.whole(4));
        queue.written = query.whole(5) != 0;
    }
}

void add_resources(Reader& trace, WaitGraph& graph) {
    Statement query(trace.database(),
                    "SELECT r.kind, r.name, r.chip, coalesce(r.channel, -1), coalesce(r.to_chip, -1), sum(l.busy * "
                    "(min(l.start + run.bucket_cycles, ?2) - max(l.start, ?1)) / run.bucket_cycles) AS used FROM run, "
                    "load l JOIN resource r ON r.id = l.resource WHERE l.busy > 0 AND l.start < ?2 AND l.start + "
                    "run.bucket_cycles > ?1 GROUP BY r.id ORDER BY used DESC, r.id");
    query.bind(1, graph.first);
    query.bind(2, graph.last);
    while (query.step()) {
        WaitResource resource{query.text(0), query.text(1), query.whole(2), query.whole(3), query.whole(4), 0};
        resource.busy = query.real(5);
        graph.resources.push_back(std::move(resource));
    }
}

}  // namespace

WaitGraph wait_graph(Reader& trace, const EpochUse& epoch) {
    WaitGraph graph;
    add_nodes(trace, epoch, graph);
    if (graph.nodes.empty()) return graph;
    add_edges(trace, epoch, graph);
    add_queues(trace, graph);
    // ops of another chip may have packed nothing yet; a damaged trace may name none at all
    std::erase_if(graph.edges, [&](const WaitEdge& e) {
        const auto lost = [](const auto& known, const auto& id) { return id && !known.contains(*id); };
        return lost(graph.nodes, e.from_op) || lost(graph.nodes, e.to_op) || lost(graph.queues, e.queue);
    });
    add_resources(trace, graph);
    return graph;
}

}  // namespace tt::trace
