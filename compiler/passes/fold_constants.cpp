// fold-constants: computes nodes whose operands are constants.
//
//   %c = f %a, %b     where %a, %b are constants   ->   %c = constant [...]
//
// A tensor without elements becomes a constant, whatever computes it. Other passes need not handle empty tensors.
#include <algorithm>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static bool is_empty(const Type& type) { return !type.format && count(type.dims) == 0; }

/// Whether no result of a node has elements.
static bool is_empty(const Node& node) {
    return is_empty(node.type) &&
           std::all_of(node.more_types.begin(), node.more_types.end(), [](const Type& type) { return is_empty(type); });
}

static std::optional<ValueId> folded_constant(Builder& build, const Node& node, std::span<const ValueId> in) {
    if (node.is_constant() || node.type.format) return std::nullopt;
    if (is_empty(node)) {
        if (node.is_input()) build.copy(node, {});  // the unused input stays
        return build.constant(Literal(node.type.dtype, node.type.dims));
    }
    if (in.empty()) return std::nullopt;
    for (const ValueId id : in)
        if (!build.literal(id)) return std::nullopt;
    const OpInfo* op = find_op(node.op);
    if (!op->has_value()) return std::nullopt;
    return build.add(node.op, {in.begin(), in.end()}, node.attrs);
}

static void run_fold_constants(Graph& graph, const PassOptions&) {
    rewrite(graph, folded_constant);
    for (const Node& node : graph.nodes)
        for (const Edge& edge : node.inputs)
            if (is_empty(graph.type(edge.value)))
                fail_unsupported(node.loc, "'{}' ({}, of '{}') computes with {}, which has no elements", node.name,
                                 node.op, node.origin, to_string(graph.type(edge.value)));
}

extern const Pass fold_constants;
const Pass fold_constants{
    .name = "fold-constants", .summary = "compute what depends on constants only", .run = run_fold_constants};

}  // namespace ttsim::impl::ir
