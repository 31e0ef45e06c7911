// flatten-rows: merges slices of one row into one matrix, for products with a common matrix.
//
//   %y = matmul %x, %w : f32[197, 1, 64]   ->   %r = reshape %x {dims = [197, 32]}
//        %x: f32[197, 1, 32], %w constant       %m = matmul %r, %w : f32[197, 64]
//                                               %y = reshape %m {dims = [197, 1, 64]}
//
// Tiles of one row each would take 32 times the work. merge-data-movement then removes the reshapes where it can.
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static void run_flatten_rows(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::matmul || !build.literal(in[1]) || build.dims(in[1]).size() != 2) return std::nullopt;
        const Dims x = build.dims(in[0]);
        const std::int64_t rows = count(x) / std::max<std::int64_t>(x.back(), 1);
        if (x.size() < 3 || x[x.size() - 2] != 1 || rows == 1) return std::nullopt;
        const ValueId flat = build.reshape(in[0], {rows, x.back()});
        return build.reshape(build.add(op::matmul, {flat, in[1]}), node.type.dims);
    });
}

extern const Pass flatten_rows;
const Pass flatten_rows{.name = "flatten-rows",
                        .summary = "merge slices of one row into one matrix for products",
                        .run = run_flatten_rows,
                        .optional = true};

}  // namespace ttsim::impl::ir
