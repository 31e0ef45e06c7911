#include "compiler/ir/derivation.hpp"

#include <algorithm>

#include "compiler/ir/op_table.hpp"

namespace tt::ir {

std::string parameter_name(const Node& node) { return node.origin.empty() ? node.name : node.origin; }

void begin_derivations(Graph& graph) {
    for (Node& node : graph.nodes)
        if (node.is_constant())
            node.derivation = std::make_shared<Derivation>(Derivation{{parameter_name(node)}, {}, node.type});
}

DerivationPtr derive(const Graph& graph, const Node& node) {
    auto made = std::make_shared<Derivation>();
    made->type = node.type;
    Derivation::Step step{node, {}};
    for (const Edge& edge : node.inputs) {
        const Node& operand = graph.nodes[edge.value];
        step.operands.push_back(operand.derivation ? nullptr : operand.literal);
        if (!operand.derivation) continue;
        if (made->of.empty()) made->steps = operand.derivation->steps;
        made->of.insert(made->of.end(), operand.derivation->of.begin(), operand.derivation->of.end());
    }
    if (made->of.empty()) return nullptr;
    if (made->of.size() > 1)
        made->steps.clear();
    else
        made->steps.push_back(std::move(step));
    return made;
}

Literal derived(const Derivation& derivation, const Literal& value) {
    Literal now = value;
    for (const Derivation::Step& step : derivation.steps) {
        std::vector<const Literal*> operands;
        for (const LiteralPtr& operand : step.operands) operands.push_back(operand ? operand.get() : &now);
        now = find_op(step.node.op)->eval(step.node, operands);
    }
    return now;
}

}  // namespace tt::ir
