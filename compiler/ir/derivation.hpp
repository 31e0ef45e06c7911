// How the datums of a constant come from a constant of the model, so that other values can take that one's place in a
// model that is compiled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace tt::ir {

struct Derivation {
    std::vector<std::string> of;  ///< names of the model's constants; several: no single one can be replaced
    struct Step {
        Node node;                         ///< op and attributes
        std::vector<LiteralPtr> operands;  ///< null: the value derived so far
    };
    std::vector<Step> steps;  ///< of a single one
    Type type;                ///< of the result
};
using DerivationPtr = std::shared_ptr<const Derivation>;

/// From here on constants of the graph are known by their name in the model.
void begin_derivations(Graph& graph);
/// Of a node that was computed from constants; null when none of them has a derivation.
DerivationPtr derive(const Graph& graph, const Node& node);
/// The constant for other values of the model's.
Literal derived(const Derivation& derivation, const Literal& value);

/// Name of a constant in the model.
std::string parameter_name(const Node& node);

}  // namespace tt::ir
