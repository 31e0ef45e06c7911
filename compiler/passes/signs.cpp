#include "compiler/passes/signs.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace ttsim::impl::ir {

namespace {

bool one_of(const Node& node, const std::set<std::string_view>& names) { return names.contains(node.op); }

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
    if (one_of(at, {"exp", "sigmoid", "softplus"})) return true;
    if (depth == 0) return false;
    if (one_of(at, {"sqrt", "reshape", "transpose", "cast", "reciprocal"})) return positive(0);
    if (at.op == "maximum") return positive(0) || positive(1);
    if (one_of(at, {"multiply", "divide", "minimum"})) return positive(0) && positive(1);
    return at.op == "add" && ((positive(0) && not_below(1)) || (not_below(0) && positive(1)));
}

bool is_never_below_zero(const Graph& graph, ValueId id, int depth) {
    const Node& at = graph.nodes[id];
    const auto not_below = [&](std::size_t k) { return is_never_below_zero(graph, at.inputs[k].value, depth - 1); };
    if (at.is_constant()) return all_elements(*at.literal, [](auto v) { return v >= 0; });
    if (one_of(at, {"abs", "square", "relu", "relu_max", "sqrt", "softmax"})) return true;
    if (is_positive(graph, id, depth)) return true;
    if (depth == 0) return false;
    if (one_of(at, {"reshape", "transpose", "reduce_max", "cast"})) return not_below(0);
    if (at.op == "maximum") return not_below(0) || not_below(1);
    if (at.op == "multiply" && at.inputs[0] == at.inputs[1]) return true;
    return one_of(at, {"add", "multiply", "map_axis", "matmul", "minimum"}) && not_below(0) && not_below(1);
}

bool is_power_of_any_sign(const Graph& graph, const Node& node) {
    if (node.op != "power") return false;
    const Node& exponent = graph.nodes[node.inputs[1].value];
    if (exponent.is_constant() && exponent.literal->is_splat()) return false;
    return !is_positive(graph, node.inputs[0].value);
}

}  // namespace ttsim::impl::ir
