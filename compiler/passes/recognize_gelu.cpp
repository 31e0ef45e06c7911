// recognize-gelu: recognizes gelu in the ops that exporters write.
//
//   0.5 * x * (1 + erf(x / sqrt(2)))                                    ->  %y = gelu_erf %x
//   0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))           ->  %y = gelu %x
//
// The factors may be in any order and grouping. gelu_erf is lowered to the device's gelu, which is within the precision
// of 16-bit formats; in Float32 it is computed from erf.
#include <cmath>
#include <numbers>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

bool close(double a, double b) { return std::fabs(a - b) <= 1e-4 * std::fabs(b); }

class Matcher {
public:
    explicit Matcher(const Builder& build) : build_(build) {}

    /// The gelu that is the product of these two values.
    std::optional<std::pair<OpId, ValueId>> match(ValueId a, ValueId b) const {
        for (const auto& [gate, other] : {std::pair{a, b}, std::pair{b, a}})
            if (const auto found = gated(gate, {other})) return found;
        // the gate may be inside a nested product
        for (const auto& [inner, other] : {std::pair{a, b}, std::pair{b, a}}) {
            if (node(inner).op != op::multiply) continue;
            const ValueId p = node(inner).inputs[0].value, q = node(inner).inputs[1].value;
            if (const auto found = gated(p, {q, other})) return found;
            if (const auto found = gated(q, {p, other})) return found;
        }
        return std::nullopt;
    }

private:
    /// A product as a number times a power of x; pure = false if it has other factors.
    struct Product {
        double number = 1;
        int powers = 0;
        bool pure = true;
    };

    const Node& node(ValueId id) const { return build_.graph().nodes[id]; }
    std::optional<double> number(ValueId id) const {
        const Literal* literal = build_.literal(id);
        if (!literal || !literal->is_splat()) return std::nullopt;
        return literal->at(0);
    }

    void multiply(Product& product, ValueId id, ValueId x) const {
        const Node& n = node(id);
        if (id == x) {
            ++product.powers;
        } else if (const auto value = number(id)) {
            product.number *= *value;
        } else if (n.op == op::multiply) {
            for (const Edge& edge : n.inputs) multiply(product, edge.value, x);
        } else if (n.op == op::square && n.inputs[0].value == x) {
            product.powers += 2;
        } else if (n.op == op::power && n.inputs[0].value == x && number(n.inputs[1].value) == 3.0) {
            product.powers += 3;
        } else if (n.op == op::divide && number(n.inputs[1].value)) {
            product.number /= *number(n.inputs[1].value);
            multiply(product, n.inputs[0].value, x);
        } else {
            product.pure = false;
        }
    }
    bool is(const std::vector<ValueId>& factors, ValueId x, double number, int powers) const {
        Product product;
        for (const ValueId id : factors) multiply(product, id, x);
        return product.pure && product.powers == powers && close(product.number, number);
    }

    /// The operands that are not splat constants, as candidates for x.
    std::vector<ValueId> operands(ValueId id) const {
        std::vector<ValueId> all;
        for (const Edge& edge : node(id).inputs)
            if (!number(edge.value)) all.push_back(edge.value);
        return all;
    }

    std::optional<std::pair<OpId, ValueId>> gated(ValueId gate, const std::vector<ValueId>& rest) const {
        if (node(gate).op != op::add) return std::nullopt;
        bool one = false;
        for (const Edge& edge : node(gate).inputs) one = one || number(edge.value) == 1.0;
        const auto inner = operands(gate);
        if (!one || inner.size() != 1) return std::nullopt;
        const Node& curve = node(inner[0]);
        if (curve.op != op::erf && curve.op != op::tanh) return std::nullopt;
        for (const ValueId x : candidates(curve)) {
            const bool fits = curve.op == op::erf ? is({curve.inputs[0].value}, x, 1 / std::numbers::sqrt2, 1)
                                                  : is_cubic(curve.inputs[0].value, x);
            if (fits && is(rest, x, 0.5, 1)) return std::pair{curve.op == op::erf ? op::gelu_erf : op::gelu, x};
        }
        return std::nullopt;
    }

    /// Candidates for x: operands of the first product or sum below the curve, and of a sum in that.
    std::vector<ValueId> candidates(const Node& curve) const {
        std::vector<ValueId> all = operands(curve.inputs[0].value);
        for (const ValueId id : operands(curve.inputs[0].value))
            if (node(id).op == op::add)
                for (const ValueId deeper : operands(id)) all.push_back(deeper);
        return all;
    }

    /// sqrt(2 / pi) * (x + 0.044715 * x^3)
    bool is_cubic(ValueId id, ValueId x) const {
        if (node(id).op != op::multiply) return false;
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const auto factor = number(node(id).inputs[k].value);
            const Node& sum = node(node(id).inputs[1 - k].value);
            if (!factor || !close(*factor, std::sqrt(2 / std::numbers::pi)) || sum.op != op::add) continue;
            const ValueId a = sum.inputs[0].value, b = sum.inputs[1].value;
            if ((a == x && is({b}, x, 0.044715, 3)) || (b == x && is({a}, x, 0.044715, 3))) return true;
        }
        return false;
    }

    const Builder& build_;
};

void run_recognize_gelu(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::multiply) return std::nullopt;
        const auto found = Matcher(build).match(in[0], in[1]);
        if (!found || build.dims(found->second) != node.type.dims) return std::nullopt;
        return build.add(found->first, {found->second});
    });
}

}  // namespace

extern const Pass recognize_gelu;
const Pass recognize_gelu{.name = "recognize-gelu",
                          .summary = "recognize gelu in products with erf or tanh",
                          .run = run_recognize_gelu,
                          .optional = true};

}  // namespace ttsim::impl::ir
