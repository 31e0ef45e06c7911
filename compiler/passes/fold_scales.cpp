// fold-scales: numbers that scale go into the matrix before them.
//
//   %s = map_axis %x, %ones {axis = 1}                   %y = map_axis %x, [0.25, 0.25, 0.25, 0.25] {axis = 1}
//   %y = multiply %s, 0.25                          ->
//
// where nothing else reads %s: a mean, as exporters write it, is one product then.
#include "compiler/ir/pass.hpp"

namespace tt::ir {

static Literal scaled(const Literal& matrix, double by) {
    Literal out = matrix;
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, matrix.at(i) * by);
    return out;
}

static void run_fold_scales(Graph& graph, const PassOptions&) {
    const auto uses = graph.use_counts();
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != "multiply") return std::nullopt;
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const Node inner = build.graph().nodes[in[k]];
            const Literal* factor = build.literal(in[1 - k]);
            if (inner.op != "map_axis" || !factor || !factor->is_splat() || inner.type.dims != node.type.dims ||
                uses[node.inputs[k].value] != 1)
                continue;
            const Literal* matrix = build.literal(inner.inputs[1].value);
            if (!matrix) continue;
            const double by = factor->at(0);
            return build.map_axis(inner.inputs[0].value, inner.integer("axis", 0), scaled(*matrix, by));
        }
        return std::nullopt;
    });
}

extern const Pass fold_scales;
const Pass fold_scales{
    .name = "fold-scales", .summary = "numbers that scale go into the matrix before them", .run = run_fold_scales};

}  // namespace tt::ir
