// What the compiler knows of an op: its operands, the type of its result, and its value for constants.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

enum class Level : std::uint8_t {
    Composite,  ///< a pass takes it apart
    Core,       ///< lower-to-buda understands it
    Device,     ///< an op of a netlist
    Host,       ///< the device has no form of it: the host computes it, wherever in a model it stands
};

struct OpInfo {
    std::string_view name;
    Level level;
    std::size_t min_inputs, max_inputs;
    Type (*infer)(const Node& node, std::span<const Type> in);              ///< throws Error(Input) at node.loc
    Literal (*eval)(const Node& node, std::span<const Literal* const> in);  ///< nullptr: cannot be folded
    bool elementwise = false;                                               ///< NumPy broadcasting of all operands
    std::size_t tables_from = SIZE_MAX;  ///< Device: operands from here on are tables of the model level
    /// Steps that eval takes, where they are far more than elements; nullptr: they are not.
    std::int64_t (*work)(const Node& node, std::span<const Literal* const> in) = nullptr;
    /// The ONNX op that is this one, operand by operand; of a domain other than ONNX's own, where attributes have the
    /// names they have here, as DOMAIN.NAME. Empty: there is none, or it takes a rule (compiler/onnx/).
    std::string_view onnx = "";
};

std::span<const OpInfo* const> all_ops();
const OpInfo* find_op(const std::string& name);  ///< nullptr when unknown
/// One op more for this process, kept by reference. To be called before anything compiles, by one thread, and after
/// ttsim::impl::add_op() of the device op it becomes. The name must be new.
void add_op(const OpInfo& op);
/// Of operands that are broadcast together: the result has the type of the first.
Type infer_elementwise(const Node& node, std::span<const Type> in);

/// Type of a node's result; operands are looked up in the graph. Throws Error(Input) at node.loc.
Type infer_type(const Graph& graph, const Node& node);

/// NumPy broadcasting; throws at node.loc.
Dims broadcast(const Node& node, const Dims& a, const Dims& b);

}  // namespace ttsim::impl::ir
