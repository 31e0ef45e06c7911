#include "compiler/host/reference.hpp"

#include <algorithm>
#include <array>

#include "compiler/host/host_value.hpp"
#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr double most_constants = 1 << 20;  // elements
constexpr double most_work = 1e8;           // operations, about a second

double work_of(const Graph& graph) {
    double work = 0;
    for (const Node& node : graph.nodes)
        if (!node.inputs.empty()) {
            std::vector<Type> in;
            for (const Edge& edge : node.inputs) in.push_back(graph.type(edge.value));
            work += host_work(node, in);
        }
    return work;
}

bool is_small(const Graph& graph) {
    double constants = 0;
    for (const Node& node : graph.nodes)
        if (node.is_constant()) constants += static_cast<double>(count(node.type.dims));
    return constants <= most_constants && work_of(graph) <= most_work;
}

/// Whether the host can compute every node.
bool computes(const Graph& graph) {
    return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
        const OpInfo* op = find_op(node.op);
        return node.is_input() || node.is_constant() ||
               (op && (op->has_value() || node.is_result()) && !node.type.format);
    });
}

}  // namespace

std::optional<Graph> reference_graph(const Graph& model) {
    if (!is_small(model)) return std::nullopt;
    Graph graph = model;
    for (Node& node : graph.nodes) {
        node.erase(attr::host);
        node.erase(attr::loop);
        node.erase(attr::iteration);
    }
    decompose_for_host(graph);
    if (!is_small(graph) || !computes(graph)) return std::nullopt;
    return graph;
}

std::optional<Graph> read_reference(const FileSet& files) {
    if (!files.has(reference_file)) return std::nullopt;
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
    const std::string file = files.place(reference_file);
    Graph graph = parse_graph(files.read(reference_file, most_bytes).text(), file);
    if (!computes(graph)) fail_input({file, 0, 0}, "it has an op that the host cannot compute");
    return graph;
}

Reference::Reference(Graph graph, const Graph& inputs, const std::string& file) {
    program_.graph = std::move(graph);
    auto given = inputs.nodes.begin();
    for (Node& node : program_.graph.nodes) {
        if (!node.is_input()) continue;
        given = std::find_if(given, inputs.nodes.end(),
                             [](const Node& other) { return other.is_input() && !other.has(attr::device); });
        if (given == inputs.nodes.end() || given->type != node.type)
            fail_input({file, 0, 0}, "its input '{}' {} is none of host_steps.json", node.name, to_string(node.type));
        node.origin = boundary_name(*given++);
    }
}

std::optional<Values> Reference::outputs(const Values& inputs) const {
    const std::vector<bool> read = read_nodes(program_);
    for (ValueId id = 0; id < read.size(); ++id)
        if (const Node& node = program_.graph.nodes[id];
            node.is_input() && read[id] && inputs.count(boundary_name(node)) == 0)
            return std::nullopt;
    return HostRun(program_, inputs).outputs();
}

std::int64_t Reference::most_samples() const {
    return static_cast<std::int64_t>(std::max(1.0, 2 * most_work / std::max(1.0, work_of(program_.graph))));
}

}  // namespace ttsim::impl::ir
