// host-moves: the host puts inputs and outputs in the order the device wants.
//
//   %x = input                                          %x = input
//   %t = transpose %x {perm = [0, 2, 3, 1]}       ->    %t = transpose %x {host = 1, perm = [0, 2, 3, 1]}
//
// Reshapes and transposes that only inputs reach, and those that only lead to outputs. They are marked as mark-host
// does; cut-host takes them out.
#include "compiler/ir/pass.hpp"

namespace tt::ir {

namespace {

bool is_move(const Node& node) { return node.op == "reshape" || node.op == "transpose"; }

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
    const std::vector<bool> reads = device_reads(graph);
    const auto uses = graph.use_counts();
    std::vector<bool> from_input(graph.nodes.size(), false);
    std::vector<bool> turns(graph.nodes.size(), false);  // of a part that loops, where the host has all of them in one
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        from_input[id] = node.is_input();
        turns[id] = node.has("turns");
        for (const Edge& edge : node.inputs) turns[id] = turns[id] || turns[edge.value];
        if (!is_move(node) || turns[id]) continue;
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

}  // namespace tt::ir
