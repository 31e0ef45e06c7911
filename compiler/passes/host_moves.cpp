// host-moves: the host puts inputs and outputs in the order the device wants.
//
//   %x = input                                          %x = input
//   %t = transpose %x {perm = [0, 2, 3, 1]}       ->    %t = transpose %x {host = 1, perm = [0, 2, 3, 1]}
//
// Reshapes and transposes that only inputs reach, and those that only lead to outputs. They are marked as mark-host
// does; cut-host takes them out.
#include <fmt/ranges.h>

#include <map>
#include <string>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

bool is_move(const Node& node) { return node.op == "reshape" || node.op == "transpose"; }

/// Moves that are alike and read the same become one: what the host then does once, several ops of the device read.
/// Only those that an input leads to through moves.
void share_moves(Graph& graph) {
    std::map<std::pair<ValueId, std::string>, ValueId> first;
    std::vector<ValueId> same(graph.nodes.size());
    std::vector<bool> from_input(graph.nodes.size(), false);
    bool any = false;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        same[id] = id;
        for (Edge& edge : node.inputs) edge.value = same[edge.value];
        from_input[id] = node.is_input() || (is_move(node) && from_input[node.inputs[0].value]);
        if (!is_move(node) || !from_input[id] || node.type.format) continue;
        const std::string what =
            fmt::format("{} {}", node.op, fmt::join(node.list(node.op == "reshape" ? "dims" : "perm"), ","));
        same[id] = first.try_emplace({node.inputs[0].value, what}, id).first->second;
        any = any || same[id] != id;
    }
    for (Output& output : graph.outputs) output.value = same[output.value];
    if (any) graph.erase_unused();
}

/// Which values the device reads when it does not do the moves before outputs.
std::vector<bool> device_reads(const Graph& graph) {
    std::vector<bool> reads(graph.nodes.size(), false);
    for (ValueId id = graph.nodes.size(); id-- > 0;) {
        const Node& node = graph.nodes[id];
        if (is_move(node) && !reads[id]) continue;
        for (const Edge& edge : node.inputs) reads[edge.value] = true;
    }
    return reads;
}

void run_host_moves(Graph& graph, const PassOptions& options) {
    if (!options.host_fallback) return;
    share_moves(graph);
    const std::vector<bool> reads = device_reads(graph);
    const auto uses = graph.use_counts();
    std::vector<bool> from_input(graph.nodes.size(), false);
    std::vector<bool> iterations(graph.nodes.size(),
                                 false);  // of a part that loops, where the host has all of them in one
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        from_input[id] = node.is_input();
        iterations[id] = node.has("iterations");
        for (const Edge& edge : node.inputs) iterations[id] = iterations[id] || iterations[edge.value];
        if (!is_move(node) || iterations[id]) continue;
        const ValueId source = node.inputs[0].value;
        from_input[id] = from_input[source];
        // a value that the device reads as well as its moved form would be sent twice; a model of moves only is the
        // device's
        if (from_input[id] ? reads[id] && uses[source] == 1 : !reads[id]) node.attrs["host"] = std::int64_t{1};
        if (from_input[id] && !node.has("host")) from_input[id] = false;
    }
}

}  // namespace

extern const Pass host_moves;
const Pass host_moves{
    .name = "host-moves", .summary = "the host puts inputs and outputs in the device's order", .run = run_host_moves};

}  // namespace ttsim::impl::ir
