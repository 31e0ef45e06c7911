#include "compiler/passes/match.hpp"

#include <algorithm>
#include <cmath>

namespace ttsim::impl::ir {

std::optional<double> Match::number(ValueId id) const {
    const Literal* literal = build_.literal(id);
    if (!literal || !literal->is_splat()) return std::nullopt;
    return literal->at(0);
}

std::optional<ValueId> Match::square_operand(ValueId id) const {
    const Node& n = node(id);
    if (n.op == op::square) return n.inputs[0].value;
    if (n.op == op::multiply && n.inputs[0].value == n.inputs[1].value) return n.inputs[0].value;
    if (n.op == op::power && number(n.inputs[1].value) == 2.0) return n.inputs[0].value;
    return std::nullopt;
}

std::optional<ValueId> Match::sqrt_operand(ValueId id) const {
    const Node& n = node(id);
    if (n.op == op::sqrt) return n.inputs[0].value;
    if (n.op == op::power && number(n.inputs[1].value) == 0.5) return n.inputs[0].value;
    return std::nullopt;
}

std::optional<ValueId> Match::reciprocal_operand(ValueId id) const {
    const Node& n = node(id);
    if (n.op == op::reciprocal) return n.inputs[0].value;
    if (n.op == op::divide && number(n.inputs[0].value) == 1.0) return n.inputs[1].value;
    if (n.op == op::power && number(n.inputs[1].value) == -1.0) return n.inputs[0].value;
    return std::nullopt;
}

std::optional<ValueId> Match::rsqrt_operand(ValueId id) const {
    const Node& n = node(id);
    if (n.op == op::power && number(n.inputs[1].value) == -0.5) return n.inputs[0].value;
    const auto root = reciprocal_operand(id);
    return root ? sqrt_operand(*root) : std::nullopt;
}

std::optional<std::pair<ValueId, double>> Match::scaled(ValueId id) const {
    const Node& n = node(id);
    if (n.op == op::divide) {
        const auto by = number(n.inputs[1].value);
        return by ? std::optional(std::pair{n.inputs[0].value, 1 / *by}) : std::nullopt;
    }
    if (n.op != op::multiply) return std::nullopt;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
        if (const auto by = number(n.inputs[k].value)) return std::pair{n.inputs[1 - k].value, *by};
    return std::nullopt;
}

std::optional<Match::Sum> Match::sum(ValueId id) const {
    Sum found;
    ValueId at = id;
    // after the sums: a factor, and reshapes that drop axes
    for (;;) {
        const Node& n = node(at);
        if (n.op == op::reshape) {
            at = operand(at, 0);
        } else if (const auto product = scaled(at)) {
            found.factor *= product->second;
            at = product->first;
        } else {
            break;
        }
    }
    const Dims dims = build_.dims(at);
    for (; is(at, op::map_axis); at = operand(at, 0)) {
        const Literal* matrix = build_.literal(operand(at, 1));
        if (!matrix || matrix->dims()[0] != 1 || !matrix->is_splat()) break;
        found.factor *= matrix->at(0);
        found.axes.push_back(node(at).get(attr::axis));
        found.size *= matrix->dims()[1];
    }
    std::sort(found.axes.begin(), found.axes.end());
    found.x = at;
    if (found.axes.empty() || dims != build_.dims(id)) return std::nullopt;
    return found;
}

std::optional<Match::Sum> Match::mean(ValueId id) const {
    auto found = sum(id);
    const auto close = [](double a, double b) { return std::fabs(a - b) <= 1e-4 * std::fabs(b); };
    return found && close(found->factor, 1.0 / static_cast<double>(found->size)) ? found : std::nullopt;
}

std::optional<std::pair<ValueId, double>> Match::plus_number(ValueId id) const {
    if (!is(id, op::add)) return std::nullopt;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
        if (const auto value = number(operand(id, k))) return std::pair{operand(id, 1 - k), *value};
    return std::nullopt;
}

}  // namespace ttsim::impl::ir
