// merge-moves
//
//   %b = transpose %a {perm = p}                 %b = reshape %a
//   %c = transpose %b {perm = q}                 %c = reshape %b
//   ->  %c = transpose %a {perm = p then q}      ->  %c = reshape %a
//
// A move that changes nothing goes; a transpose that only carries axes of size 1 about becomes a reshape.
#include <numeric>

#include "compiler/pass.hpp"

namespace tt::ir {

static ValueId merged_reshape(Builder& build, const Node& node, ValueId x) {
    const Node& inner = build.graph().nodes[x];
    return build.reshape(inner.op == "reshape" ? inner.inputs[0].value : x, node.type.dims);
}

static ValueId merged_transpose(Builder& build, const Node& node, ValueId x) {
    std::vector<std::int64_t> perm = node.list("perm");
    const Node inner = build.graph().nodes[x];
    if (inner.op == "transpose") {
        const auto first = inner.list("perm");
        for (std::int64_t& axis : perm) axis = first[static_cast<std::size_t>(axis)];
        x = inner.inputs[0].value;
    }
    if (keeps_order(build.dims(x), perm)) return merged_reshape(build, node, x);
    return build.transpose(x, perm);
}

static void run(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op == "transpose") return merged_transpose(build, node, in[0]);
        if (node.op != "reshape") return std::nullopt;
        return merged_reshape(build, node, in[0]);
    });
}

extern const Pass merge_moves;
const Pass merge_moves{
    .name = "merge-moves", .summary = "join successive transposes and reshapes, and drop idle ones", .run = run};

}  // namespace tt::ir
