// How the elements of a constant come from a constant of the model, so that other values can take that one's place in a
// model that is compiled.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct Derivation {
    std::vector<std::string> of;  ///< names of the model's constants; several: no single one can be replaced
    struct Step {
        Node node;                         ///< op and attributes
        std::vector<LiteralPtr> operands;  ///< null: the value derived so far
    };
    std::vector<Step> steps;  ///< of a single one
    Type type;                ///< of the result
    /// On the device, where every element of the tensor comes from: its index in what the steps give; negative: it is
    /// 0.
    struct Placement {
        Dims dims;  ///< {z, rows, cols}, whole tiles
        std::function<std::int64_t(std::int64_t z, std::int64_t r, std::int64_t c)> from;
    };
    std::optional<Placement> placement;  ///< none: as it is, filled up with 0
    /// For values up to so far from 0 the device's ops are right; of one that is repeated into filling elements.
    double largest = std::numeric_limits<double>::infinity();
    bool fixed = false;  ///< what was decided rests on its values: no others can take their place
};
using DerivationPtr = std::shared_ptr<const Derivation>;

/// From here on constants of the graph are known by their name in the model.
void begin_derivations(Graph& graph);
/// Of a node that was computed from constants; null when none of them has a derivation.
DerivationPtr derive(const Graph& graph, const Node& node);
/// The constant for other values of the model's.
Literal derived(const Derivation& derivation, const Literal& value);

/// Of a constant with no placement, as a tensor {z, rows, cols} of whole tiles.
Derivation::Placement as_it_is(const Type& type, const Dims& tensor);

/// The same of values that nothing may take the place of; null for null.
DerivationPtr as_fixed(const DerivationPtr& derivation);

/// Name of a constant in the model.
std::string parameter_name(const Node& node);

}  // namespace ttsim::impl::ir
