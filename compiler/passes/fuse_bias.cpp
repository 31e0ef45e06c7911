// fuse-bias: fuses the addition of a constant with equal rows into a product.
//
//   %a = buda.matmul %x, %w                             and nothing else reads %a
//   %y = buda.add %a, %bias (broadcast: {r: 4})         ->   %y = buda.matmul %x, %w, %bias (broadcast: {r: 4})
//
// %bias must be a constant with equal rows, which the third operand of a product needs. buda.depthwise is handled
// alike.
#include <algorithm>
#include <cmath>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

bool rows_equal(const Literal& literal) {
    const std::int64_t cols = literal.dims()[2], rows = literal.dims()[1];
    const std::vector<float>& v = literal.floats();
    const float* const end = v.data() + v.size();
    for (const float* slice = v.data(); slice != end; slice += rows * cols)
        for (const float* row = slice; row != slice + rows * cols; row += cols)
            if (!std::equal(row, row + cols, slice)) return false;
    return true;
}

bool can_fuse_bias(const Graph& graph, const Edge& edge, const std::vector<std::size_t>& uses) {
    const Node& node = graph.nodes[edge.value];
    return edge.tms.empty() && uses[edge.value] == 1 &&
           (node.op == op::buda::matmul || node.op == op::buda::depthwise) && node.inputs.size() == 2 &&
           !node.has(attr::relu);
}

void run_fuse_bias(Graph& graph, const PassOptions& options) {
    const auto uses = graph.use_counts();
    for (Node& node : graph.nodes) {
        if (node.op != op::buda::add) continue;
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const Edge &product = node.inputs[k], &bias = node.inputs[1 - k];
            Node& constant = graph.nodes[bias.value];
            if (!can_fuse_bias(graph, product, uses) || !constant.is_constant() || !rows_equal(*constant.literal) ||
                graph.nodes[product.value].type.format != node.type.format)
                continue;
            if (constant.derivation &&
                std::isinf(constant.derivation->largest))  // its rows are equal by coincidence only
                constant.derivation = as_fixed(constant.derivation);
            const Node& source = graph.nodes[product.value];
            std::vector<Edge> inputs = source.inputs;
            inputs.push_back(bias);
            Attrs attrs = source.attrs;
            attrs.insert(node.attrs.begin(), node.attrs.end());  // the relu of the sum
            node.op = source.op;
            if (options.keep_names) node.name = source.name;
            node.attrs = std::move(attrs);
            node.inputs = std::move(inputs);
            break;
        }
    }
    graph.erase_unused();
}

}  // namespace

extern const Pass fuse_bias;
const Pass fuse_bias{.name = "fuse-bias",
                     .summary = "fuse the addition of a constant with equal rows into a product",
                     .run = run_fuse_bias,
                     .optional = true};

}  // namespace ttsim::impl::ir
