// Nodes at the end of a model whose result shapes are known only at run time, such as the boxes of a detector.
//
//   model_tail {model, dtypes}  `model` is a model in protobuf's text form whose inputs are the operands. The host
//   reads
//                               it like any model, with the operands as constants (host/model_tail.hpp). The types of
//                               its results have one element in place of the unknown shapes.
#include <array>
#include <sstream>

#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

namespace {

/// `dtypes` has the element types of all results, separated by spaces.
std::vector<Type> tail_types(const Node& node) {
    std::vector<Type> types;
    std::istringstream words(node.get(attr::dtypes));
    for (std::string word; words >> word;) {
        const auto dtype = parse_dtype(word);
        if (!dtype) fail_input(node.loc, "'{}' has no element type '{}'", node.name, word);
        types.push_back({*dtype, {1}, {}});
    }
    if (types.empty()) fail_input(node.loc, "'{}' has no results", node.name);
    return types;
}

Type infer_tail(const Node& node, std::span<const Type>) { return tail_types(node).front(); }

std::vector<Type> infer_more_of_tail(const Node& node, std::span<const Type>) {
    std::vector<Type> types = tail_types(node);
    types.erase(types.begin());
    return types;
}

constexpr std::array tail_table{
    OpFunctions{.op = op::model_tail, .infer = infer_tail, .eval = nullptr, .infer_more = infer_more_of_tail}};

}  // namespace

std::span<const OpFunctions> tail_ops() { return tail_table; }

}  // namespace ttsim::impl::ir
