// Checks the programs of a graph that is trained: which phase reads what, and what replaces a parameter.
#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

std::string_view to_string(Phase phase) {
    switch (phase) {
        case Phase::Forward:
            return "forward";
        case Phase::Backward:
            return "backward";
        case Phase::Optimizer:
            break;
    }
    return "optimizer";
}

/// Backward programs run after forward ones, optimizers after both. Gradients reach an optimizer through states.
static void check_phases(const Graph& graph, const Node& node, Diagnostics& problems) {
    for (const Edge& edge : node.inputs) {
        const Node& from = graph.nodes[edge.value];
        if (node.is_result() && node.phase != from.phase)
            problems.error(node.loc, "'{}' of the {} program is a result of '{}' of the {} program; both are of one",
                           node.name, to_string(node.phase), from.name, to_string(from.phase));
        else if (from.phase > node.phase && !from.is_input() && !from.is_constant())
            problems.error(node.loc, "'{}' of the {} program reads '{}' of the {} program, which runs later", node.name,
                           to_string(node.phase), from.name, to_string(from.phase));
    }
}

static void check_parameter(const Graph& graph, const Node& node, Diagnostics& problems) {
    if (!node.type.format && node.initial->dims() != node.type.dims)
        problems.error(node.loc, "'{}' is {} and has the initial value of another shape", node.name,
                       to_string(node.type));
    if (!node.has(attr::state)) return;
    const std::string name = node.get(attr::state);
    const Node* found = nullptr;
    for (const Output& output : graph.outputs) {
        if (output.name != name) continue;
        const Node& from = graph.nodes[output.value];
        if (found)
            problems.error(node.loc, "two values replace parameter '{}': '{}' and '{}'", node.name, found->name,
                           from.name);
        else if (from.phase == Phase::Forward)
            problems.error(node.loc,
                           "parameter '{}' is replaced by '{}' of the forward program; make that one of the optimizer",
                           node.name, from.name);
        else if (!node.type.format && from.type != node.type)
            problems.error(node.loc, "parameter '{}' is {} and is replaced by '{}', {}", node.name,
                           to_string(node.type), from.name, to_string(from.type));
        found = &from;
    }
    if (!found) problems.error(node.loc, "nothing replaces parameter '{}'; add 'output \"{}\" = ...'", node.name, name);
}

void check_programs(const Graph& graph, Diagnostics& problems) {
    for (const Node& node : graph.nodes) {
        check_phases(graph, node, problems);
        if (node.is_parameter()) check_parameter(graph, node, problems);
    }
}

}  // namespace ttsim::impl::ir
