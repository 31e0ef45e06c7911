#include "compiler/ir/integer_ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

#include "compiler/ir/integers.hpp"
#include "compiler/ir/op_table.hpp"
#include "kernels/formats/overflow.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Range unknown{-infinite, infinite, false};

bool is_integer(const Type& type) { return !is_float(type.dtype) && type.dtype != DType::Bool; }

Range of_type(DType type) {
    if (is_float(type)) return unknown;
    return {to_double(least_of(type), type), to_double(most_of(type), type), true};
}

bool within(const Range& range, const Range& outer) { return range.low >= outer.low && range.high <= outer.high; }
Range hull(const Range& a, const Range& b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high), a.is_integral && b.is_integral};
}

/// 0 times infinity is 0 here: bounds are of finite numbers.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
Range product(const Range& a, const Range& b) {
    const std::array ends{times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
    const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
    return {*low, *high, a.is_integral && b.is_integral};
}

/// Several partial results, so that the processor need not wait for one before the next element.
Range of_floats(const std::vector<float>& values) {
    constexpr std::size_t lanes = 8;
    std::array<float, lanes> low{}, high{};
    low.fill(values.front());
    high.fill(values.front());
    bool is_number = true;
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes)
        for (std::size_t k = 0; k < lanes; ++k) {
            const float v = values[i + k];
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
            is_number = is_number & (v == v);
        }
    for (; i < values.size(); ++i) {
        low[0] = std::min(low[0], values[i]);
        high[0] = std::max(high[0], values[i]);
        is_number = is_number && !std::isnan(values[i]);
    }
    if (!is_number) return unknown;
    const bool is_integral = std::all_of(values.begin(), values.end(), [](float v) { return v == std::floor(v); });
    return {static_cast<double>(*std::min_element(low.begin(), low.end())),
            static_cast<double>(*std::max_element(high.begin(), high.end())), is_integral};
}

Range of_literal(const Literal& literal) {
    if (literal.size() == 0) return {0, 0, true};
    if (is_float(literal.dtype()) && !literal.is_filled()) return of_floats(literal.floats());
    const std::int64_t is_examined = literal.is_filled() ? 1 : literal.size();
    Range range{infinite, -infinite, true};
    for (std::int64_t i = 0; i < is_examined; ++i) {
        const double v = literal.at(i);
        if (std::isnan(v)) return unknown;
        range = {std::min(range.low, v), std::max(range.high, v), range.is_integral && v == std::floor(v)};
    }
    return range;
}

/// Positions of an axis where elements may be other than 0.
struct Support {
    std::int64_t axis = 0;
    std::vector<bool> places;
};
using Supports = std::vector<std::optional<Support>>;

bool disjoint(const Support& a, const Support& b) {
    if (a.axis != b.axis || a.places.size() != b.places.size()) return false;
    for (std::size_t k = 0; k < a.places.size(); ++k)
        if (a.places[k] && b.places[k]) return false;
    return true;
}

/// Supports of integers padded with zeros, such as the operands of a Concat, and of their sums.
Supports supports_of(const Graph& graph) {
    Supports supports(graph.nodes.size());
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!is_integer(node.type) || node.inputs.size() != 2) continue;
        const Node& matrix = graph.nodes[node.inputs[1].value];
        if (node.op == op::map_axis && matrix.literal) {
            const std::int64_t rows = matrix.type.dims[0], columns = matrix.type.dims[1];
            Support support{node.get(attr::axis), std::vector<bool>(static_cast<std::size_t>(rows))};
            for (std::int64_t i = 0; i < rows * columns; ++i)
                if (matrix.literal->at(i) != 0) support.places[static_cast<std::size_t>(i / columns)] = true;
            supports[id] = std::move(support);
        }
        const auto &a = supports[node.inputs[0].value], &b = supports[node.inputs[1].value];
        if (node.op != op::add || !a || !b || !disjoint(*a, *b)) continue;
        Support sum = *a;
        for (std::size_t k = 0; k < sum.places.size(); ++k) sum.places[k] = sum.places[k] || b->places[k];
        supports[id] = std::move(sum);
    }
    return supports;
}

class Ranges {
public:
    Ranges(const Graph& graph, std::int64_t most) : graph_(graph), most_(most), supports_(supports_of(graph)) {
        for (const Node& node : graph.nodes) ranges_.push_back(of(node));
    }
    std::vector<Range> take() { return std::move(ranges_); }

    /// The range of a result before conversion to its type; nullopt: unknown.
    static std::optional<Range> of_op(const Graph& graph, const Node& node, std::span<const Range> ranges,
                                      const Supports& supports) {
        if (node.inputs.empty()) return std::nullopt;
        const auto in = [&](std::size_t k) { return ranges[node.inputs[k].value]; };
        const Range a = in(0);
        if (node.op.is_any_of({op::cast, op::reshape, op::transpose, op::nop, op::hslice, op::hstack, op::reduce_max,
                               op::max_pool, op::take, op::gather_elements, op::top_k, op::reverse_sequence, op::join,
                               op::loop_feed}))
            return a;
        if (node.op.is_any_of({op::floor, op::ceil, op::round, op::truncate}))
            return Range{a.low - 1, a.high + 1, true};
        if (node.op.is_any_of({op::gather_rows})) return hull(a, {0, 0, true});
        if (node.op == op::neg) return Range{-a.high, -a.low, a.is_integral};
        if (node.op == op::abs) return Range{a.low <= 0 ? 0 : a.low, std::max(-a.low, a.high), a.is_integral};
        if (node.op == op::square) return Range{0, std::max(times(a.low, a.low), times(a.high, a.high)), a.is_integral};
        if (node.op == op::relu) return Range{std::max(a.low, 0.0), std::max(a.high, 0.0), a.is_integral};
        if (node.op == op::relu_max) {
            const double most = node.get(attr::threshold);
            return Range{std::clamp(a.low, 0.0, most), std::clamp(a.high, 0.0, most),
                         a.is_integral && most == std::floor(most)};
        }
        if (node.op == op::cumulative_sum) {
            const Dims& dims = graph.type(node.inputs[0].value).dims;
            const auto most = static_cast<double>(dims[static_cast<std::size_t>(node.get(attr::axis))]);
            return Range{times(most, std::min(a.low, 0.0)), times(most, std::max(a.high, 0.0)), a.is_integral};
        }
        if (node.op == op::sign) return Range{-1, 1, true};
        if (node.op == op::quantize) return Range{node.get(attr::low), node.get(attr::high), true};
        if (node.op == op::round_int8) return Range{node.get(attr::offset) - 127, node.get(attr::offset) + 127, true};
        if (node.op == op::arg_max) {
            const Dims& dims = graph.type(node.inputs[0].value).dims;
            return Range{0, static_cast<double>(dims[static_cast<std::size_t>(node.get(attr::axis))]) - 1, true};
        }
        if (node.inputs.size() < 2) return std::nullopt;
        const auto &first = supports[node.inputs[0].value], &second = supports[node.inputs[1].value];
        if (node.op == op::add && first && second && disjoint(*first, *second)) return hull(a, in(1));
        return of_binary(graph, node, a, in(1), ranges);
    }

private:
    static std::optional<Range> of_binary(const Graph& graph, const Node& node, const Range& a, const Range& b,
                                          std::span<const Range> ranges) {
        const bool is_integral = a.is_integral && b.is_integral;
        if (node.op == op::add) return Range{a.low + b.low, a.high + b.high, is_integral};
        if (node.op == op::subtract) return Range{a.low - b.high, a.high - b.low, is_integral};
        if (node.op == op::multiply) return product(a, b);
        if (node.op == op::maximum) return Range{std::max(a.low, b.low), std::max(a.high, b.high), is_integral};
        if (node.op == op::minimum) return Range{std::min(a.low, b.low), std::min(a.high, b.high), is_integral};
        if (node.op == op::where) return hull(b, ranges[node.inputs[2].value]);
        if (!is_float(node.type.dtype) && node.op == op::divide) {
            const double least = b.low > 0 ? b.low : b.high < 0 ? -b.high : 1;  // division by 0 gives 0
            const double most = std::trunc(std::max(-a.low, a.high) / least);
            return Range{a.low < 0 || b.low < 0 ? -most : 0, most, true};
        }
        if (!is_float(node.type.dtype) && node.op == op::modulo) {
            const double most = std::min(std::max(-a.low, a.high), std::max(-b.low, b.high));
            const double of_sign = std::max(-b.low, b.high);
            return node.get(attr::fmod) ? Range{a.low < 0 ? -most : 0, most, true}
                                        : Range{b.low < 0 ? -of_sign : 0, of_sign, true};
        }
        if (node.op == op::map_axis) return of_map_axis(graph, node, a);
        if (node.op.is_any_of({op::matmul, op::conv})) {
            const Range one = product(a, b);
            const auto sums = static_cast<double>(products_of(graph, node));
            const Range bias = node.inputs.size() > 2 ? ranges[node.inputs[2].value] : Range{0, 0, true};
            return Range{times(sums, std::min(one.low, 0.0)) + bias.low,
                         times(sums, std::max(one.high, 0.0)) + bias.high, one.is_integral && bias.is_integral};
        }
        return std::nullopt;
    }

    static std::int64_t products_of(const Graph& graph, const Node& node) {
        const Dims& right = graph.type(node.inputs[1].value).dims;
        return node.op == op::conv ? count(right) / std::max<std::int64_t>(right[0], 1) : right[right.size() - 2];
    }

    /// Sums of elements, weighted by the rows of a constant matrix.
    static std::optional<Range> of_map_axis(const Graph& graph, const Node& node, const Range& a) {
        const Node& matrix = graph.nodes[node.inputs[1].value];
        if (!matrix.is_constant() || !std::isfinite(a.low) || !std::isfinite(a.high)) return std::nullopt;
        const std::int64_t rows = matrix.type.dims[0], columns = matrix.type.dims[1];
        Range range{infinite, -infinite, a.is_integral};
        for (std::int64_t r = 0; r < rows; ++r) {
            double low = 0, high = 0;
            for (std::int64_t c = 0; c < columns; ++c) {
                const double weight = matrix.literal->at(r * columns + c);
                range.is_integral = range.is_integral && weight == std::floor(weight);
                low += times(weight, weight < 0 ? a.high : a.low);
                high += times(weight, weight < 0 ? a.low : a.high);
            }
            range = {std::min(range.low, low), std::max(range.high, high), range.is_integral};
        }
        return rows == 0 ? Range{0, 0, true} : range;
    }

    Range of(const Node& node) const {
        const Range type = of_type(node.type.dtype);
        if (node.is_constant()) return is_examined(node) ? of_literal(*node.literal) : type;
        std::optional<Range> range = of_op(graph_, node, ranges_, supports_);
        if (!range || std::isnan(range->low) || std::isnan(range->high)) return type;
        if (is_float(node.type.dtype)) return *range;
        range->low = std::trunc(range->low);  // a cast of floats drops their fractions
        range->high = std::trunc(range->high);
        range->is_integral = true;
        return within(*range, type) ? *range : type;
    }

    bool is_examined(const Node& constant) const {
        return constant.literal && !(is_float(constant.type.dtype) && constant.literal->size() > most_);
    }

    const Graph& graph_;
    std::int64_t most_;
    Supports supports_;
    std::vector<Range> ranges_;
};

/// Whether a product of 8-bit integers fits in int32, as in quantized models.
bool sums_bytes(const Node& node, const Range& sum) {
    return node.op.is_any_of({op::matmul, op::conv}) && within(sum, of_type(DType::I32));
}

}  // namespace

double Range::largest() const { return std::max(std::fabs(low), std::fabs(high)); }

std::vector<Range> integer_ranges(const Graph& graph, std::int64_t most) { return Ranges(graph, most).take(); }

std::int64_t exact_integer_limit(const PassOptions& options) {
    constexpr std::int64_t float32_limit = std::int64_t{1} << 24, limit_16_bits = 256;
    const bool exact = options.default_df == DataFormat::Float32 && !options.host_fallback;
    // elementwise ops of block floats have 16 bits (data-formats)
    return exact ? float32_limit : std::max(limit_16_bits, max_exact_integer(options.default_df, false));
}

std::vector<bool> inexact_integer_ops(const Graph& graph, const std::vector<Range>& ranges, std::int64_t run) {
    std::vector<bool> inexact(graph.nodes.size(), false);
    const Supports supports = supports_of(graph);
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        const OpInfo* op = find_op(node.op);
        if (!op || !op->eval || node.type.format || node.inputs.empty() || op->level == Level::Host) continue;
        const Type& first = graph.type(node.inputs[0].value);
        const bool is_cast = node.op == op::cast, narrows = is_cast && is_integer(node.type);
        const std::optional<Range> result = Ranges::of_op(graph, node, ranges, supports);
        const bool overflows =
            is_integer(node.type) &&
            (!result || !within({std::trunc(result->low), std::trunc(result->high)}, of_type(node.type.dtype)));
        if (narrows) {
            // a cast of floats to a wide type is exact: the device's floats hold the integers that result
            const bool wide = bits_of(node.type.dtype) >= 32;
            inexact[id] = overflows && !node.has(attr::exact) && !(wide && is_float(first.dtype));
            continue;
        }
        const bool computes =
            op->elementwise || node.op.is_any_of({op::map_axis, op::cumulative_sum, op::matmul, op::conv});
        const bool of_integers =
            is_integer(node.type) ||
            (node.op.is_any_of({op::equal, op::less, op::greater, op::less_equal, op::greater_equal}) &&
             is_integer(first));
        if (is_cast || node.op == op::nop || !computes || !of_integers) continue;
        if (result && !overflows && sums_bytes(node, *result)) continue;
        double most = is_integer(node.type) ? ranges[id].largest() : 0;
        for (const Edge& edge : node.inputs)
            if (is_integer(graph.type(edge.value))) most = std::max(most, ranges[edge.value].largest());
        inexact[id] = overflows || most > static_cast<double>(run);
    }
    return inexact;
}

}  // namespace ttsim::impl::ir
