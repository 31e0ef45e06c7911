#include "compiler/host/model_tail.hpp"

#include "compiler/host/host_program.hpp"
#include "compiler/host/host_value.hpp"
#include "compiler/onnx/read_tail.hpp"

namespace ttsim::impl::ir {

static std::vector<Literal> values_if_any(const Node& node, std::span<const Literal* const> in) {
    if (!has_host_value(node)) return {};
    return host_values(node, in);
}

std::vector<Literal> tail_values(const Node& node, std::span<const Literal* const> in) {
    HostProgram program;
    program.graph = read_tail(node.get(attr::model), node.name, in, values_if_any);
    const Values values = HostRun(program, {}).outputs();
    std::vector<Literal> results;
    for (const Output& output : program.graph.outputs) results.push_back(values.at(output.name));
    return results;
}

}  // namespace ttsim::impl::ir
