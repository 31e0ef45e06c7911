#include "compiler/ir/lowered_op.hpp"

namespace ttsim::impl::ir {

std::vector<LoweredOp> lowered_ops(const Graph& graph) {
    constexpr std::string_view prefix = "buda.";
    std::vector<LoweredOp> ops;
    for (const Node& node : graph.nodes) {
        if (!node.op.starts_with(prefix)) continue;
        LoweredOp op{node.name, node.op == "buda.sparse" ? "matmul" : node.op.substr(prefix.size()), node.origin, {}};
        for (const Edge& edge : node.inputs) op.operands.push_back(graph.nodes[edge.value].name);
        ops.push_back(std::move(op));
    }
    return ops;
}

}  // namespace ttsim::impl::ir
