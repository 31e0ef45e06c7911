// Marks cheap ops whose computation on the host avoids transfers (mark_host.cpp).
#include "compiler/passes/host_marker.hpp"

namespace ttsim::impl::ir {

void HostMarker::join_host_ops() {
    std::vector<bool> known(graph_.nodes.size(), false), device_reads(graph_.nodes.size(), false),
        host_reads(graph_.nodes.size(), false);
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        known[id] = node.is_input() || node.is_constant() || host_[id] || cheap(node);
        if (!host_[id])
            for (const Edge& edge : node.inputs) known[id] = known[id] && known[edge.value];
    }
    for (ValueId id = graph_.nodes.size(); id-- > 0;) {
        const Node& node = graph_.nodes[id];
        if (known[id] && computable(node) && host_reads[id] && !device_reads[id]) host_[id] = true;
        for (const Edge& edge : node.inputs) (host_[id] ? host_reads : device_reads)[edge.value] = true;
    }
}

void HostMarker::reduce_on_host() {
    const std::vector<std::size_t> uses = graph_.use_counts();
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        if (host_[id] || !cheap(node)) continue;
        std::int64_t saved = -count(node.type.dims);
        bool known = true;
        for (const Edge& edge : node.inputs) {
            known = known && (operand(edge).is_constant() || host_[edge.value]);
            if (host_[edge.value] && uses[edge.value] == 1) saved += count(operand(edge).type.dims);
        }
        host_[id] = known && saved > 0;
    }
}

}  // namespace ttsim::impl::ir
