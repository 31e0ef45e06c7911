// lower-to-buda: core ops on model tensors -> "buda.*" ops on tiles. How: lower/lowering.hpp.
//
//   %y = add %x, %b : f32[2, 3]   ->   %y = buda.add %x, %b : Float16_b[1, 1, 1]
//   %y = map_axis %x, %m          ->   a buda.matmul from the left or the right
//   %y = reshape %x               ->   two buda.matmul with 0/1 matrices, unless the tiles stay as they are
#include "compiler/lower/lowering.hpp"

namespace tt::ir {

static void run(Graph& graph, const PassOptions& options) {
    for (const Node& node : graph.nodes)
        if (node.type.format) fail_input(node.loc, "'{}' is on the device already", node.name);
    Graph device;
    Lowering(graph, device, options).run();
    graph = std::move(device);
}

extern const Pass lower_to_buda;
const Pass lower_to_buda{.name = "lower-to-buda", .summary = "core ops on tensors to device ops on tiles", .run = run};

}  // namespace tt::ir
