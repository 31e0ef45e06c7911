// What ops.toml declares of an op and of its attributes. Tables: generated/op_declarations.hpp.
#pragma once

#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

/// How the type of a result follows from the operands, for ops without a type rule of their own.
enum class TypeRule : std::uint8_t {
    None,
    First,      ///< that of the first operand
    Broadcast,  ///< the element type of the first operand; dims are broadcast together
    Test,       ///< bool; dims are broadcast together
};

/// As OpInfo.
struct OpDeclaration {
    std::string_view name;
    Level level = Level::Core;
    std::size_t min_inputs = 0, max_inputs = 0;
    bool elementwise = false;
    std::size_t tables_from = SIZE_MAX;
    TypeRule result = TypeRule::None;
    std::string_view onnx = "";
    std::span<const AttributeSpec> attributes = {};
};

/// The functions of a declared op: see OpInfo.
struct OpFunctions {
    OpId op;
    Type (*infer)(const Node& node, std::span<const Type> in) = nullptr;
    Literal (*eval)(const Node& node, std::span<const Literal* const> in) = nullptr;
    std::int64_t (*work)(const Node& node, std::span<const Literal* const> in) = nullptr;
    std::vector<Type> (*infer_more)(const Node& node, std::span<const Type> in) = nullptr;
    std::vector<Literal> (*eval_all)(const Node& node, std::span<const Literal* const> in) = nullptr;
};

}  // namespace ttsim::impl::ir
