// graph_descriptor/, queue_descriptor/ and metadata/: placement of ops, and memory of queues.
#include "analysis/exports/perf_parts.hpp"
#include "analysis/exports/text_files.hpp"

namespace ttsim::impl::report {

namespace {

Json op_inputs(const Netlist& netlist, const Op& op) {
    Json inputs = Json::array();
    for (std::size_t k = 0; k < op.inputs.size(); ++k)
        inputs.push_back(
            {{"name", op.inputs[k]}, {"type", netlist.find_queue(op.inputs[k]) ? "queue" : "op"}, {"index", k}});
    return inputs;
}

/// Ops and queues that read each op, by name of the op.
std::map<std::string, Json> op_outputs(const Netlist& netlist) {
    std::map<std::string, Json> outputs;
    const auto add = [&](const std::string& from, const std::string& name, const char* type) {
        Json& list = outputs.try_emplace(from, Json::array()).first->second;
        list.push_back({{"name", name}, {"type", type}});
    };
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops)
            for (const std::string& input : op.inputs) add(input, op.name(), "op");
    for (const Queue& queue : netlist.queues) add(queue.input, queue.name, "queue");
    return outputs;
}

Json cores_to_ops(ExportSource& source, const Graph& graph, const std::map<std::string, Json>& outputs) {
    Json cores = Json::object();
    trace::Statement query(source.trace().database(),
                           "SELECT o.name, o.type, o.grid_c, c.n, c.x, c.y FROM core c JOIN op o ON o.id = c.op WHERE "
                           "o.graph = ? ORDER BY c.id");
    query.bind(1, std::string_view(graph.name));
    while (query.step()) {
        const Op& op = source.op(graph.name, query.text(0));
        const std::int64_t columns = std::max<std::int64_t>(1, query.integer(2)), n = query.integer(3);
        const Json inputs = op_inputs(source.netlist(), op);
        const auto found = outputs.find(op.name());
        const Json read_by = found == outputs.end() ? Json::array() : found->second;
        cores[fmt::format("{}-{}", query.integer(4), query.integer(5))] = {
            {"op-name", op.name()},
            {"op-type", query.text(1)},
            {"logical-core-id", fmt::format("{}-{}", n / columns, n % columns)},
            {"inputs", inputs},
            {"num-inputs", inputs.size()},
            {"outputs", read_by},
            {"num-outputs", read_by.size()}};
    }
    return cores;
}

Json queue_entry(const Queue& queue) {
    Json places = Json::array();
    for (const BufferAddress& at : queue.buffers)
        places.push_back({{"channel", at.channel}, {"subchannel", -1}, {"address", at.address}});
    const Blocking& b = queue.blocking;
    return {{"input", queue.input},
            {"device-id", queue.device()},
            {"entries", queue.entries},
            {"grid-size", {b.grid_r, b.grid_c}},
            {"data-format", to_string(queue.df)},
            {"tile-dim", {queue.tile.h, queue.tile.w}},
            {"type", queue.type == QueueType::Ram ? "ram" : "queue"},
            {"location", queue.where == QueueLoc::Host ? "HOST" : "DRAM"},
            {"allocation-info", std::move(places)},
            {"layout", queue.layout == QueueLayout::Flat ? "flat" : "tilized"},
            {"alias", queue.alias},
            {"block-dim",
             {{"t", b.t},
              {"ublock_rt", b.ublock_rt},
              {"ublock_ct", b.ublock_ct},
              {"mblock_m", b.mblock_m},
              {"mblock_n", b.mblock_n}}}};
}

}  // namespace

void write_descriptors(ExportSource& source, const std::string& folder) {
    const std::map<std::string, Json> outputs = op_outputs(source.netlist());
    for (const Graph& graph : source.netlist().graphs) {
        write_json(folder, fmt::format("graph_descriptor/{}/cores_to_ops.json", file_name(graph.name)),
                   cores_to_ops(source, graph, outputs));
        write_json(folder, fmt::format("metadata/{}.json", file_name(graph.name)),
                   {{"arch_name", source.setup().arch}});
    }
    Json queues = Json::object();
    for (const Queue& queue : source.netlist().queues) queues[queue.name] = queue_entry(queue);
    write_json(folder, "queue_descriptor/queue_descriptor.json", queues);
}

}  // namespace ttsim::impl::report
