// Marks integers that the device would round: indices beyond the data format, and what they are computed from.
#include "compiler/passes/host_marker.hpp"

namespace ttsim::impl::ir {

bool HostMarker::exceeds_exact_indices(const Node& node) const {
    if (operand(node.inputs[1]).is_constant()) return false;
    const Dims& table = operand(node.inputs[0]).type.dims;
    return table[static_cast<std::size_t>(node.get(attr::axis))] - 1 > exact_integers_;
}

bool HostMarker::finds_inexact_index(const Node& node) const {
    return node.op == op::arg_max &&
           operand(node.inputs[0]).type.dims[static_cast<std::size_t>(node.get(attr::axis))] - 1 > exact_integers_;
}

void HostMarker::mark_inexact_indices() {
    std::vector<bool> read_whole(graph_.nodes.size(), false), device_reads(graph_.nodes.size(), false);
    for (const Output& output : graph_.outputs) device_reads[output.value] = true;
    for (ValueId id = graph_.nodes.size(); id-- > 0;) {
        const Node& node = graph_.nodes[id];
        const bool far =
            computable(node) && (node.op == op::take ? exceeds_exact_indices(node) : finds_inexact_index(node));
        const bool made_of = read_whole[id] && cheap(node) && (is_wide_integer(node.type) || !device_reads[id]);
        if (far || made_of) host_[id] = true;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            const ValueId from = node.inputs[k].value;
            if (!host_[id]) device_reads[from] = true;
            const bool places = host_[id] && is_wide_integer(graph_.type(from)) && node.op != op::arg_max;
            read_whole[from] = read_whole[from] || places || (made_of && !far);
        }
    }
}

}  // namespace ttsim::impl::ir
