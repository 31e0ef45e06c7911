#include "compiler/passes/signs.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace ttsim::impl::ir {

namespace {

template <class Is>
bool all_elements(const Literal& literal, Is is) {
    constexpr std::int64_t most = 1 << 20;  // elements to examine; weights are larger, and have both signs
    if (literal.size() > most) return false;
    if (!is_float(literal.dtype())) {
        const std::vector<std::int64_t>& integers = literal.integer_elements();
        return std::all_of(integers.begin(), integers.end(), is);
    }
    return literal.with_floats(
        [&](const std::vector<float>& floats) { return std::all_of(floats.begin(), floats.end(), is); });
}

}  // namespace

bool is_positive(const Graph& graph, ValueId id, int depth) {
    const Node& at = graph.nodes[id];
    const auto positive = [&](std::size_t k) { return is_positive(graph, at.inputs[k].value, depth - 1); };
    const auto not_below = [&](std::size_t k) { return is_never_below_zero(graph, at.inputs[k].value, depth - 1); };
    if (at.is_constant()) return all_elements(*at.literal, [](auto v) { return v > 0; });
    if (at.op.is_any_of({op::exp, op::sigmoid, op::softplus})) return true;
    if (depth == 0) return false;
    if (at.op.is_any_of({op::sqrt, op::reshape, op::transpose, op::cast, op::reciprocal})) return positive(0);
    if (at.op == op::maximum) return positive(0) || positive(1);
    if (at.op.is_any_of({op::multiply, op::divide, op::minimum})) return positive(0) && positive(1);
    return at.op == op::add && ((positive(0) && not_below(1)) || (not_below(0) && positive(1)));
}

bool is_never_below_zero(const Graph& graph, ValueId id, int depth) {
    const Node& at = graph.nodes[id];
    const auto not_below = [&](std::size_t k) { return is_never_below_zero(graph, at.inputs[k].value, depth - 1); };
    if (at.is_constant()) return all_elements(*at.literal, [](auto v) { return v >= 0; });
    if (at.op.is_any_of({op::abs, op::square, op::relu, op::relu_max, op::sqrt, op::softmax})) return true;
    if (is_positive(graph, id, depth)) return true;
    if (depth == 0) return false;
    if (at.op.is_any_of({op::reshape, op::transpose, op::reduce_max, op::cast})) return not_below(0);
    if (at.op == op::maximum) return not_below(0) || not_below(1);
    if (at.op == op::multiply && at.inputs[0] == at.inputs[1]) return true;
    return at.op.is_any_of({op::add, op::multiply, op::map_axis, op::matmul, op::minimum}) && not_below(0) &&
           not_below(1);
}

bool is_power_of_any_sign(const Graph& graph, const Node& node) {
    if (node.op != op::power) return false;
    const Node& exponent = graph.nodes[node.inputs[1].value];
    if (exponent.is_constant() && exponent.literal->is_splat()) return false;
    return !is_positive(graph, node.inputs[0].value);
}

}  // namespace ttsim::impl::ir
