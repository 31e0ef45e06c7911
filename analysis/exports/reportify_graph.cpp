// Graphs as .buda files.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "analysis/exports/reportify_parts.hpp"

namespace ttsim::impl::report {

namespace {

using Json = nlohmann::ordered_json;

/// "f32[4, 64]" -> 4, 64.
std::vector<std::int64_t> dims_in(const std::string& type) {
    std::vector<std::int64_t> dims;
    const std::size_t open = type.find('[');
    const char* at = type.data() + (open == std::string::npos ? type.size() : open + 1);
    const char* const end = type.data() + type.size();
    while (at < end) {
        std::int64_t dim = 0;
        const auto [next, error] = std::from_chars(at, end, dim);
        if (error == std::errc()) dims.push_back(dim);
        at = next == at ? at + 1 : next;
    }
    return dims;
}

/// Common fields of a node; add_edge() adds the edges.
Json buda_node(const std::string& name, std::size_t id, const std::string& opcode) {
    return {{"pybuda", 1},
            {"name", name},
            {"unique_id", id},
            {"opcode", opcode},
            {"input_nodes", Json::array()},
            {"output_nodes", Json::array()},
            {"incoming_edge_port_info", Json::array()},
            {"outgoing_edge_port_info", Json::array()},
            {"input_node_to_edge_type", Json::object()},
            {"epoch", 0},
            {"epoch_type", "Forward"}};
}

class BudaGraph {
public:
    void add(Json node) {
        const std::string name = node.at("name");
        order_.push_back(name);
        nodes_[name] = std::move(node);
    }
    std::size_t size() const { return order_.size(); }
    bool has(const std::string& name) const { return nodes_.contains(name); }
    Json& at(const std::string& name) { return nodes_.at(name); }
    /// `more`: text after the port, such as " ublock_order(r)" between device ops.
    void add_edge(const std::string& from, const std::string& to, std::size_t port, const std::string& more,
                  const std::string& tms) {
        Json &source = at(from), &target = at(to);
        target["input_nodes"].push_back(from);
        target["incoming_edge_port_info"].push_back(fmt::format("Data: {} (port_{}){}", from, port, more));
        target["input_node_to_edge_type"][from] = "Data";
        Json list = Json::array();
        if (!tms.empty()) list.push_back({{"type", tms}, {"attrs", Json::array()}});
        target["input_tms"].push_back(std::move(list));
        source["output_nodes"].push_back(to);
        source["outgoing_edge_port_info"].push_back(fmt::format("Data: {} (port_{}){}", to, port, more));
    }
    Json json() {
        Json nodes = Json::object();
        for (const std::string& name : order_) nodes[name] = std::move(nodes_.at(name));
        return {{"graph", Json::object()}, {"topological_sorted_nodes", order_}, {"nodes", std::move(nodes)}};
    }

private:
    std::vector<std::string> order_;
    std::map<std::string, Json> nodes_;
};

Json op_type_json(const std::string& type, const Json& attrs) {
    Json list = Json::array();
    for (const auto& [name, value] : attrs.items()) list.push_back(value);
    return {{"type", type}, {"attrs", std::move(list)}, {"buda_attrs", Json::object()}, {"named_attrs", attrs}};
}

/// "matmul", "softmax(1,)".
std::string op_class(const std::string& type, const Json& attrs) {
    if (attrs.empty()) return type;
    std::string text = type + "(";
    for (const auto& [name, value] : attrs.items()) text += value.dump() + ",";
    return text + ")";
}

void describe_op(Json& node, const std::string& type, const Json& attrs, bool device) {
    node["class"] = op_class(type, attrs);
    node["type"] = type;
    node["ir"] = device ? "buda" : "pybuda";
    node["op_type"] = op_type_json(type, attrs);
    node["gradient_op"] = false;
}

Json pass_node(const Json& node, std::size_t id) {
    const std::string op = node.at("op"), name = node.at("name"), type = node.at("type");
    const bool input = op == "input", constant = op == "constant", device = op.starts_with("buda.");
    Json json = buda_node(name, id, input || constant ? "Input" : device ? "BudaOp" : "PyBudaOp");
    std::vector<std::int64_t> dims = dims_in(type);
    // types of device ops are in tiles: slices, rows, columns
    const bool tiles = !type.starts_with("f32") && dims.size() == 3 && type.find('_') != std::string::npos;
    if (tiles) dims = {1, dims[0], dims[1] * tile_edge, dims[2] * tile_edge};
    json["cache"] = {{"shape", dims}};
    json["output_df"] = type.substr(0, type.find('['));
    const Json attrs = node.value("attrs", Json::object());
    if (input) {
        json["class"] = "Input::";
        json["type"] = "Input::input";
        json["queue_type"] = "input";
        json["memory_access"] = "FIFO";
    } else if (constant) {
        json["class"] = "constant";
        json["type"] = "Constant";
        json["constant_dims"] = dims;
    } else {
        describe_op(json, device ? op.substr(5) : op, attrs, device);
    }
    Json tags = Json::object();
    if (node.contains("origin")) tags["original_op_name"] = node.at("origin");
    if (node.contains("kind")) tags["original_op_type"] = node.at("kind");
    if (!tags.empty()) json["tags"] = std::move(tags);
    return json;
}

Json queue_node(const Queue& queue, std::size_t id, bool read) {
    const bool output = !read && !queue.host_fed();
    Json json = buda_node(queue.name, id, queue.host_fed() ? "Input" : output ? "Output" : "Queue");
    const TileShape shape = queue.shape();
    json["cache"] = {{"shape", {1, shape.z, shape.rt * queue.tile.h, shape.ct * queue.tile.w}}};
    const bool parameter = queue.type == QueueType::Ram;
    json["class"] = queue.host_fed() ? "Input::" : output ? "Output" : "BudaDramQueue::";
    json["type"] = queue.host_fed() ? (parameter ? "Input::parameter" : "Input::input")
                   : output         ? "Output"
                                    : "BudaDramQueue::";
    json["output_df"] = to_string(queue.df);
    json["queue_type"] = queue.host_fed() ? "input" : output ? "output" : "epoch_to_epoch";
    json["memory_access"] = parameter ? "RAM" : "FIFO";
    json["is_cross_epoch_type"] = !queue.host_fed() && !output;
    json["chip_id"] = queue.device();
    return json;
}

Json buffer_json(const Blocking& b, std::int64_t factor, DataFormat format) {
    return {{"block_shape",
             {{"t", b.t},
              {"tblock_m", 1},
              {"tblock_n", 1},
              {"mblock_m", b.mblock_m},
              {"mblock_n", b.mblock_n},
              {"ublock_rt", b.ublock_rt},
              {"ublock_ct", b.ublock_ct}}},
            {"buffer_factor", factor},
            {"l1_size_tiles", factor * b.mblock_tiles()},
            {"data_format", to_string(format)}};
}

Json placed_op(const Op& op, const Graph& graph, std::size_t id, std::size_t epoch) {
    const OpConfig& cfg = op.cfg;
    Json json = buda_node(op.name(), id, "BudaOp");
    const TileShape shape = op.shape();
    json["cache"] = {{"shape", {1, shape.z, shape.rt * cfg.tile.h, shape.ct * cfg.tile.w}}};
    Json attrs = Json::object();
    if (cfg.attr.m_k > 0) attrs["m_k"] = cfg.attr.m_k;
    if (cfg.attr.u_kt > 0) attrs["u_kt"] = cfg.attr.u_kt;
    describe_op(json, cfg.type, attrs, true);
    json["epoch"] = epoch;
    json["chip_id"] = graph.device();
    const std::int64_t rows = op.grid_transpose ? cfg.out.grid_c : cfg.out.grid_r;
    const std::int64_t columns = op.grid_transpose ? cfg.out.grid_r : cfg.out.grid_c;
    json["grid_start"] = {op.grid_loc_r, op.grid_loc_c};
    json["grid_end"] = {op.grid_loc_r + rows, op.grid_loc_c + columns};
    json["intermediate_df"] = to_string(cfg.intermed_df);
    json["accumulate_df"] = to_string(cfg.acc_df);
    json["fidelity"] = to_string(cfg.fidelity);
    json["output_df"] = to_string(cfg.out_df);
    json["op_model"] = {{"op_type", cfg.type},
                        {"grid_shape", {cfg.out.grid_r, cfg.out.grid_c}},
                        {"t_stream_factor", {{"dir", cfg.out.t > 1 ? "R" : "None"}, {"factor", {cfg.out.t, 1}}}},
                        {"outputs", {buffer_json(cfg.out, op.buf_size_mb, cfg.out_df)}}};
    return json;
}

std::string edge_tms(const Op& op, std::size_t k) {
    std::string text;
    if (k < op.tms.size())
        for (const Tm& tm : op.tms[k].tms) text += (text.empty() ? "" : ", ") + to_string(tm);
    return text;
}

}  // namespace

Json pass_buda(const Json& pass) {
    BudaGraph graph;
    std::vector<std::string> names;
    for (const Json& node : pass.at("nodes")) {
        graph.add(pass_node(node, graph.size()));
        names.push_back(node.at("name"));
    }
    for (std::size_t n = 0; n < names.size(); ++n) {
        const Json& node = pass.at("nodes")[n];
        const bool device = node.at("op").get<std::string>().starts_with("buda.");
        std::size_t port = 0;
        for (const Json& in : node.at("in")) {
            const std::size_t from = in.is_array() ? in.at(0).get<std::size_t>() : in.get<std::size_t>();
            graph.add_edge(names.at(from), names[n], port++, device ? " ublock_order(r)" : "",
                           in.is_array() ? in.at(1).get<std::string>() : "");
        }
    }
    for (const Json& output : pass.at("outputs")) {
        std::string name = output.at(0);
        const std::string from = names.at(output.at(1).get<std::size_t>());
        while (graph.has(name)) name += "_output";
        Json node = buda_node(name, graph.size(), "Output");
        node["cache"] = graph.at(from).at("cache");
        node["class"] = node["type"] = "Output";
        node["queue_type"] = "output";
        graph.add(std::move(node));
        graph.add_edge(from, name, 0, "", "");
    }
    return graph.json();
}

Json netlist_buda(const Netlist& netlist, std::optional<std::size_t> epoch) {
    std::map<std::string, std::size_t> read_in, written_in;  // queue -> epoch
    for (std::size_t g = 0; g < netlist.graphs.size(); ++g)
        for (const Op& op : netlist.graphs[g].ops) {
            written_in.try_emplace(op.name(), g);
            for (const std::string& input : op.inputs) read_in.try_emplace(input, g);
        }
    const auto touches = [&](const Queue& queue, std::size_t g) {
        const auto writer = written_in.find(queue.input);
        if (writer != written_in.end() && writer->second == g) return true;
        for (const Op& op : netlist.graphs[g].ops)
            if (std::find(op.inputs.begin(), op.inputs.end(), queue.name) != op.inputs.end()) return true;
        return false;
    };
    BudaGraph graph;
    for (const Queue& queue : netlist.queues) {
        if (epoch && !touches(queue, *epoch)) continue;
        const auto reader = read_in.find(queue.name), writer = written_in.find(queue.input);
        Json node = queue_node(queue, graph.size(), reader != read_in.end());
        node["epoch"] = reader != read_in.end() ? reader->second : writer != written_in.end() ? writer->second : 0;
        graph.add(std::move(node));
    }
    const auto shown = [&](std::size_t g) { return !epoch || *epoch == g; };
    for (std::size_t g = 0; g < netlist.graphs.size(); ++g)
        if (shown(g))
            for (const Op& op : netlist.graphs[g].ops) graph.add(placed_op(op, netlist.graphs[g], graph.size(), g));
    for (std::size_t g = 0; g < netlist.graphs.size(); ++g)
        if (shown(g))
            for (const Op& op : netlist.graphs[g].ops)
                for (std::size_t k = 0; k < op.inputs.size(); ++k)
                    if (graph.has(op.inputs[k]))
                        graph.add_edge(op.inputs[k], op.name(), k, " ublock_order(r)", edge_tms(op, k));
    for (const Queue& queue : netlist.queues)
        if (graph.has(queue.name) && graph.has(queue.input))
            graph.add_edge(queue.input, queue.name, 0, " ublock_order(r)", "");
    return graph.json();
}

}  // namespace ttsim::impl::report
