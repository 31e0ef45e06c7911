// hoist-data-movement: stores a parameter as its readers use it.
//
//   %w = input, a parameter f32[8, 3, 2, 2]           ->  %m = input, a parameter f32[12, 8]
//   %t = reshape (transpose %w)  : f32[12, 8]
//
// If all readers of a parameter move its elements in the same way, the host moves the initial value, and moves values
// back that are read. A parameter with readers of two kinds keeps its layout.
#include <algorithm>
#include <array>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/op_table.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

bool is_pure_move(const Node& node) {
    return (node.op == op::reshape || node.op == op::transpose) && !node.has(attr::host) && node.inputs[0].tms.empty();
}

/// The readers of a value, if all are the same move.
std::vector<ValueId> same_moves(const Graph& graph, ValueId id) {
    std::vector<ValueId> readers;
    for (ValueId reader = id + 1; reader < graph.nodes.size(); ++reader)
        for (const Edge& edge : graph.nodes[reader].inputs)
            if (edge.value == id) readers.push_back(reader);
    for (const Output& output : graph.outputs)
        if (output.value == id) return {};
    const auto differs = [&](ValueId reader) {
        const Node &node = graph.nodes[reader], &first = graph.nodes[readers.front()];
        return !is_pure_move(node) || node.op != first.op || node.attrs != first.attrs;
    };
    if (std::any_of(readers.begin(), readers.end(), differs)) return {};
    return readers;
}

void run_hoist_data_movement(Graph& graph, const PassOptions&) {
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        if (!graph.nodes[id].is_parameter()) continue;
        for (;;) {
            const std::vector<ValueId> readers = same_moves(graph, id);
            if (readers.empty()) break;
            const Node move = graph.nodes[readers.front()];
            Node& parameter = graph.nodes[id];
            parameter.derivation = derive(graph, move);
            const std::array<const Literal*, 1> in{parameter.initial.get()};
            parameter.initial = std::make_shared<Literal>(find_op(move.op)->eval(move, in));
            parameter.type = move.type;
            for (Node& node : graph.nodes)
                for (Edge& edge : node.inputs)
                    if (std::find(readers.begin(), readers.end(), edge.value) != readers.end()) edge.value = id;
            for (Output& output : graph.outputs)
                if (std::find(readers.begin(), readers.end(), output.value) != readers.end()) output.value = id;
        }
    }
    graph.erase_unused();
}

}  // namespace

extern const Pass hoist_data_movement;
const Pass hoist_data_movement{.name = "hoist-data-movement",
                               .summary = "store parameters in the layout in which they are read",
                               .run = run_hoist_data_movement,
                               .optional = true};

}  // namespace ttsim::impl::ir
