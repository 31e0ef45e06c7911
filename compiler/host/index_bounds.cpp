#include "compiler/host/index_bounds.hpp"

#include <algorithm>

namespace ttsim::impl::ir {

/// The size of the smallest axis that operand 1 indexes; 0 if it is not an index.
static std::int64_t indexed_axis_size(const Graph& graph, const Node& node) {
    if (node.inputs.size() < 2) return 0;
    const Dims &x = graph.type(node.inputs[0].value).dims, &ids = graph.type(node.inputs[1].value).dims;
    if (node.op == op::take || node.op == op::gather_elements || node.op == op::scatter_elements)
        return x[static_cast<std::size_t>(node.get(attr::axis))];
    if (node.op == op::scatter_nd) return *std::min_element(x.begin(), x.begin() + ids.back());
    if (node.op == op::reverse_sequence) return x[static_cast<std::size_t>(node.get(attr::axis))] + 1;
    return 0;
}

std::vector<std::int64_t> index_bounds(const Graph& graph, std::int64_t otherwise) {
    std::vector<std::int64_t> limits(graph.nodes.size(), otherwise);
    const auto lower = [&](const Edge& edge, std::int64_t to) {
        limits[edge.value] = std::min(limits[edge.value], std::max<std::int64_t>(to, 1));
    };
    for (ValueId id = graph.nodes.size(); id-- > 0;) {
        const Node& node = graph.nodes[id];
        if (const std::int64_t axis = indexed_axis_size(graph, node); axis > 0) lower(node.inputs[1], axis);
        if (node.op == op::roi_align) lower(node.inputs[2], graph.type(node.inputs[0].value).dims[0]);
        if (node.op == op::tensor_scatter) {
            const auto axis = static_cast<std::size_t>(node.get(attr::axis));
            lower(node.inputs[2], node.type.dims[axis] - graph.type(node.inputs[1].value).dims[axis] + 1);
        }
        if (node.op == op::reshape || node.op == op::transpose || node.op == op::cast || node.op == op::where)
            for (const Edge& edge : node.inputs) lower(edge, limits[id]);
    }
    return limits;
}

}  // namespace ttsim::impl::ir
