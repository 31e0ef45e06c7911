// The record of an op: its operands, the type of its result, and its value for constants.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl::ir {

enum class Level : std::uint8_t {
    Value,      ///< an input or a constant
    Composite,  ///< a pass decomposes it
    Core,       ///< lower-to-buda lowers it
    Device,     ///< an op of a netlist
    Host,       ///< has no device form; the host computes it, anywhere in a model
};

enum class AttributeKind : std::uint8_t { Bool, Integer, Number, Text, Integers };

/// An attribute of an op: its kind of value, default and allowed values. Bools are 0 or 1.
struct AttributeSpec {
    std::string_view key;
    AttributeKind kind = AttributeKind::Integer;
    bool required = false;
    std::int64_t integer = 0;  ///< default of a Bool or Integer
    double number = 0;         ///< of a Number
    std::string_view text = "";
    std::span<const std::int64_t> integers = {};
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
    std::string_view choices = "";                               ///< of a Text, separated by |; "": any
    bool on_input = false, on_model = false, on_device = false;  ///< common attributes: ops that may have it
};

/// The record of an op. Those of ops.toml are made of its declaration and its functions in compiler/ops/.
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
    /// A core op also has the attributes of its device op, and a device op those of `device`.
    std::span<const AttributeSpec> attributes = {};
    // set by the table
    OpId id = {};
    /// The op of the same name at the other level, which computes the same: of a core op the device's, of a device op
    /// the model's. No op if there is none.
    OpId counterpart = {};
    const OpDef* device = nullptr;  ///< Device: its record in kernels/ops/; nullptr: it becomes an op of another name
    // of an op with several results
    /// Types of the results after the first; nullptr: there is one result.
    std::vector<Type> (*infer_more)(const Node& node, std::span<const Type> in) = nullptr;
    /// Values of all results, in place of eval.
    std::vector<Literal> (*eval_all)(const Node& node, std::span<const Literal* const> in) = nullptr;

    bool has_value() const { return eval || eval_all; }
    /// Values of all results of a node; needs has_value().
    std::vector<Literal> values(const Node& node, std::span<const Literal* const> in) const;
};

/// All ops with operands or functions, so without op::input and op::constant.
std::span<const OpInfo* const> all_ops();
const OpInfo* find_op(OpId op);        ///< nullptr for no op, op::input and op::constant
OpId op_named(std::string_view name);  ///< no op when unknown
/// Registers an op for this process; it gets an id. Call it before any compilation, from one thread, and after
/// ttsim::impl::add_op() of the device op it lowers to, which gets an id too. The name must be new. What `op.name`
/// refers to must stay.
OpId add_op(const OpInfo& op);
/// Throws Error(Input) at node.loc for the first attribute that the op does not have, of another kind than declared, or
/// with a value that is not allowed, and for one that is missing. infer_type() calls it.
void check_attributes(const Node& node);
/// Type of an elementwise result: operands are broadcast together, and the element type is that of the first.
Type infer_elementwise(const Node& node, std::span<const Type> in);

/// Sets the types of a node's results, from the types of its operands in the graph. Throws Error(Input) at node.loc.
void infer_types(const Graph& graph, Node& node);

/// NumPy broadcasting; throws at node.loc.
Dims broadcast(const Node& node, const Dims& a, const Dims& b);

}  // namespace ttsim::impl::ir
