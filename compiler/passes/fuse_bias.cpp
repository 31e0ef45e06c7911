// fuse-bias
//
//   %a = buda.matmul %x, %w                             and nothing else reads %a
//   %y = buda.add %a, %bias (broadcast: {r: 4})         ->   %y = buda.matmul %x, %w, %bias (broadcast: {r: 4})
//
// where %bias is a constant all of whose rows are equal, which is what the third operand of a product adds. The same
// for buda.depthwise.
#include <cmath>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

bool rows_equal(const Literal& literal) {
    const std::int64_t cols = literal.dims()[2], rows = literal.dims()[1];
    const std::vector<float>& v = literal.floats();
    for (std::int64_t i = 0; i < literal.size(); ++i)
        if (v[static_cast<std::size_t>(i)] != v[static_cast<std::size_t>(i / (rows * cols) * rows * cols + i % cols)])
            return false;
    return true;
}

bool takes_bias(const Graph& graph, const Edge& edge, const std::vector<std::size_t>& uses) {
    const Node& node = graph.nodes[edge.value];
    return edge.tms.empty() && uses[edge.value] == 1 && (node.op == "buda.matmul" || node.op == "buda.depthwise") &&
           node.inputs.size() == 2 && !node.has("relu");
}

void run_fuse_bias(Graph& graph, const PassOptions& options) {
    const auto uses = graph.use_counts();
    for (Node& node : graph.nodes) {
        if (node.op != "buda.add") continue;
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const Edge &product = node.inputs[k], &bias = node.inputs[1 - k];
            Node& constant = graph.nodes[bias.value];
            if (!takes_bias(graph, product, uses) || !constant.is_constant() || !rows_equal(*constant.literal) ||
                graph.nodes[product.value].type.format != node.type.format)
                continue;
            if (constant.derivation && std::isinf(constant.derivation->largest))  // its rows are equal by chance
                constant.derivation = as_fixed(constant.derivation);
            const Node& source = graph.nodes[product.value];
            std::vector<Edge> inputs = source.inputs;
            inputs.push_back(bias);
            Attrs attrs = source.attrs;
            attrs.insert(node.attrs.begin(), node.attrs.end());  // a relu of the sum
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
const Pass fuse_bias{
    .name = "fuse-bias", .summary = "let a product add a constant that is the same for all rows", .run = run_fuse_bias};

}  // namespace ttsim::impl::ir
