// host-data-movement: marks reshapes and transposes of inputs and outputs for the host.
//
//   %x = input                                          %x = input
//   %t = transpose %x {perm = [0, 2, 3, 1]}       ->    %t = transpose %x {host = 1, perm = [0, 2, 3, 1]}
//
// It marks those that depend only on inputs, and those that only outputs depend on. The mark is that of mark-host;
// cut-host removes the ops.
#include <fmt/ranges.h>

#include <map>
#include <string>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

bool is_move(const Node& node) { return node.op == op::reshape || node.op == op::transpose; }

/// Merges equal moves of an input, so that the host does them once for all readers.
void share_moves(Graph& graph) {
    std::map<std::pair<ValueId, std::string>, ValueId> first;
    std::vector<ValueId> merged_into(graph.nodes.size());
    std::vector<bool> from_input(graph.nodes.size(), false);
    bool any = false;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        merged_into[id] = id;
        for (Edge& edge : node.inputs) edge.value = merged_into[edge.value];
        from_input[id] = node.is_input() || (is_move(node) && from_input[node.inputs[0].value]);
        if (!is_move(node) || !from_input[id] || node.type.format) continue;
        const std::string key =
            fmt::format("{} {}", node.op, fmt::join(node.get(node.op == op::reshape ? attr::dims : attr::perm), ","));
        merged_into[id] = first.try_emplace({node.inputs[0].value, key}, id).first->second;
        any = any || merged_into[id] != id;
    }
    for (Output& output : graph.outputs) output.value = merged_into[output.value];
    if (any) graph.erase_unused();
}

/// Which values the device reads if the host does the moves before outputs.
std::vector<bool> device_reads(const Graph& graph) {
    std::vector<bool> reads(graph.nodes.size(), false);
    for (ValueId id = graph.nodes.size(); id-- > 0;) {
        const Node& node = graph.nodes[id];
        if (is_move(node) && !reads[id]) continue;
        for (const Edge& edge : node.inputs) reads[edge.value] = true;
    }
    return reads;
}

void run_host_data_movement(Graph& graph, const PassOptions& options) {
    if (!options.host_fallback) return;
    share_moves(graph);
    const std::vector<bool> reads = device_reads(graph);
    const auto uses = graph.use_counts();
    std::vector<bool> from_input(graph.nodes.size(), false);
    // values of one iteration of a loop; on the host one tensor has all iterations
    std::vector<bool> in_loop(graph.nodes.size(), false);
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        from_input[id] = node.is_input();
        in_loop[id] = node.has(attr::iterations);
        for (const Edge& edge : node.inputs) in_loop[id] = in_loop[id] || in_loop[edge.value];
        if (!is_move(node) || in_loop[id]) continue;
        const ValueId source = node.inputs[0].value;
        from_input[id] = from_input[source];
        // If the device also reads the unmoved value, a move on the host would send the value twice. A model that
        // consists of moves only stays on the device.
        if (from_input[id] ? reads[id] && uses[source] == 1 : !reads[id]) node.set(attr::host, true);
        if (from_input[id] && !node.has(attr::host)) from_input[id] = false;
    }
}

}  // namespace

extern const Pass host_data_movement;
const Pass host_data_movement{.name = "host-data-movement",
                              .summary = "mark reshapes and transposes of inputs and outputs for the host",
                              .run = run_host_data_movement,
                              .optional = true};

}  // namespace ttsim::impl::ir
