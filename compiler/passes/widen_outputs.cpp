// widen-outputs: pads the columns of output products with zeros until the cores of a row get nearly equal shares.
//
//   %y = buda.matmul %x, %w : Float16_b[1, 1, 1571]     ->     %y = buda.matmul %x, %w : Float16_b[1, 1, 1576]
//   %w: constant [1, 24, 1571] tiles                           %w: constant [1, 24, 1576] tiles
//
// 1571 is prime, so one core would compute all columns. The host cuts outputs to their columns anyway.
#include <algorithm>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t row_cores = 8;  // cores in a row

/// The number of tile columns, padded so that row_cores cores have nearly equal shares.
std::int64_t divisible(std::int64_t ct) {
    std::int64_t best = 1;
    for (std::int64_t d = 2; d <= row_cores; ++d)
        if (ct % d == 0) best = d;
    return best * 2 > row_cores || ct < 2 * row_cores ? ct : (ct + row_cores - 1) / row_cores * row_cores;
}

bool plain(const Edge& edge) {
    return std::all_of(edge.tms.begin(), edge.tms.end(),
                       [](const Tm& tm) { return tm.kind == Tm::Kind::BroadcastR || tm.kind == Tm::Kind::BroadcastZ; });
}

LiteralPtr widened(const Literal& from, std::int64_t cols) {
    const std::int64_t old = from.dims()[2], rows = from.dims()[0] * from.dims()[1];
    auto wide = std::make_shared<Literal>(from.dtype(), Dims{from.dims()[0], from.dims()[1], cols});
    for (std::int64_t r = 0; r < rows; ++r)
        std::copy_n(from.floats().begin() + r * old, old, wide->floats().begin() + r * cols);
    return wide;
}

void run_widen_outputs(Graph& graph, const PassOptions&) {
    const auto uses = graph.use_counts();
    for (const Output& output : graph.outputs) {
        Node& node = graph.nodes[output.value];
        if (node.op != op::buda::matmul || node.has(attr::z) || uses[output.value] != 1) continue;
        const std::int64_t ct = node.type.dims[2], wide = divisible(ct);
        bool fits = wide != ct;
        for (std::size_t k = 1; k < node.inputs.size(); ++k) {
            const Node& constant = graph.nodes[node.inputs[k].value];
            fits = fits && constant.is_constant() && uses[node.inputs[k].value] == 1 && plain(node.inputs[k]) &&
                   constant.type.dims[2] == ct;
        }
        if (!fits) continue;
        for (std::size_t k = 1; k < node.inputs.size(); ++k) {
            Node& constant = graph.nodes[node.inputs[k].value];
            constant.literal = widened(*constant.literal, wide * tile_edge);
            constant.type.dims[2] = wide;
        }
        node.type.dims[2] = wide;
    }
}

}  // namespace

extern const Pass widen_outputs;
const Pass widen_outputs{.name = "widen-outputs",
                         .summary = "pad the columns of output products to suit the cores of a row",
                         .run = run_widen_outputs,
                         .optional = true};

}  // namespace ttsim::impl::ir
