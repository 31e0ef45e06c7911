// keep-states: gives a loop's state one format, since the last op of an iteration writes the memory that the next one
// reads.
//
//   %s = input {state = "y_state_0"} : Float16_b[1, 1, 4]     %h = buda.add ... : Float32[1, 1, 4]
//   output "y_state_0" = %h                               ->  %s = input ... : Float32[1, 1, 4]
//
// The state gets the format in which it is written. If passes changed the dims of one of them, the loop is rejected and
// the compiler unrolls it.
#include <algorithm>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static void run_keep_states(Graph& graph, const PassOptions&) {
    for (Node& node : graph.nodes) {
        if (!node.is_input() || !node.has(attr::state)) continue;
        const std::string name = node.get(attr::state);
        const auto written = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                          [&](const Output& output) { return output.name == name; });
        TT_CHECK(written != graph.outputs.end(), "no output writes state '{}'", name);
        const Type& type = graph.type(written->value);
        if (type.dims != node.type.dims)
            fail_unsupported(node.loc,
                             "state '{}' of a loop is written as {} and read as {}; unroll it (--loops unrolled)", name,
                             to_string(type), to_string(node.type));
        node.type.format = type.format;
    }
}

extern const Pass keep_states;
const Pass keep_states{
    .name = "keep-states", .summary = "give loop states the format in which they are written", .run = run_keep_states};

}  // namespace ttsim::impl::ir
