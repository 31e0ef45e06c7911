#include "compiler/host/feed_back.hpp"

#include <algorithm>
#include <set>

#include "base/error_codes.hpp"
#include "base/text.hpp"

namespace ttsim::impl::ir {

static std::vector<std::string> output_names(const Graph& graph) {
    std::vector<std::string> names;
    for (const Output& output : graph.outputs) names.push_back(output.name);
    return names;
}

/// nullptr if there is no such input.
static const Type* input_type(const Graph& graph, const std::string& name) {
    for (const Node& node : graph.nodes)
        if (node.is_input() && !node.has(attr::device) && boundary_name(node) == name) return &node.type;
    return nullptr;
}

static const Type* output_type(const Graph& graph, const std::string& name) {
    for (const Output& output : graph.outputs)
        if (output.name == name) return &graph.type(output.value);
    return nullptr;
}

void check_feed_back(const FeedBack& states, const HostSteps& steps, const SourceLoc& where) {
    if (states.empty()) return;
    const Graph& graph = steps.program.graph;
    Diagnostics problems;
    if (steps.microbatch > 1)
        problems.error(where, "it was compiled with --microbatch {}: states need 1", steps.microbatch);
    std::set<std::string> fed;
    for (const auto& [output, input] : states) {
        const Type *made = output_type(graph, output), *taken = input_type(graph, input);
        if (!made) {
            problems.add(make_problem(Fault::Input, {where, error_code::unknown_name, {output}},
                                      fmt::format("the model has no output '{}' to feed back{}", output,
                                                  did_you_mean(output, output_names(graph)))));
        } else if (!taken) {
            problems.add(make_problem(Fault::Input, {where, error_code::unknown_name, {input}},
                                      fmt::format("the model has no input '{}' to feed '{}' to{}", input, output,
                                                  did_you_mean(input, input_names(graph)))));
        } else if (!(*made == *taken)) {
            problems.error(where, "output '{}' is {} and input '{}' is {}: a state has one shape and type", output,
                           to_string(*made), input, to_string(*taken));
        }
        if (!fed.insert(input).second) problems.error(where, "two outputs are fed to input '{}'", input);
    }
    problems.throw_if_any();
}

void feed_back(const FeedBack& states, const Values& outputs, Values& inputs) {
    for (const auto& [output, input] : states) inputs.insert_or_assign(input, outputs.at(output));
}

}  // namespace ttsim::impl::ir
