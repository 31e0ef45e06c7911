// train-parameters: makes trained constants parameters, whose values the optimizer replaces. They are inputs that stay
// on the device, so no later pass folds them.
//
//   %w = constant [...]                  ->  %w = input, with that initial value
//   %y = take %w, %ids {axis = 0}        ->  %h = one hot rows of %ids, on the host
//                                            %y = matmul %h, %w
#include <algorithm>

#include "base/text.hpp"
#include "compiler/ir/derivation.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"

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
        node.op = op::input;
        node.origin = name;
        node.initial = std::move(node.literal);
        node.literal = nullptr;
    }
    if (!missing.empty())
        fail_input({}, "the model has no constant of floats called '{}'{}", *missing.begin(),
                   did_you_mean(*missing.begin(), names));
}

/// The table of a `take` is a parameter, so the device multiplies it by one-hot rows, which the host makes: they are
/// exact for every number of rows.
std::optional<ValueId> look_up(Builder& build, const Node& node, std::span<const ValueId> in) {
    if (node.op != op::take || !build.graph().nodes[in[0]].is_parameter() || node.get(attr::axis) != 0)
        return std::nullopt;
    const Dims table = build.dims(in[0]), ids = build.dims(in[1]);
    const std::int64_t rows = table[0], width = count(table) / std::max<std::int64_t>(rows, 1);
    const Attrs host{attr::host(true)};
    const auto on_host = [&](OpId op, std::vector<ValueId> of, Attrs attrs = {}) {
        attrs.insert(host.begin(), host.end());
        return build.add(op, of, std::move(attrs));
    };
    const DType type = build.type(in[1]).dtype;
    Literal numbers(type, {rows});
    for (std::int64_t k = 0; k < rows; ++k) numbers.set(k, static_cast<double>(k));
    const ValueId below = on_host(op::less, {in[1], build.integer(0, type)});
    const ValueId added = on_host(op::multiply, {on_host(op::cast, {below}, {attr::to(std::string(to_string(type)))}),
                                                 build.integer(rows, type)});
    const ValueId index = on_host(op::reshape, {on_host(op::add, {in[1], added})}, {attr::dims({count(ids), 1})});
    const ValueId hit = on_host(op::equal, {index, build.constant(std::move(numbers))});
    const ValueId one_hot = on_host(op::cast, {hit}, {attr::to(std::string("f32"))});
    return build.reshape(build.add(op::matmul, {one_hot, build.reshape(in[0], {rows, width})}), node.type.dims);
}

void run_train_parameters(Graph& graph, const PassOptions& options) {
    if (!options.training) return;
    make_parameters(graph, *options.training);
    rewrite(graph, look_up);
}

}  // namespace

extern const Pass train_parameters;
const Pass train_parameters{.name = "train-parameters",
                            .summary = "constants that are trained become parameters on the device",
                            .run = run_train_parameters};

}  // namespace ttsim::impl::ir
