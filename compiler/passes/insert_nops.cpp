// insert-nops: nops that the user wants before operands of an op ("nops" of an override), one after the other: each
// holds some of what passes.
#include "compiler/ir/pass.hpp"

namespace tt::ir {

namespace {

/// `count` nops behind a value; the last one's result.
ValueId chain(Builder& build, ValueId value, std::int64_t count, const std::string& from, const std::string& to) {
    for (std::int64_t n = 0; n < count; ++n) {
        value = build.add_edges("buda.nop", {{value, {}}}, {}, build.type(value).format);
        build.graph().nodes[value].name = fmt::format("buffer_{}_{}_{}", n, from, to);
    }
    return value;
}

void run_insert_nops(Graph& graph, const PassOptions& options) {
    bool any = false;
    for (const auto& [_, user] : options.overrides) any = any || !user.nops.empty();
    if (!any) return;
    Graph result;
    Builder build(result);
    std::vector<ValueId> moved;
    for (const Node& node : graph.nodes) {
        std::vector<Edge> inputs = node.inputs;
        const auto user = options.overrides.find(node.name);
        build.set_origin(node.origin);
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const Node& from = graph.nodes[inputs[k].value];
            inputs[k].value = moved[inputs[k].value];
            if (user == options.overrides.end() || k >= user->second.nops.size()) continue;
            if (from.is_constant())
                fail_input(user->second.loc, "operand {} of '{}' is a constant: no nop holds what does not change", k,
                           node.name);
            inputs[k].value = chain(build, inputs[k].value, user->second.nops[k], from.name, node.name);
        }
        build.set_origin("");
        moved.push_back(build.copy(node, std::move(inputs)));
    }
    for (const Output& out : graph.outputs) result.outputs.push_back({out.name, moved[out.value], out.type});
    graph = std::move(result);
}

}  // namespace

extern const Pass insert_nops;
const Pass insert_nops{
    .name = "insert-nops", .summary = "nops that overrides want before operands of an op", .run = run_insert_nops};

}  // namespace tt::ir
