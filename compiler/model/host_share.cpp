#include "compiler/model/host_share.hpp"

#include <algorithm>
#include <array>

#include "compiler/host/host_value.hpp"

namespace ttsim::impl::ir {

static bool multiplies(const Node& node) {
    static constexpr std::array products{op::matmul, op::conv, op::conv_transpose, op::map_axis, op::gather_sum};
    return std::find(products.begin(), products.end(), node.op) != products.end();
}

static double products_of(const Graph& graph) {
    double sum = 0;
    for (const Node& node : graph.nodes) {
        if (!multiplies(node)) continue;
        std::vector<Type> in;
        for (const Edge& edge : node.inputs) in.push_back(graph.type(edge.value));
        sum += host_work(node, in);
    }
    return sum;
}

/// Multiply-adds of a netlist: result tiles times tiles of the inner axis.
static double products_of(const Netlist& netlist) {
    double sum = 0;
    for (const auto& graph : netlist.graphs)
        for (const Op& op : graph.ops) {
            const Blocking& out = op.cfg.out;
            const auto side = static_cast<double>(op.cfg.tile.h * op.cfg.tile.w);
            const auto inner = static_cast<double>(op.cfg.attr.m_k * op.cfg.attr.u_kt);
            sum += static_cast<double>(out.shape().tiles()) * side * inner * static_cast<double>(op.cfg.tile.w);
        }
    return sum;
}

MultiplyAdds multiply_adds(const CompiledModel& model) {
    const double host = products_of(model.host.program.graph);
    if (all_on_host(model.host.program)) return {host, 0};
    if (!model.reference) return {host, products_of(model.netlist)};
    return {host, std::max(0.0, products_of(*model.reference) - host)};
}

bool all_on_host(const HostProgram& program) {
    const std::vector<bool> read = read_nodes(program);
    for (ValueId id = 0; id < read.size(); ++id)
        if (read[id] && program.graph.nodes[id].is_input() && program.graph.nodes[id].has(attr::device)) return false;
    return true;
}

}  // namespace ttsim::impl::ir
