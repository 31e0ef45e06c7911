// ONNX's recurrent layers RNN, GRU and LSTM, unrolled step by step.
//
// Each gate has its own matrix, so that steps need no slices of columns:
//
//   gate_t = f(x_t * W^T + h_(t-1) * R^T + b)
//
// Steps beyond the length of a sample keep its state and have the output 0.
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>
#include <span>

#include "compiler/onnx/join.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t max_steps = 2048;

using Activation = std::function<ValueId(Import&, ValueId)>;

ValueId step_above(Import& n, ValueId x, double limit) {
    return n.b.cast(n.binary(op::greater, x, n.number(limit, x)), n.b.type(x).dtype);
}

/// `alphas`, `betas`: consumed in order by activations that have such a parameter.
Activation activation(Import& n, const std::string& given, std::vector<float>& alphas, std::vector<float>& betas) {
    std::string name = given;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto next = [](std::vector<float>& values, double otherwise) {
        if (values.empty()) return otherwise;
        const double value = values.front();
        values.erase(values.begin());
        return value;
    };
    if (name == "sigmoid" || name == "tanh" || name == "relu" || name == "softplus")
        return [op = op_named(name)](Import& m, ValueId x) { return m.unary(op, x); };
    if (name == "softsign")
        return [](Import& m, ValueId x) {
            return m.binary(op::divide, x, m.binary(op::add, m.unary(op::abs, x), m.number(1, x)));
        };
    if (name == "leakyrelu" || name == "elu") {
        const double alpha = next(alphas, name == "elu" ? 1 : 0.01);
        const bool leaky = name == "leakyrelu";
        return [=](Import& m, ValueId x) {
            return m.unary(leaky ? op::lrelu : op::elu, x, {{leaky ? "slope" : "alpha", alpha}});
        };
    }
    if (name == "thresholdedrelu") {
        const double alpha = next(alphas, 1);
        return [=](Import& m, ValueId x) { return m.binary(op::multiply, x, step_above(m, x, alpha)); };
    }
    if (name == "affine" || name == "scaledtanh" || name == "hardsigmoid") {
        const bool hard = name == "hardsigmoid";
        const double alpha = next(alphas, hard ? 0.2 : 1), beta = next(betas, hard ? 0.5 : name == "affine" ? 0 : 1);
        if (name == "scaledtanh")
            return [=](Import& m, ValueId x) { return m.scaled(m.unary(op::tanh, m.scaled(x, beta)), alpha); };
        return [=](Import& m, ValueId x) {
            const ValueId line = m.binary(op::add, m.scaled(x, alpha), m.number(beta, x));
            return hard ? m.unary(op::relu_max, line, {attr::threshold(1.0)}) : line;
        };
    }
    n.unsupported("activation '{}' is not known", given);
}

/// Properties that all directions of a layer share.
struct Layer {
    std::int64_t gates = 1, steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 1;
    bool batch_first = false;
    double clip = 0;                    ///< limit of activation inputs; 0: none
    std::vector<std::int64_t> lengths;  ///< by sample; empty: all steps, or those of `present`
    std::optional<ValueId> present;     ///< for runtime lengths: 1 for existing steps, [steps, batch, 1]
    bool has_lengths() const { return present || !lengths.empty(); }
};

/// One direction of a layer: its matrices by gate, its state and activations.
class Direction {
public:
    Direction(Import& n, const Layer& layer, std::int64_t index, std::vector<Activation> functions)
        : n_(n), layer_(layer), index_(index), functions_(std::move(functions)) {
        for (std::int64_t g = 0; g < layer.gates; ++g) {
            w_.push_back(matrix(1, g, layer.inputs));
            r_.push_back(matrix(2, g, layer.hidden));
            if (n.has(3)) wb_.push_back(numbers(3, g)), rb_.push_back(numbers(3, layer.gates + g));
        }
    }

    /// x_t * W^T + h * R^T + b of a gate.
    ValueId gate_sum(std::size_t gate, ValueId x) {
        return plus(plus(input(gate, x), state(gate, h)), bias(gate, true));
    }
    ValueId input(std::size_t gate, ValueId x) { return n_.binary(op::matmul, x, w_[gate]); }
    std::optional<ValueId> state(std::size_t gate, std::optional<ValueId> from) {
        return from ? std::optional(n_.binary(op::matmul, *from, r_[gate])) : std::nullopt;
    }
    /// Bias of the inputs, with `both` plus that of the state.
    std::optional<ValueId> bias(std::size_t gate, bool both) {
        if (wb_.empty()) return std::nullopt;
        return both ? n_.binary(op::add, wb_[gate], rb_[gate]) : wb_[gate];
    }
    std::optional<ValueId> state_bias(std::size_t gate) {
        return rb_.empty() ? std::nullopt : std::optional(rb_[gate]);
    }
    ValueId plus(ValueId a, std::optional<ValueId> b) { return b ? n_.binary(op::add, a, *b) : a; }
    ValueId activate(std::size_t function, ValueId x) {
        if (layer_.clip > 0) {
            x = n_.binary(op::minimum, x, n_.number(layer_.clip, x));
            x = n_.binary(op::maximum, x, n_.number(-layer_.clip, x));
        }
        return functions_[function](n_, x);
    }
    /// Peephole weights [hidden]; nullopt if they are not given.
    std::optional<ValueId> peephole(std::int64_t gate) {
        return n_.has(7) ? std::optional(numbers(7, gate)) : std::nullopt;
    }
    /// Initial state [batch, hidden] of operand k; nullopt if it is not given.
    std::optional<ValueId> initial(std::size_t k) {
        if (!n_.has(k)) return std::nullopt;
        const ValueId own = n_.gather(n_.x(k), layer_.batch_first ? 1 : 0, {index_});
        return n_.b.reshape(own, {layer_.batch, layer_.hidden});
    }

    std::optional<ValueId> h, c;  ///< the state; nullopt: zeros

private:
    ValueId rows(std::size_t k, std::int64_t first, std::int64_t count) {
        std::vector<std::int64_t> places(static_cast<std::size_t>(count));
        std::iota(places.begin(), places.end(), first);
        return n_.gather(n_.gather(n_.x(k), 0, {index_}), 1, places);
    }
    ValueId matrix(std::size_t k, std::int64_t gate, std::int64_t columns) {
        const ValueId own = rows(k, gate * layer_.hidden, layer_.hidden);
        return n_.b.transpose(n_.b.reshape(own, {layer_.hidden, columns}), {1, 0});
    }
    ValueId numbers(std::size_t k, std::int64_t part) {
        return n_.b.reshape(rows(k, part * layer_.hidden, layer_.hidden), {layer_.hidden});
    }

    Import& n_;
    const Layer& layer_;
    std::int64_t index_;
    std::vector<Activation> functions_;
    std::vector<ValueId> w_, r_, wb_, rb_;
};

// --- one step of each kind ----------------------------------------------------------------------------------------

void rnn_step(Import&, Direction& d, ValueId x) { d.h = d.activate(0, d.gate_sum(0, x)); }

void gru_step(Import& n, Direction& d, ValueId x) {
    const ValueId z = d.activate(0, d.gate_sum(0, x)), r = d.activate(0, d.gate_sum(1, x));
    ValueId candidate = d.plus(d.input(2, x), d.bias(2, false));
    if (n.i("linear_before_reset", 0) != 0) {
        std::optional<ValueId> old = d.state(2, d.h);
        if (const auto bias = d.state_bias(2)) old = old ? n.binary(op::add, *old, *bias) : *bias;
        if (old) candidate = n.binary(op::add, candidate, n.binary(op::multiply, r, *old));
    } else {
        if (d.h) candidate = d.plus(candidate, d.state(2, n.binary(op::multiply, r, *d.h)));
        candidate = d.plus(candidate, d.state_bias(2));
    }
    candidate = d.activate(1, candidate);
    const ValueId fresh = n.binary(op::multiply, n.binary(op::subtract, n.number(1, z), z), candidate);
    d.h = d.h ? n.binary(op::add, fresh, n.binary(op::multiply, z, *d.h)) : fresh;
}

void lstm_step(Import& n, Direction& d, ValueId x) {
    enum Gate : std::size_t { input, output, forget, cell };  // in the order of the operands
    const auto with_cell = [&](Gate gate, const std::optional<ValueId>& c) {
        const ValueId sum = d.gate_sum(gate, x);
        const auto weights = c ? d.peephole(static_cast<std::int64_t>(gate)) : std::nullopt;
        return d.activate(0, weights ? n.binary(op::add, sum, n.binary(op::multiply, *c, *weights)) : sum);
    };
    const ValueId i = with_cell(input, d.c);
    const ValueId f = n.i("input_forget", 0) != 0 ? n.binary(op::subtract, n.number(1, i), i) : with_cell(forget, d.c);
    const ValueId fresh = n.binary(op::multiply, i, d.activate(1, d.gate_sum(cell, x)));
    d.c = d.c ? n.binary(op::add, n.binary(op::multiply, f, *d.c), fresh) : fresh;
    const ValueId o = with_cell(output, d.c);
    d.h = n.binary(op::multiply, o, d.activate(2, *d.c));
}

// --- a layer ------------------------------------------------------------------------------------------------------

/// Runtime lengths are compared with the indices of steps on the host, which is exact.
ValueId present_steps(Import& n, const Layer& layer) {
    if (!n.is_integer(4) || n.dims(4) != Dims{layer.batch})
        n.wrong("its lengths are {}; they must be integers for {} samples", to_string(n.b.type(n.x(4))), layer.batch);
    Literal numbers(n.b.type(n.x(4)).dtype, {layer.steps, 1, 1});
    for (std::int64_t t = 0; t < layer.steps; ++t) numbers.set(t, static_cast<double>(t));
    const ValueId lengths = n.b.reshape(n.x(4), {1, layer.batch, 1});
    return n.b.cast(n.binary(op::greater, lengths, n.b.constant(std::move(numbers))), n.b.type(n.x(0)).dtype);
}

Layer layer_of(Import& n, std::int64_t gates) {
    n.need_rank(3);
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
        if (n.rank(k) != 3) n.wrong("operand {} has rank {}; it needs 3", k, n.rank(k));
    Layer layer;
    layer.gates = gates;
    layer.batch_first = n.i("layout", 0) != 0;
    layer.steps = n.dims()[layer.batch_first ? 1 : 0];
    layer.batch = n.dims()[layer.batch_first ? 0 : 1];
    layer.inputs = n.dims()[2];
    layer.hidden = n.dims(2)[2];
    layer.clip = n.f("clip", 0);
    layer.directions = n.get_string("direction", {"forward", "reverse", "bidirectional"}) == "bidirectional" ? 2 : 1;
    if (n.dims(1) != Dims{layer.directions, gates * layer.hidden, layer.inputs} ||
        n.dims(2) != Dims{layer.directions, gates * layer.hidden, layer.hidden})
        n.wrong("its matrices are {} and {}; they must be for {} directions of {} gates of {} from {} inputs",
                to_string(n.b.type(n.x(1))), to_string(n.b.type(n.x(2))), layer.directions, gates, layer.hidden,
                layer.inputs);
    const auto check = [&](std::size_t k, const Dims& wanted) {
        if (n.has(k) && n.dims(k) != wanted)
            n.wrong("operand {} is {}; it must be [{}]", k, to_string(n.b.type(n.x(k))), fmt::join(wanted, ", "));
    };
    check(3, {layer.directions, 2 * gates * layer.hidden});
    for (const std::size_t state : {std::size_t{5}, std::size_t{6}})
        check(state, layer.batch_first ? Dims{layer.batch, layer.directions, layer.hidden}
                                       : Dims{layer.directions, layer.batch, layer.hidden});
    check(7, {layer.directions, 3 * layer.hidden});
    if (layer.steps < 1 || layer.steps > max_steps)
        n.unsupported("it has {} steps; 1 to {} are unrolled: use a shorter input sequence (--shape)", layer.steps,
                      max_steps);
    if (!n.has(4)) return layer;
    if (!n.b.literal(n.x(4))) {
        layer.present = present_steps(n, layer);
    } else {
        layer.lengths = n.integers(4);
        if (static_cast<std::int64_t>(layer.lengths.size()) != layer.batch)
            n.wrong("{} lengths for {} samples", layer.lengths.size(), layer.batch);
        const bool all = std::all_of(layer.lengths.begin(), layer.lengths.end(),
                                     [&](std::int64_t length) { return length >= layer.steps; });
        if (all) layer.lengths.clear();
    }
    return layer;
}

/// 1 for samples that have the step: [batch, 1].
ValueId has_step(Import& n, const Layer& layer, std::int64_t step, ValueId like) {
    if (layer.present) return n.b.reshape(n.gather(*layer.present, 0, {step}), {layer.batch, 1});
    Literal mask(n.b.type(like).dtype, {layer.batch, 1});
    for (std::int64_t k = 0; k < layer.batch; ++k)
        mask.set(k, step < layer.lengths[static_cast<std::size_t>(k)] ? 1 : 0);
    return n.b.constant(std::move(mask));
}

using Step = void (*)(Import&, Direction&, ValueId);

/// The outputs of all steps, [1, batch, hidden] each, in the order of the sequence.
std::vector<ValueId> run(Import& n, const Layer& layer, Direction& d, bool backwards, Step step) {
    std::vector<ValueId> given(static_cast<std::size_t>(layer.steps));
    IterationMarks marks(n, layer.steps);
    for (std::int64_t k = 0; k < layer.steps; ++k) {
        const std::int64_t t = backwards ? layer.steps - 1 - k : k;
        const ValueId x = n.b.reshape(n.gather(n.x(0), layer.batch_first ? 1 : 0, {t}), {layer.batch, layer.inputs});
        const std::optional<ValueId> h = d.h, c = d.c;
        step(n, d, x);
        ValueId output = *d.h;
        if (layer.has_lengths()) {
            const ValueId own = has_step(n, layer, t, *d.h), others = n.binary(op::subtract, n.number(1, own), own);
            const auto kept = [&](ValueId now, const std::optional<ValueId>& before) {
                const ValueId mine = n.binary(op::multiply, now, own);
                return before ? n.binary(op::add, mine, n.binary(op::multiply, *before, others)) : mine;
            };
            output = n.binary(op::multiply, *d.h, own);
            d.h = kept(*d.h, h);
            if (d.c) d.c = kept(*d.c, c);
        }
        given[static_cast<std::size_t>(t)] = n.b.reshape(output, {1, layer.batch, layer.hidden});
        marks.next();
    }
    return given;
}

/// Adds the outputs Y, Y_h and, for layers with cells, Y_c.
void recurrent(Import& n, std::int64_t gates, std::vector<std::string> functions, Step step) {
    const Layer layer = layer_of(n, gates);
    const std::size_t each = functions.size();
    std::vector<std::string> names = n.strings("activations");
    if (names.empty())
        for (std::int64_t k = 0; k < layer.directions; ++k)
            names.insert(names.end(), functions.begin(), functions.end());
    if (names.size() != each * static_cast<std::size_t>(layer.directions))
        n.wrong("it has {} activations; it must have {}", names.size(),
                each * static_cast<std::size_t>(layer.directions));
    std::vector<float> alphas = n.floats("activation_alpha"), betas = n.floats("activation_beta");
    const bool reverse = n.get_string("direction", {"forward", "reverse", "bidirectional"}) == "reverse";
    std::vector<std::vector<ValueId>> outputs;
    std::vector<ValueId> last_h, last_c;
    for (std::int64_t k = 0; k < layer.directions; ++k) {
        std::vector<Activation> own;
        for (std::size_t f = 0; f < each; ++f)
            own.push_back(activation(n, names[static_cast<std::size_t>(k) * each + f], alphas, betas));
        Direction d(n, layer, k, std::move(own));
        d.h = d.initial(5);
        if (each == 3) d.c = d.initial(6);
        outputs.push_back(run(n, layer, d, reverse || k == 1, step));
        last_h.push_back(n.b.reshape(*d.h, {1, layer.batch, layer.hidden}));
        if (d.c) last_c.push_back(n.b.reshape(*d.c, {1, layer.batch, layer.hidden}));
    }
    std::vector<ValueId> all;  // [steps * directions, batch, hidden]
    for (std::size_t t = 0; t < outputs.front().size(); ++t)
        for (const auto& of_direction : outputs) all.push_back(of_direction[t]);
    ValueId y = n.b.reshape(IterationMarks(n, layer.steps).joined(all, 0),
                            {layer.steps, layer.directions, layer.batch, layer.hidden});
    if (layer.batch_first) y = n.b.transpose(y, {2, 0, 1, 3});
    n.add_output(y);
    for (const auto& last : {last_h, last_c}) {
        if (last.empty()) continue;
        const ValueId state = joined(n, last, 0);
        n.add_output(layer.batch_first ? n.b.transpose(state, {1, 0, 2}) : state);
    }
}

void rnn(Import& n) { recurrent(n, 1, {"Tanh"}, rnn_step); }
void gru(Import& n) { recurrent(n, 3, {"Sigmoid", "Tanh"}, gru_step); }
void lstm(Import& n) { recurrent(n, 4, {"Sigmoid", "Tanh", "Tanh"}, lstm_step); }

}  // namespace

const ImportRules& recurrent_rules() {
    static const ImportRules table{{"RNN", rnn}, {"GRU", gru}, {"LSTM", lstm}};
    return table;
}

}  // namespace ttsim::impl::ir
