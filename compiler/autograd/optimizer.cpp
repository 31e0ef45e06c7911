// The update rules are those of torch.optim, one step for the sum of gradients since the last.
#include "compiler/autograd/optimizer.hpp"

#include <cmath>

#include "compiler/ir/builder.hpp"
#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

namespace {

/// The nodes of the optimizer for one parameter.
class Update {
public:
    Update(Graph& graph, ValueId parameter, const OptimizerSettings& settings)
        : graph_(graph),
          build_(graph),
          settings_(settings),
          parameter_(parameter),
          name_(graph.nodes[parameter].origin) {
        build_.set_phase(Phase::Optimizer);
        build_.set_origin("opt_" + name_);
    }

    void run() {
        const Dims dims = build_.dims(parameter_);
        const ValueId gradient = read_state(gradient_state(name_), dims, std::nullopt);
        const ValueId rate =
            read_state(learning_rate_state(name_), {}, rate_of_step(settings_, settings_.learning_rate, 1));
        ValueId change = 0;
        switch (settings_.kind) {
            case OptimizerKind::None:
                return;
            case OptimizerKind::Sgd:
                change = sgd(gradient, rate);
                break;
            case OptimizerKind::Adam:
            case OptimizerKind::AdamW:
                change = adam(gradient, rate);
                break;
        }
        if (settings_.compensated)
            subtract_compensated(change);
        else
            replace(parameter_, name_, op(op::subtract, parameter_, change));
    }

private:
    /// A tensor in memory of the device; `initial`: all elements before the first step.
    ValueId read_state(const std::string& name, const Dims& dims, std::optional<double> initial) {
        const ValueId id = build_.input(name, {DType::F32, dims, {}});
        Node& node = graph_.nodes[id];
        node.phase = Phase::Optimizer;
        if (initial) {
            node.initial = std::make_shared<Literal>(Literal::filled(Literal::scalar(DType::F32, *initial), dims));
        } else {
            node.set(attr::state, name);
        }
        return id;
    }
    /// The program leaves `value` in the state for the next step.
    void replace(ValueId state, const std::string& name, ValueId value) {
        graph_.nodes[state].set(attr::state, name);
        graph_.outputs.push_back({name, value, graph_.type(value)});
    }

    /// Compensated summation: what rounding takes from the parameter is kept for the next step. The sum is rounded
    /// where it is stored, and again where it is read: a register of the matrix unit truncates Float32. The difference
    /// of two values that were read is exact.
    void subtract_compensated(ValueId change) {
        const std::string state = optimizer_state(residue_state, name_);
        const ValueId residue = read_state(state, build_.dims(parameter_), 0.0);
        const ValueId all = op(op::subtract, residue, change);
        const ValueId next = op(op::add, parameter_, all);
        replace(residue, state, op(op::add, op(op::subtract, parameter_, next), all));
        replace(parameter_, name_, next);
    }

    ValueId op(OpId name, ValueId a, ValueId b) { return build_.add(name, {a, b}); }
    ValueId scaled(ValueId a, double factor) { return factor == 1 ? a : op(op::multiply, a, build_.scalar(factor)); }

    ValueId decayed(ValueId gradient) {
        if (settings_.weight_decay == 0) return gradient;
        return op(op::add, gradient, scaled(parameter_, settings_.weight_decay));
    }

    ValueId sgd(ValueId gradient, ValueId rate) {
        gradient = decayed(gradient);
        if (settings_.momentum != 0) {
            const std::string state = optimizer_state(momentum_state, name_);
            const ValueId before = read_state(state, build_.dims(parameter_), 0.0);
            gradient = op(op::add, scaled(before, settings_.momentum), gradient);
            replace(before, state, gradient);
        }
        return op(op::multiply, gradient, rate);
    }

    /// An average that moves by 1 - beta a step.
    ValueId average(const std::string& state, ValueId value, double beta) {
        const ValueId before = read_state(state, build_.dims(parameter_), 0.0);
        const ValueId now = op(op::add, scaled(before, beta), scaled(value, 1 - beta));
        replace(before, state, now);
        return now;
    }
    ValueId adam(ValueId gradient, ValueId rate) {
        if (settings_.kind == OptimizerKind::Adam) gradient = decayed(gradient);
        const ValueId mean = average(optimizer_state(mean_state, name_), gradient, settings_.beta1);
        const ValueId square =
            average(optimizer_state(square_state, name_), build_.add(op::square, {gradient}), settings_.beta2);
        const ValueId root = op(op::add, build_.add(op::sqrt, {square}), build_.scalar(settings_.epsilon));
        ValueId step = op(op::multiply, mean, build_.add(op::reciprocal, {root}));
        if (settings_.kind == OptimizerKind::AdamW && settings_.weight_decay != 0)
            step = op(op::add, step, scaled(parameter_, settings_.weight_decay));
        return op(op::multiply, step, rate);
    }

    Graph& graph_;
    Builder build_;
    const OptimizerSettings& settings_;
    ValueId parameter_;
    std::string name_;
};

}  // namespace

double rate_of_step(const OptimizerSettings& settings, double rate, std::int64_t step) {
    const bool adam = settings.kind == OptimizerKind::Adam || settings.kind == OptimizerKind::AdamW;
    if (!adam || !settings.bias_correction) return rate;
    const auto share = [&](double beta) { return 1 - std::pow(beta, static_cast<double>(step)); };
    return rate * std::sqrt(share(settings.beta2)) / share(settings.beta1);
}

std::optional<OptimizerKind> parse_optimizer(std::string_view name) {
    if (name == "none") return OptimizerKind::None;
    if (name == "sgd") return OptimizerKind::Sgd;
    if (name == "adam") return OptimizerKind::Adam;
    if (name == "adamw") return OptimizerKind::AdamW;
    return std::nullopt;
}

void add_optimizer(Graph& graph, std::span<const ValueId> trained, const OptimizerSettings& settings) {
    if (settings.kind == OptimizerKind::None) return;
    for (const ValueId id : trained) Update(graph, id, settings).run();
}

}  // namespace ttsim::impl::ir
