// How a constant is computed from constants of the model, so that those can be replaced in a compiled model.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct Derivation {
    std::vector<std::string> of;  ///< names of the model's constants; if several, none can be replaced
    struct Step {
        Node node;                         ///< op and attributes
        std::vector<LiteralPtr> operands;  ///< null: the result of the previous step
        std::size_t result = 0;            ///< of the node's results
    };
    std::vector<Step> steps;  ///< empty if `of` has several names
    Type type;                ///< of the result
    /// Layout on the device: for each element of the tensor its index in the result of the steps. Negative: the element
    /// is 0.
    struct Placement {
        Dims dims;  ///< {z, rows, cols}, whole tiles
        std::function<std::int64_t(std::int64_t z, std::int64_t r, std::int64_t c)> from;
    };
    std::optional<Placement> placement;  ///< none: identity_placement(), padded with 0
    /// Largest magnitude of replacement values for which the device's ops are right. Finite only for constants that are
    /// repeated into padding.
    double largest = std::numeric_limits<double>::infinity();
    bool fixed = false;  ///< decisions of the compiler depend on the values, so they cannot be replaced
};
using DerivationPtr = std::shared_ptr<const Derivation>;

/// Starts tracking: each constant of the graph is from here on derived from its name in the model.
void begin_derivations(Graph& graph);
/// Derivation of a result of a node that was folded; null when no operand has a derivation.
DerivationPtr derive(const Graph& graph, const Node& node, std::size_t result = 0);
/// The constant for replacement values of the model's constant.
Literal apply_derivation(const Derivation& derivation, const Literal& value);

/// For each stored element its index in the model's tensor; -1: it is 0. Throws as undo_derivation().
std::vector<std::int64_t> stored_elements(const Derivation& derivation, const Dims& model);

/// The model's tensor from its stored form, for a derivation that only moves elements. `stored`: {z, rows, cols}.
/// Throws Error(Internal) if the derivation computes or drops elements.
Literal undo_derivation(const Derivation& derivation, const Type& model, std::span<const float> stored);

/// The layout of a constant without placement, as a tensor {z, rows, cols} of whole tiles.
Derivation::Placement identity_placement(const Type& type, const Dims& tensor);

/// The same derivation with `fixed` set; null for null.
DerivationPtr as_fixed(const DerivationPtr& derivation);

/// Name of a constant in the model.
std::string parameter_name(const Node& node);

}  // namespace ttsim::impl::ir
