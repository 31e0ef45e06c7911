// Marks discontinuous ops, which the host computes from operands that are not rounded (mark_host.cpp).
#include <algorithm>
#include <cmath>

#include "compiler/passes/host_marker.hpp"

namespace ttsim::impl::ir {

namespace {

/// Largest number of multiply-adds of a product on the host: about a second a sample.
constexpr std::int64_t most_products = std::int64_t{1} << 27;

/// Whether all elements are multiples of 2^-16.
bool int8_scale(const Literal& literal) {
    // NaN and infinity are not below the limit; the conversion drops fractions
    const auto is_multiple = [](double value) {
        const double v = value * 65536;
        return std::fabs(v) <= 1e15 && v == static_cast<double>(static_cast<std::int64_t>(v));
    };
    if (is_float(literal.dtype()) && !literal.is_filled())
        return std::all_of(literal.floats().begin(), literal.floats().end(),
                           [&](float v) { return is_multiple(static_cast<double>(v)); });
    for (std::int64_t i = 0; i < literal.size(); ++i)
        if (!is_multiple(literal.at(i))) return false;
    return true;
}

/// A splat constant.
bool is_number(const Node& node) { return node.is_constant() && node.literal->is_splat(); }

}  // namespace

bool HostMarker::is_discontinuous(const Node& node) const {
    if (!computable(node)) return false;
    if (node.op.is_any_of({op::equal, op::less, op::greater, op::less_equal, op::greater_equal, op::arg_max}))
        return !device_compares_;
    if (node.op.is_any_of({op::round, op::quantize, op::floor, op::ceil, op::truncate, op::modulo})) return true;
    if (node.op == op::take && exceeds_exact_indices(node)) return true;
    return is_integer_type(node.type) && find_op(node.op)->elementwise;
}

bool HostMarker::scales(const Node& node) const {
    if (!computable(node)) return false;
    if (node.op.is_any_of({op::reshape, op::transpose, op::softmax, op::log_softmax})) return true;
    if (node.inputs.size() == 1 && find_op(node.op)->elementwise) return true;
    return node.op.is_any_of({op::divide, op::multiply, op::add, op::subtract, op::maximum, op::minimum}) &&
           (is_number(operand(node.inputs[0])) || is_number(operand(node.inputs[1])));
}

std::int64_t HostMarker::products(const Node& node) const {
    const Dims& right = operand(node.inputs[1]).type.dims;
    const std::int64_t each = node.op == op::conv       ? count(right) / std::max<std::int64_t>(right[0], 1)
                              : node.op == op::map_axis ? right.back()
                                                        : right[right.size() - 2];
    return count({count(node.type.dims), each});
}

void HostMarker::find_integer_gemms() {
    std::vector<bool> fixed(graph_.nodes.size(), false);
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        if (node.is_constant()) fixed[id] = int8_scale(*node.literal);
        if (is_integer_type(node.type)) fixed[id] = true;
        if (node.inputs.empty() || !computable(node)) continue;
        bool all = true, follows = false, others = true;  // others: all other operands are constants
        for (const Edge& edge : node.inputs) {
            all = all && fixed[edge.value];
            if (integer_gemm_[edge.value])
                follows = true;
            else
                others = others && operand(edge).is_constant();
        }
        if (node.op.is_any_of({op::cast, op::add, op::subtract, op::multiply, op::maximum, op::minimum, op::neg,
                               op::abs, op::reshape, op::transpose}))
            fixed[id] = fixed[id] || all;
        const bool product = all && node.op.is_any_of({op::matmul, op::conv}) && products(node) <= most_products;
        const bool scaled =
            follows && others &&
            node.op.is_any_of({op::add, op::subtract, op::multiply, op::divide, op::reshape, op::transpose});
        integer_gemm_[id] = product || scaled;
    }
}

void HostMarker::mark_phases() {
    std::vector<bool> sums(graph_.nodes.size(), false), needed(graph_.nodes.size(), false);
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        const bool passes = cheap(node) || (node.op == op::map_axis && products(node) <= most_products);
        sums[id] = node.op == op::cumulative_sum;
        for (const Edge& edge : node.inputs) sums[id] = sums[id] || (passes && sums[edge.value]);
    }
    for (ValueId id = graph_.nodes.size(); id-- > 0;) {
        const Node& node = graph_.nodes[id];
        if (!sums[id] || !(needed[id] || node.op.is_any_of({op::sine, op::cosine}))) continue;
        host_[id] = true;
        for (const Edge& edge : node.inputs) needed[edge.value] = true;
    }
}

void HostMarker::mark_discontinuous_before() {
    std::vector<bool> known(graph_.nodes.size(), false);
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        known[id] = node.is_input() || node.is_constant() || host_[id] || cheap(node);
        for (const Edge& edge : node.inputs) known[id] = known[id] && known[edge.value];
    }
    std::vector<bool> needed(graph_.nodes.size(), false);
    for (ValueId id = graph_.nodes.size(); id-- > 0;) {
        const Node& node = graph_.nodes[id];
        if (!known[id] || !computable(node) || !(needed[id] || is_discontinuous(node))) continue;
        host_[id] = true;
        for (const Edge& edge : node.inputs) needed[edge.value] = true;
    }
}

void HostMarker::mark_discontinuous_after() {
    std::vector<bool> last(graph_.nodes.size(), true), device_reads(graph_.nodes.size(), false);
    for (ValueId id = graph_.nodes.size(); id-- > 0;) {
        const Node& node = graph_.nodes[id];
        last[id] = last[id] && (host_[id] || cheap(node));
        for (const Edge& edge : node.inputs) last[edge.value] = last[edge.value] && last[id];
    }
    std::vector<bool> late(graph_.nodes.size(), false);  // depends on device results
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        bool follows = is_discontinuous(node);
        for (const Edge& edge : node.inputs) follows = follows || (late[edge.value] && host_[edge.value]);
        if (last[id] && follows) host_[id] = true;
        late[id] = !host_[id] && !node.is_input() && !node.is_constant();
        for (const Edge& edge : node.inputs) late[id] = late[id] || late[edge.value];
    }
    std::vector<bool> host_reads(graph_.nodes.size(), false);
    for (const Output& output : graph_.outputs) device_reads[output.value] = true;
    for (ValueId id = graph_.nodes.size(); id-- > 0;) {
        const Node& node = graph_.nodes[id];
        const bool scaling = host_reads[id] && !device_reads[id] && (scales(node) || integer_gemm_[id]);
        if (scaling) host_[id] = true;
        const bool stays_on_device =
            device_compares_ && node.op == op::arg_max;  // index of a maximum of device results
        for (const Edge& edge : node.inputs)
            (host_[id] && !stays_on_device ? host_reads : device_reads)[edge.value] = true;
    }
}

}  // namespace ttsim::impl::ir
