#include "compiler/ir/device_parts.hpp"

#include <algorithm>

namespace ttsim::impl::ir {

std::vector<std::int64_t> device_parts(const Graph& graph) {
    std::vector<std::int64_t> parts(graph.nodes.size(), 0);
    for (ValueId id = 0; id < parts.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (node.is_input()) parts[id] = node.get(attr::part);
        for (const Edge& edge : node.inputs) parts[id] = std::max(parts[id], parts[edge.value]);
        if (node.phase != Phase::Forward) parts[id] = 1 + static_cast<std::int64_t>(node.phase);
    }
    // a node that depends only on constants is in the first part of its readers
    const std::vector<std::int64_t> from_inputs = parts;
    for (ValueId id = parts.size(); id-- > 0;) {
        const Node& node = graph.nodes[id];
        if (node.is_constant() || node.is_input()) continue;
        if (parts[id] == 0) parts[id] = 1;
        for (const Edge& edge : node.inputs) {
            const Node& from = graph.nodes[edge.value];
            std::int64_t& part = parts[edge.value];
            if (from.is_constant() || from_inputs[edge.value] != 0) continue;
            part = part == 0 ? parts[id] : from.is_input() ? part : std::min(part, parts[id]);
        }
    }
    return parts;
}

}  // namespace ttsim::impl::ir
