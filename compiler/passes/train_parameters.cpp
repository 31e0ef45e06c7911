// train-parameters: makes trained constants parameters, whose values the optimizer replaces. They are inputs that stay
// on the device, so no later pass folds them.
//
//   %w = constant [...]                  ->  %w = input, with that initial value
//   %y = take %w, %ids {axis = 0}        ->  %h = one hot rows of %ids, on the host
//                                            %y = matmul %h, %w
//
// Parameters whose summed gradient does not fit L1 become several (divided_parameters.hpp).
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "compiler/ir/derivation.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/passes/divided_parameters.hpp"

namespace ttsim::impl::ir {

namespace {

/// Per node: whether an op reads it that takes constants only, such as the positions of a gather as a matrix.
std::vector<bool> fixed_operands(const Graph& graph) {
    std::vector<bool> fixed(graph.nodes.size(), false);
    for (const Node& node : graph.nodes)
        if (node.op == op::map_axis) fixed[node.inputs[1].value] = true;
    return fixed;
}

/// Whether a constant is trained if the request names none.
bool is_trained_by_default(const Node& node) { return !node.type.dims.empty() && count(node.type.dims) > 0; }

void make_parameters(Graph& graph, const TrainingRequest& request) {
    const bool others = !request.frozen.contains("*");
    std::set<std::string> missing = request.parameters;
    missing.insert(request.frozen.begin(), request.frozen.end());
    missing.erase("*");
    std::vector<std::string> names;
    const std::vector<bool> fixed = fixed_operands(graph);
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        if (!node.is_constant() || fixed[id] || !is_float(node.type.dtype)) continue;
        const std::string name = parameter_name(node);
        names.push_back(name);
        missing.erase(name);
        const bool wanted =
            request.parameters.empty() ? others && is_trained_by_default(node) : request.parameters.contains(name);
        if (!wanted || request.frozen.contains(name)) continue;
        if (count(node.type.dims) == 0) fail_input(node.loc, "constant '{}' has no elements to train", name);
        node.op = op::input;
        node.origin = name;
        node.initial = std::move(node.literal);
        node.literal = nullptr;
    }
    if (!missing.empty())
        fail_input({}, "the model has no constant of floats called '{}'{}", *missing.begin(),
                   did_you_mean(*missing.begin(), names));
}

void check_input_names(const Graph& graph, const TrainingRequest& request) {
    std::vector<std::string> floats;
    for (const Node& node : graph.nodes)
        if (node.is_input() && !node.is_parameter() && is_float(node.type.dtype)) floats.push_back(node.origin);
    for (const std::string& name : request.input_gradients)
        if (std::ranges::find(floats, name) == floats.end())
            fail_input({}, "the model has no input of floats called '{}', whose gradient is asked for{}", name,
                       did_you_mean(name, floats));
}

void run_train_parameters(Graph& graph, const PassOptions& options) {
    if (!options.training) return;
    make_parameters(graph, *options.training);
    check_input_names(graph, *options.training);
    DividedParameters parameters(graph, options.sum_bytes, options.divided);
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) {
        return parameters.replace(build, node, in);
    });
}

}  // namespace

extern const Pass train_parameters;
const Pass train_parameters{.name = "train-parameters",
                            .summary = "constants that are trained become parameters on the device",
                            .run = run_train_parameters};

}  // namespace ttsim::impl::ir
