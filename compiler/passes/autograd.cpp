// autograd: adds the backward and the optimizer program.
//
//   backward   %l = input "loss_y"            -> ... -> output "grad_acc_w", summed by the device over all inputs
//   optimizer  %g = input {state = "grad_acc_w"}     -> ... -> output "w", which replaces the parameter
//
// compiler/autograd/ has the gradients of ops and the optimizers.
#include "compiler/autograd/autograd.hpp"

#include <map>
#include <set>

#include "compiler/autograd/optimizer.hpp"
#include "compiler/host/host_program.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t backward_part = 2;

/// The host gives the gradient of an output, which it has computed from the output.
void add_host_input(HostProgram& host, Node& device) {
    Node node;
    node.name = node.origin = device.origin;
    node.op = op::input;
    node.type = device.type;
    host.graph.nodes.push_back(node);
    host.to_device.push_back({node.origin, host.graph.nodes.size() - 1, backward_part, 0});
    device.set(attr::part, backward_part);
}

/// A result of the backward program for the host.
void add_host_output(HostProgram& host, const std::string& name, const Type& type) {
    Node node;
    node.name = node.origin = name;
    node.op = op::input;
    node.type = type;
    node.set(attr::device, backward_part);
    host.graph.nodes.push_back(node);
    host.graph.outputs.push_back({name, host.graph.nodes.size() - 1, {}});
}

/// Throws Error(Input) for a parameter that a host step reads: gradients do not pass host steps.
void check_host(const HostProgram& host) {
    for (const Node& node : host.graph.nodes)
        if (node.is_parameter())
            fail_input(node.loc,
                       "constant '{}' is trained, and a step of the host reads it; train the other constants with "
                       "'--freeze {}', or name those to train with '--train'",
                       node.origin, node.origin);
}

/// Results of the model and of training need different names, and so do its inputs and gradients from the host.
void check_names(const Graph& graph, const Gradients& gradients, const std::vector<ValueId>& trained,
                 const std::map<std::string, std::string>& wanted_inputs, const HostProgram* host) {
    Diagnostics problems;
    std::map<std::string, std::string> results;  // name -> what has it
    std::set<std::string> inputs;
    const auto add_boundary = [&](const Graph& part, std::size_t nodes) {
        for (const Output& output : part.outputs) results.emplace(output.name, "an output");
        for (ValueId id = 0; id < nodes; ++id)
            if (part.nodes[id].is_input() && !part.nodes[id].is_parameter()) inputs.insert(part.nodes[id].origin);
    };
    add_boundary(graph, gradients.first_backward);
    if (host) add_boundary(host->graph, host->graph.nodes.size());
    for (const auto& [node, name] : wanted_inputs)
        if (!results.emplace(gradient_output(name), "a gradient").second)
            problems.error({}, "the gradient of input '{}' would be called '{}' as an output is; rename one of them",
                           name, gradient_output(name));
    for (const ValueId id : trained) {
        const std::string& parameter = graph.nodes[id].origin;
        std::vector<std::string> names = states_of(parameter);
        names.push_back(parameter);
        for (const std::string& name : names)
            if (const auto [other, is_new] = results.emplace(name, "constant '" + parameter + "'"); !is_new) {
                problems.error(
                    graph.nodes[id].loc,
                    "constant '{0}' is trained, and '{1}' names what {2} leaves, too; rename one of them, or "
                    "leave the constant as it is with '--freeze {0}'",
                    parameter, name, other->second);
                break;
            }
    }
    for (const auto& [output, id] : gradients.incoming)
        if (inputs.contains(loss_input(output)))
            problems.error({}, "the gradient of output '{}' would be called '{}' as an input is; rename one of them",
                           output, loss_input(output));
    problems.throw_if_any();
}

void run_autograd(Graph& graph, const PassOptions& options) {
    if (!options.training) return;
    const TrainingRequest& request = *options.training;
    if (options.host) check_host(*options.host);
    AutogradRequest wanted{.wrt = {}, .losses = request.losses};
    std::map<std::string, std::string> parameters, inputs;  // node -> name in the model
    for (const Node& node : graph.nodes) {
        if (node.is_parameter())
            parameters.emplace(node.name, node.origin);
        else if (node.is_input() && request.input_gradients.contains(node.origin))
            inputs.emplace(node.name, node.origin);
        else
            continue;
        wanted.wrt.insert(node.name);
    }
    if (wanted.wrt.empty())
        fail_input({},
                   "there is nothing to train: no constant of floats with an axis is left, and no input asks for its "
                   "gradient; name constants with '--train', or inputs with '--input-gradients'");
    const Gradients gradients = differentiate(graph, wanted);
    if (gradients.of.empty())
        fail_input(
            {},
            "nothing is trained: no gradient reaches '{}'{}; on all ways to the outputs are ops that stop it, such "
            "as rounding and comparisons",
            (parameters.empty() ? inputs : parameters).begin()->second,
            wanted.wrt.size() == 1 ? "" : " or another of the tensors to train");
    std::vector<ValueId> trained;
    for (ValueId id = 0; id < gradients.first_backward; ++id)
        if (graph.nodes[id].is_parameter() && gradients.of.contains(graph.nodes[id].name)) trained.push_back(id);
    check_names(graph, gradients, trained, inputs, options.host);
    for (ValueId id = gradients.first_backward; id < graph.nodes.size(); ++id) graph.nodes[id].phase = Phase::Backward;
    for (const auto& [output, id] : gradients.incoming)
        if (options.host) add_host_input(*options.host, graph.nodes[id]);
    for (const auto& [node, name] : inputs)
        if (const auto found = gradients.of.find(node); found != gradients.of.end()) {
            graph.outputs.push_back({gradient_output(name), found->second, graph.type(found->second)});
            if (options.host) add_host_output(*options.host, gradient_output(name), graph.type(found->second));
        }
    for (const ValueId id : trained) {
        const ValueId gradient = gradients.of.at(graph.nodes[id].name);
        graph.outputs.push_back({gradient_state(graph.nodes[id].origin), gradient, graph.type(gradient)});
    }
    add_optimizer(graph, trained, request.optimizer);
}

}  // namespace

extern const Pass autograd;
const Pass autograd{.name = "autograd",
                    .summary = "add the backward program and the optimizer of a model that is trained",
                    .run = run_autograd};

}  // namespace ttsim::impl::ir
