// keep-states: a loop's state lies in one memory, which its last op writes and the first of the next turn reads.
//
//   %s = input {state = "y_state_0"} : Float16_b[1, 1, 4]     %h = buda.add ... : Float32[1, 1, 4]
//   output "y_state_0" = %h                               ->  %s = input ... : Float32[1, 1, 4]
//
// The state takes the format of what it is left with. Where passes gave that another form, the loop is refused, and the
// compiler writes it out.
#include <algorithm>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static void run_keep_states(Graph& graph, const PassOptions&) {
    for (Node& node : graph.nodes) {
        if (!node.is_input() || !node.has("state")) continue;
        const std::string name = node.word("state", "");
        const auto left = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                       [&](const Output& output) { return output.name == name; });
        TT_CHECK(left != graph.outputs.end(), "nothing is left as '{}'", name);
        const Type& type = graph.type(left->value);
        if (type.dims != node.type.dims)
            fail_unsupported(node.loc,
                             "'{}' of a loop is left as {} and found as {}; write the loop out (--loops unrolled)",
                             name, to_string(type), to_string(node.type));
        node.type.format = type.format;
    }
}

extern const Pass keep_states;
const Pass keep_states{
    .name = "keep-states", .summary = "states of loops are found as they are left", .run = run_keep_states};

}  // namespace ttsim::impl::ir
