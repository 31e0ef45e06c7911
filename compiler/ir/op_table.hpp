// The record of an op: its operands, the type of its result, and its value for constants.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

enum class Level : std::uint8_t {
    Composite,  ///< a pass decomposes it
    Core,       ///< lower-to-buda lowers it
    Device,     ///< an op of a netlist
    Host,       ///< has no device form; the host computes it, anywhere in a model
};

struct OpInfo {
    std::string_view name;
    Level level;
    std::size_t min_inputs, max_inputs;
    Type (*infer)(const Node& node, std::span<const Type> in);              ///< throws Error(Input) at node.loc
    Literal (*eval)(const Node& node, std::span<const Literal* const> in);  ///< nullptr: not foldable
    bool elementwise = false;                                               ///< broadcasts all operands as NumPy does
    std::size_t tables_from = SIZE_MAX;  ///< Device: operands from this index on are tables of the model level
    /// Steps that eval takes, if far more than the result has elements; nullptr otherwise.
    std::int64_t (*work)(const Node& node, std::span<const Literal* const> in) = nullptr;
    /// The equivalent ONNX op with the same operands. For a domain other than ONNX's own it is DOMAIN.NAME, and
    /// attributes have the same names. Empty: there is none, or compiler/onnx/ has a conversion rule.
    std::string_view onnx = "";
    // of an op with several results
    /// Types of the results after the first; nullptr: there is one result.
    std::vector<Type> (*infer_more)(const Node& node, std::span<const Type> in) = nullptr;
    /// Values of all results, in place of eval.
    std::vector<Literal> (*eval_all)(const Node& node, std::span<const Literal* const> in) = nullptr;

    bool has_value() const { return eval || eval_all; }
    /// Values of all results of a node; needs has_value().
    std::vector<Literal> values(const Node& node, std::span<const Literal* const> in) const;
};

std::span<const OpInfo* const> all_ops();
const OpInfo* find_op(const std::string& name);  ///< nullptr when unknown
/// Registers an op for this process, by reference. Call it before any compilation, from one thread, and after
/// ttsim::impl::add_op() of the device op it lowers to. The name must be new.
void add_op(const OpInfo& op);
/// Type of an elementwise result: operands are broadcast together, and the element type is that of the first.
Type infer_elementwise(const Node& node, std::span<const Type> in);

/// Sets the types of a node's results, from the types of its operands in the graph. Throws Error(Input) at node.loc.
void infer_types(const Graph& graph, Node& node);

/// NumPy broadcasting; throws at node.loc.
Dims broadcast(const Node& node, const Dims& a, const Dims& b);

}  // namespace ttsim::impl::ir
