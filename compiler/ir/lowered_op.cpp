#include "compiler/ir/lowered_op.hpp"

namespace ttsim::impl::ir {

std::vector<LoweredOp> lowered_ops(const Graph& graph) {
    std::vector<LoweredOp> ops;
    for (const Node& node : graph.nodes) {
        if (!node.op.on_device()) continue;
        LoweredOp op{
            node.name, std::string(node.op == op::buda::sparse ? "matmul" : node.op.base_name()), node.origin, {}};
        for (const Edge& edge : node.inputs) op.operands.push_back(graph.nodes[edge.value].name);
        ops.push_back(std::move(op));
    }
    return ops;
}

}  // namespace ttsim::impl::ir
