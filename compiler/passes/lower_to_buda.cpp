// lower-to-buda: lowers core ops on model tensors to device ops on tiles; see lower/lowering.hpp.
//
//   %y = add %x, %b : f32[2, 3]   ->   %y = buda.add %x, %b : Float16_b[1, 1, 1]
//   %y = map_axis %x, %m          ->   a buda.matmul from the left or the right
//   %y = reshape %x               ->   two buda.matmul with 0/1 matrices, unless the tiles stay as they are
#include <cmath>

#include "compiler/lower/lowering.hpp"

namespace ttsim::impl::ir {

/// Whether both graphs differ at most in values of constants.
static bool same_ops(const Graph& a, const Graph& b) {
    return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), [](const Node& x, const Node& y) {
        return x.op == y.op && x.inputs == y.inputs && x.attrs == y.attrs && x.type == y.type;
    });
}

/// Marks parameters whose values repeat into padding as not replaceable.
static void fix_repeated(Graph& device) {
    for (Node& node : device.nodes)
        if (node.derivation && std::isfinite(node.derivation->largest)) node.derivation = as_fixed(node.derivation);
}

static void run_lower_to_buda(Graph& graph, const PassOptions& options) {
    for (const Node& node : graph.nodes)
        if (node.type.format) fail_input(node.loc, "'{}' is on the device already", node.name);
    Graph device = graph.next();
    Lowering lowering(graph, device, options);
    lowering.run();
    if (lowering.repeats_parameters()) {
        Graph other = graph.next();
        Lowering(graph, other, options, true).run();
        if (!same_ops(device, other)) fix_repeated(device);
    }
    graph = std::move(device);
}

extern const Pass lower_to_buda;
const Pass lower_to_buda{
    .name = "lower-to-buda", .summary = "core ops on tensors to device ops on tiles", .run = run_lower_to_buda};

}  // namespace ttsim::impl::ir
