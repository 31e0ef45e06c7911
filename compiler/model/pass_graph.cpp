#include "compiler/model/pass_graph.hpp"

#include <fmt/format.h>

#include <array>

#include <nlohmann/json.hpp>

namespace ttsim::impl::ir {

namespace {

using PassJson = nlohmann::ordered_json;

PassJson edge_json(const Edge& edge) {
    if (edge.tms.empty()) return edge.value;
    std::string tms;
    for (const Tm& tm : edge.tms) tms += (tms.empty() ? "" : ", ") + ttsim::impl::to_string(tm);
    return {edge.value, tms};
}

PassJson node_json(const Node& node) {
    PassJson json{{"name", node.name}, {"op", node.op.name()}};
    PassJson in = PassJson::array();
    for (const Edge& edge : node.inputs) in.push_back(edge_json(edge));
    json["in"] = std::move(in);
    json["type"] = types_text(node);
    if (!node.origin.empty()) json["origin"] = node.origin;
    if (!node.kind.empty()) json["kind"] = node.kind;
    if (node.phase != Phase::Forward) json["phase"] = to_string(node.phase);
    PassJson attrs = PassJson::object();
    for (const auto& [key, value] : node.attrs)
        std::visit([&attrs, &name = key](const auto& v) { attrs[name] = v; }, value);
    if (!attrs.empty()) json["attrs"] = std::move(attrs);
    return json;
}

}  // namespace

std::string pass_graph_json(const Graph& graph) {
    PassJson nodes = PassJson::array(), outputs = PassJson::array();
    for (const Node& node : graph.nodes) nodes.push_back(node_json(node));
    for (const Output& output : graph.outputs) outputs.push_back({output.name, output.value});
    const PassJson json{{"nodes", std::move(nodes)}, {"outputs", std::move(outputs)}};
    return json.dump(-1, ' ', false, PassJson::error_handler_t::replace) + "\n";
}

std::string stage_name(std::string_view pass, int time) {
    struct Stage {
        std::string_view pass;
        int time;
        std::string_view name;
    };
    static constexpr std::array<Stage, 5> stages{{{"decompose-elementwise", 1, "decomposed"},
                                                  {"fold-constants", 2, "consteval"},
                                                  {"cut-host", 2, "optimized"},
                                                  {"erase-unused", 1, "pre_lowering"},
                                                  {"fuse-ops", 1, "pre_placer"}}};
    for (const Stage& stage : stages)
        if (stage.pass == pass && stage.time == time) return std::string(stage.name);
    return "";
}

PassRecord::PassRecord(const Graph& initial) { kept_.push_back({"00-initial", pass_graph_json(initial)}); }

void PassRecord::add(std::string_view pass, const Graph& left) {
    const int time = ++times_.try_emplace(std::string(pass), 0).first->second;
    ++number_;
    std::string json = pass_graph_json(left);
    const std::string stage = stage_name(pass, time);
    // stages are recorded even if the pass changed nothing
    if (stage.empty() && json == kept_.back().json) return;
    std::string name = fmt::format("{:02}-{}", number_, pass);
    if (time > 1) name += fmt::format("-{}", time);
    if (!stage.empty()) name += "." + stage;
    kept_.push_back({std::move(name), std::move(json)});
}

}  // namespace ttsim::impl::ir
