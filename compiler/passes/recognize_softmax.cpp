// recognize-softmax: recognizes softmax and log_softmax in the ops that exporters write.
//
//   e = exp(x - max x),  e / sum e                                        ->  %y = softmax %x {axis}
//   x - log(sum exp x),  log(softmax x)                                   ->  %y = log_softmax %x {axis}
//
// The maximum is optional, since it does not change the result; x - (max + log(sum exp(x - max))) is recognized, too.
// The division may be a product with a reciprocal.
#include "compiler/ir/pass.hpp"
#include "compiler/passes/match.hpp"

namespace ttsim::impl::ir {

namespace {

class Softmax {
public:
    explicit Softmax(Builder& build) : build_(build), match_(build) {}

    std::optional<ValueId> of_quotient(ValueId e, ValueId bottom) {
        const auto sum = exponentials(bottom);
        if (!sum || sum->x != e) return std::nullopt;
        return composite(op::softmax, match_.operand(e, 0), sum->axes[0]);
    }
    std::optional<ValueId> of_product(ValueId a, ValueId b) {
        for (const auto& [e, factor] : {std::pair{a, b}, std::pair{b, a}})
            if (const auto bottom = match_.reciprocal_operand(factor))
                if (const auto found = of_quotient(e, *bottom)) return found;
        return std::nullopt;
    }
    /// x - log(sum exp x), or with the maximum added back to the logarithm.
    std::optional<ValueId> of_difference(ValueId x, ValueId y) {
        if (match_.is(y, op::add))
            for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
                const auto sum = of_logarithm(match_.operand(y, k));
                if (!sum) continue;
                const ValueId inner = match_.operand(sum->x, 0);
                if (match_.is(inner, op::subtract) && match_.operand(inner, 0) == x &&
                    match_.operand(inner, 1) == match_.operand(y, 1 - k))
                    return composite(op::log_softmax, x, sum->axes[0]);
            }
        const auto sum = of_logarithm(y);
        if (!sum || match_.operand(sum->x, 0) != x) return std::nullopt;
        return composite(op::log_softmax, x, sum->axes[0]);
    }
    std::optional<ValueId> of_log(ValueId x) {
        if (!match_.is(x, op::softmax) || match_.node(x).inputs.size() > 1) return std::nullopt;
        return composite(op::log_softmax, match_.operand(x, 0), match_.node(x).get(attr::axis));
    }

private:
    /// A sum of exponentials along one axis.
    std::optional<Match::Sum> exponentials(ValueId id) const {
        const auto sum = match_.sum(id);
        if (!sum || sum->factor != 1 || sum->axes.size() != 1 || !match_.is(sum->x, op::exp)) return std::nullopt;
        return sum;
    }
    std::optional<Match::Sum> of_logarithm(ValueId id) const {
        return match_.is(id, op::log) ? exponentials(match_.operand(id, 0)) : std::nullopt;
    }
    /// Drops a subtraction of the maximum, since the op subtracts it itself.
    ValueId composite(OpId op, ValueId x, std::int64_t axis) {
        if (match_.is(x, op::subtract)) {
            const ValueId most = match_.operand(x, 1);
            if (match_.is(most, op::reduce_max) && match_.operand(most, 0) == match_.operand(x, 0) &&
                match_.node(most).get(attr::axis) == axis)
                x = match_.operand(x, 0);
        }
        build_.set_kind(op.text());  // not part of the quotient it replaces
        return build_.add(op, {x}, {attr::axis(axis)});
    }

    Builder& build_;
    Match match_;
};

void run_recognize_softmax(Graph& graph, const PassOptions&) {
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        std::optional<ValueId> found;
        if (node.op == op::divide) found = Softmax(build).of_quotient(in[0], in[1]);
        if (node.op == op::multiply) found = Softmax(build).of_product(in[0], in[1]);
        if (node.op == op::subtract) found = Softmax(build).of_difference(in[0], in[1]);
        if (node.op == op::log) found = Softmax(build).of_log(in[0]);
        if (!found || build.dims(*found) != node.type.dims) return std::nullopt;
        return found;
    });
}

}  // namespace

extern const Pass recognize_softmax;
const Pass recognize_softmax{.name = "recognize-softmax",
                             .summary = "recognize softmax and log_softmax in exponentials and sums",
                             .run = run_recognize_softmax,
                             .optional = true};

}  // namespace ttsim::impl::ir
