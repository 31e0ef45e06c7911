// The update rules are those of torch.optim, one step for the sum of gradients since the last.
#include "compiler/autograd/optimizer.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "compiler/ir/builder.hpp"
#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

namespace {

/// What trust ratios are made of: two sums of squares.
struct Squares {
    ValueId parameter = 0, slope = 0;
};

/// The nodes of the optimizer for one parameter: prepare(), then for a trust ratio squares(), then finish().
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

    void prepare() {
        gradient_ = read_state(gradient_state(name_), build_.dims(parameter_), std::nullopt);
        rate_ = read_state(learning_rate_state(name_), {}, rate_of_step(settings_, settings_.learning_rate, 1));
        if (settings_.has_averages()) step_ = adam(gradient_);
    }

    Squares squares() {
        return {sum_of_squares(parameter_), sum_of_squares(settings_.has_averages() ? step_ : gradient_)};
    }
    /// Of the tensor that several parameters hold.
    Squares added(const Squares& a, const Squares& b) {
        return {op(op::add, a.parameter, b.parameter), op(op::add, a.slope, b.slope)};
    }

    /// `whole`: the squares of all parameters that hold the tensor.
    void finish(const std::optional<Squares>& whole) {
        ValueId change = 0;
        switch (settings_.kind) {
            case OptimizerKind::None:
                return;
            case OptimizerKind::Sgd:
                change = sgd(gradient_, rate_);
                break;
            case OptimizerKind::Adam:
            case OptimizerKind::AdamW:
                change = op(op::multiply, step_, rate_);
                break;
            case OptimizerKind::Lamb:
                change = lamb(*whole);
                break;
            case OptimizerKind::Lars:
                change = lars(*whole);
                break;
        }
        if (settings_.compensated)
            subtract_compensated(parameter_, name_, optimizer_state(residue_state, name_), change);
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

    /// Compensated summation: what rounding takes from `from`, the state `name`, is kept in the state `rest` for the
    /// next step. The sum is rounded where it is stored, and again where it is read: a register of the matrix unit
    /// truncates Float32. The difference of two values that were read is exact.
    ValueId subtract_compensated(ValueId from, const std::string& name, const std::string& rest, ValueId change) {
        const ValueId residue = read_state(rest, build_.dims(from), 0.0);
        const ValueId all = op(op::subtract, residue, change);
        const ValueId next = op(op::add, from, all);
        replace(residue, rest, op(op::add, op(op::subtract, from, next), all));
        replace(from, name, next);
        return next;
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
    /// Of squares: a step changes it by a thousandth, which rounding would take in 16 bits, so that it never falls.
    ValueId average_of_squares(ValueId gradient) {
        const ValueId square = build_.add(op::square, {gradient});
        const std::string state = optimizer_state(square_state, name_);
        if (!settings_.compensated) return average(state, square, settings_.beta2);
        const ValueId before = read_state(state, build_.dims(parameter_), 0.0);
        const ValueId change = scaled(op(op::subtract, before, square), 1 - settings_.beta2);
        return subtract_compensated(before, state, optimizer_state(remainder_state, name_), change);
    }
    /// The change at a rate of 1.
    ValueId adam(ValueId gradient) {
        if (settings_.kind == OptimizerKind::Adam) gradient = decayed(gradient);
        const ValueId mean = average(optimizer_state(mean_state, name_), gradient, settings_.beta1);
        const ValueId square = average_of_squares(gradient);
        const ValueId epsilon = settings_.reads_epsilon()
                                    ? read_state(epsilon_state(name_), {}, epsilon_of_step(settings_, 1))
                                    : build_.scalar(settings_.epsilon);
        const ValueId root = op(op::add, build_.add(op::sqrt, {square}), epsilon);
        ValueId step = op(op::multiply, mean, build_.add(op::reciprocal, {root}));
        if (settings_.reads_correction())
            step = op(op::multiply, step, read_state(correction_state(name_), {}, correction_of_step(settings_, 1)));
        return settings_.kind == OptimizerKind::Adam ? step : decayed(step);
    }

    // --- optimizers with a trust ratio, a number for the whole tensor

    /// As a number. Tile padding is none of the elements.
    ValueId sum_of_squares(ValueId x) {
        ValueId sum = build_.add(op::square, {x});
        for (std::int64_t axis = std::ssize(build_.dims(x)) - 1; axis >= 0; --axis) sum = build_.reduce_sum(sum, axis);
        return build_.reshape(sum, {});
    }
    ValueId root(ValueId squares) { return build_.add(op::sqrt, {squares}); }
    /// 1 where a number is 0, else 0.
    ValueId is_zero(ValueId x) { return build_.cast(op(op::equal, x, build_.scalar(0)), DType::F32); }
    /// after(a / (b + rest)), or 1 if a or b is 0. a and b are norms.
    ValueId trust_ratio(ValueId a, ValueId b, std::optional<ValueId> rest,
                        const std::function<ValueId(ValueId)>& after) {
        const ValueId zero = op(op::maximum, is_zero(a), is_zero(b));
        const ValueId below = op(op::add, rest ? op(op::add, b, *rest) : b, zero);  // never 0
        const ValueId ratio = after(op(op::multiply, a, build_.add(op::reciprocal, {below})));
        return op(op::add, op(op::multiply, ratio, op(op::subtract, build_.scalar(1), zero)), zero);
    }
    ValueId lamb(const Squares& whole) {
        const auto clipped = [&](ValueId ratio) {
            if (settings_.trust_least > 0) ratio = op(op::maximum, ratio, build_.scalar(settings_.trust_least));
            return op(op::minimum, ratio, build_.scalar(settings_.trust_most));
        };
        const ValueId ratio = trust_ratio(root(whole.parameter), root(whole.slope), std::nullopt, clipped);
        return op(op::multiply, step_, op(op::multiply, ratio, rate_));
    }
    ValueId lars(const Squares& whole) {
        const ValueId length = root(whole.parameter), slope = root(whole.slope);
        const ValueId rest = op(op::add, scaled(length, settings_.weight_decay), build_.scalar(settings_.epsilon));
        const ValueId local =
            trust_ratio(length, slope, rest, [&](ValueId ratio) { return scaled(ratio, settings_.trust_coefficient); });
        const ValueId moved = op(op::multiply, decayed(gradient_), op(op::multiply, local, rate_));
        const std::string state = optimizer_state(momentum_state, name_);
        const ValueId before = read_state(state, build_.dims(parameter_), 0.0);
        const ValueId now = op(op::add, scaled(before, settings_.momentum), scaled(moved, 1 - settings_.dampening));
        replace(before, state, now);
        return settings_.nesterov ? op(op::add, moved, scaled(now, settings_.momentum)) : now;
    }

    Graph& graph_;
    Builder build_;
    const OptimizerSettings& settings_;
    ValueId parameter_;
    std::string name_;
    ValueId gradient_ = 0, rate_ = 0, step_ = 0;
};

/// The updates of the parameters that hold a tensor, with the ratio of the whole tensor.
void update_together(Graph& graph, std::span<const ValueId> parts, const OptimizerSettings& settings) {
    std::vector<Update> updates;
    for (const ValueId id : parts) updates.emplace_back(graph, id, settings).prepare();
    std::optional<Squares> whole;
    for (Update& update : updates) {
        const Squares own = update.squares();
        whole = whole ? update.added(*whole, own) : own;
    }
    for (Update& update : updates) update.finish(whole);
}

}  // namespace

/// The sum of the weights of an average after some steps.
static double share_of_step(double beta, std::int64_t step) { return 1 - std::pow(beta, static_cast<double>(step)); }

double correction_of_step(const OptimizerSettings& settings, std::int64_t step) {
    if (!settings.has_averages() || !settings.bias_correction) return 1;
    return std::sqrt(share_of_step(settings.beta2, step)) / share_of_step(settings.beta1, step);
}

double epsilon_of_step(const OptimizerSettings& settings, std::int64_t step) {
    return settings.reads_epsilon() ? settings.epsilon * std::sqrt(share_of_step(settings.beta2, step))
                                    : settings.epsilon;
}

double rate_of_step(const OptimizerSettings& settings, double rate, std::int64_t step) {
    return settings.reads_correction() ? rate : rate * correction_of_step(settings, step);
}

std::optional<OptimizerKind> parse_optimizer(std::string_view name) {
    if (name == "none") return OptimizerKind::None;
    if (name == "sgd") return OptimizerKind::Sgd;
    if (name == "adam") return OptimizerKind::Adam;
    if (name == "adamw") return OptimizerKind::AdamW;
    if (name == "lamb") return OptimizerKind::Lamb;
    if (name == "lars") return OptimizerKind::Lars;
    return std::nullopt;
}

void add_optimizer(Graph& graph, std::span<const ValueId> trained, const OptimizerSettings& settings) {
    if (settings.kind == OptimizerKind::None) return;
    std::map<std::string, std::vector<ValueId>> by_tensor;
    for (const ValueId id : trained) {
        if (const Node& node = graph.nodes[id]; settings.has_trust_ratio()) {
            by_tensor[node.has(attr::rows_of) ? node.get(attr::rows_of) : node.origin].push_back(id);
            continue;
        }
        Update update(graph, id, settings);
        update.prepare();
        update.finish({});
    }
    for (const auto& [tensor, parts] : by_tensor) update_together(graph, parts, settings);
}

}  // namespace ttsim::impl::ir
