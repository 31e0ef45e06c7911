// integer-gemm: between two quantizers, products compute with integers, and all scales are applied after them as one.
//
//   %d = multiply %a, 0.02          %a: integers                     %p = conv %a, %w / s, %b / (0.02 * s)
//   %c = conv %d, %w, %b            %w: integers * s, by channel     %r = relu %p
//   %r = relu %c                                                ->   %y = divide %r, 0.1 / (0.02 * s)
//   %y = divide %r, 0.1                                              %q = quantize %y, %z
//   %q = quantize %y, %z
//
// Scales also move behind homogeneous ops (relu, pools, data movement), products of two scaled values, and sums, which
// use the coarser of both scales. A value that is quantized again with the same scale is not quantized twice.
//
// The device holds 8-bit integers exactly but rounds integers times a scale, and a quantizer may turn such a rounding
// error into a whole step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compiler/ir/pass.hpp"
#include "compiler/passes/fp16_quantizers.hpp"

namespace ttsim::impl::ir {

namespace {

bool is_positive(const Literal* literal) {
    if (!literal || !is_float(literal->dtype()) || literal->size() == 0) return false;
    const std::vector<float>& floats = literal->floats();
    return std::all_of(floats.begin(), floats.end(), [](float v) { return v > 0 && std::isfinite(v); });
}

/// Weights that are integers of up to 8 bits times a scale for each channel, split into both.
struct QuantizedWeights {
    Literal integers, scales;  ///< scales: [channels]
};

/// The scale of which `count` elements, `step` apart, are integer multiples, the largest with 8 bits; 0: there is none.
double quantized(const float* first, std::int64_t count, std::int64_t step) {
    float largest = 0;
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(first[i * step]));
    if (largest == 0) return 1;
    if (!std::isfinite(largest)) return 0;
    constexpr int most = 255;
    constexpr double close = 1e-4;  // tolerance, in steps
    for (int n = 1; n <= most; ++n) {
        const double scale = static_cast<double>(largest) / n;
        std::int64_t i = 0;
        while (i < count) {
            const double q = static_cast<double>(first[i * step]) / scale;
            if (std::fabs(q - std::nearbyint(q)) > close) break;
            ++i;
        }
        if (i == count) return scale;
    }
    return 0;
}

std::optional<QuantizedWeights> quantized(const Literal& weights, std::size_t axis) {
    if (weights.dtype() != DType::F32 || weights.size() == 0) return std::nullopt;
    const std::int64_t channels = weights.dims()[axis], step = strides(weights.dims())[axis];
    const std::int64_t each = weights.size() / channels;
    // only the first and the last axis are supported
    const std::int64_t from = axis == 0 ? each : 1, spacing = axis == 0 ? 1 : channels;
    if (axis != 0 && step != 1) return std::nullopt;
    QuantizedWeights quantized_weights{weights, Literal(DType::F32, {channels})};
    std::vector<float>& integers = quantized_weights.integers.floats();
    for (std::int64_t c = 0; c < channels; ++c) {
        const double scale = quantized(weights.floats().data() + c * from, each, spacing);
        if (scale == 0) return std::nullopt;
        quantized_weights.scales.set(c, scale);
        for (std::int64_t i = 0; i < each; ++i) {
            float& v = integers[static_cast<std::size_t>(c * from + i * spacing)];
            v = static_cast<float>(std::nearbyint(static_cast<double>(v) / scale));
        }
    }
    return quantized_weights;
}

class IntegerGemm {
public:
    IntegerGemm(const Graph& graph, const PassOptions& options)
        : wide_range_(info(options.default_df).family != FormatFamily::A),
          wide_dest_(options.wide_dest),
          fp16_quantizers_(uses_fp16_quantizers(options)) {
        const auto uses = graph.use_counts();
        for (ValueId id = 0; id < graph.nodes.size(); ++id)
            if (uses[id] == 1) single_use_.insert(graph.nodes[id].name);
    }

    /// The rewrite of a quantizer.
    std::optional<ValueId> rewritten(Builder& build, const Node& quantize, std::span<const ValueId> in) const {
        const Node divide = node(build, in[0]);
        if (divide.op != op::divide || !has_one_use(divide)) return {};
        const Literal* step = build.literal(divide.inputs[1].value);
        if (!is_positive(step)) return {};
        if (fp16_quantizers_ && quantize.get(attr::high) - quantize.get(attr::low) <= 255)
            build.set_kind(std::string(fp16_quantizers));
        const auto x =
            unscaled(build, without_redundant_clamp(build, quantize, divide.inputs[0].value, *step, in[1]), *step);
        if (!x) return {};
        if (step->is_splat() && x->scale.is_splat() && step->at(0) == x->scale.at(0))
            return requantized_same_scale(build, quantize, x->value, in[1]);
        const ValueId y = build.add(op::divide, {x->value, quotient(build, divide.inputs[1].value, x->scale)});
        return build.add(op::quantize, {y, in[1]}, quantize.attrs);
    }

private:
    /// A value equal to `value` times `scale`. The scale is f32 and positive: a scalar, or one for each channel that
    /// broadcasts.
    struct Scaled {
        ValueId value;
        Literal scale;
    };

    static Node node(const Builder& build, ValueId id) { return build.graph().nodes[id]; }
    bool has_one_use(const Node& node) const { return single_use_.contains(node.name); }
    static ValueId quotient(Builder& build, ValueId a, const Literal& b) {
        return build.add(op::divide, {a, build.constant(b)});
    }

    /// The operand of a clamp that the quantizer's own limits make redundant; else `id`.
    ValueId without_redundant_clamp(const Builder& build, const Node& quantize, ValueId id, const Literal& step,
                                    ValueId zero) const {
        const Node& clamp = build.graph().nodes[id];
        const Literal* shift = build.literal(zero);
        if (clamp.op != op::relu_max || !has_one_use(clamp) || !step.is_splat() || !shift || !shift->is_splat())
            return id;
        const double low = quantize.get(attr::low) - shift->at(0), high = quantize.get(attr::high) - shift->at(0);
        return low == 0 && clamp.get(attr::threshold) / step.at(0) >= high - 0.49 ? clamp.inputs[0].value : id;
    }

    static bool is_integral(const Builder& build, ValueId id) {
        const Node& node = build.graph().nodes[id];
        if (node.op == op::cast) return !is_float(build.type(node.inputs[0].value).dtype);
        if (node.op != op::subtract) return false;
        const Literal* zero = build.literal(node.inputs[1].value);
        const auto integral = [](float v) { return v == std::nearbyint(v); };
        return zero && is_float(zero->dtype()) && std::all_of(zero->floats().begin(), zero->floats().end(), integral) &&
               is_integral(build, node.inputs[0].value);
    }

    /// A value that is quantized again with its own scale: only the zero point is added.
    static ValueId requantized_same_scale(Builder& build, const Node& quantize, ValueId x, ValueId zero) {
        const Literal* shift = build.literal(zero);
        const auto [low, high] = limits(build, x);
        if (!shift || !shift->is_splat() || low + shift->at(0) < quantize.get(attr::low) ||
            high + shift->at(0) > quantize.get(attr::high))
            return build.add(op::quantize, {x, zero}, quantize.attrs);
        return shift->at(0) == 0 ? x : build.add(op::add, {x, zero});
    }
    /// Bounds of quantized integers after data movement ops; infinite if unknown.
    static std::pair<double, double> limits(const Builder& build, ValueId id) {
        constexpr double any = std::numeric_limits<double>::infinity();
        const Node& node = build.graph().nodes[id];
        if (node.op == op::cast) {
            const DType from = build.type(node.inputs[0].value).dtype;
            if (from == DType::U8) return {0, 255};
            if (from == DType::I8) return {-128, 127};
            return {-any, any};
        }
        if (selects_elements(node)) return limits(build, node.inputs[0].value);
        const Literal* zero = node.op == op::subtract ? build.literal(node.inputs[1].value) : nullptr;
        if (!zero || !zero->is_splat()) return {-any, any};
        const auto [low, high] = limits(build, node.inputs[0].value);
        return {low - zero->at(0), high - zero->at(0)};
    }
    /// Each element of the result equals one of the operand's.
    static bool selects_elements(const Node& node) {
        static const std::set<OpId> ops{op::reshape, op::transpose,  op::hslice,
                                        op::hstack,  op::reduce_max, op::max_pool};
        return ops.contains(node.op);
    }

    /// Splits a scale off a value that only a quantizer reads; nullopt: it has none.
    std::optional<Scaled> unscaled(Builder& build, ValueId id, const Literal& step) const {
        const Node made = node(build, id);
        if (auto scaled = integers_times_scale(build, made)) return scaled;
        if (!has_one_use(made)) return std::nullopt;
        if (made.op == op::relu) return before_homogeneous(build, made, false, step);
        if (selects_elements(made) || made.op == op::average_pool || made.op == op::map_axis)
            return before_homogeneous(build, made, true, step);
        if (made.op == op::conv || made.op == op::matmul) return product(build, made, step);
        if (made.op != op::add && made.op != op::multiply) return std::nullopt;
        const std::size_t k = build.literal(made.inputs[0].value) ? 0 : 1;
        if (build.literal(made.inputs[k].value)) return with_constant(build, made, k, step);
        return made.op == op::add ? sum_of_scaled(build, made, step) : product_of_scaled(build, made, step);
    }
    /// x + c or x * c, of which operand `k` is the constant.
    std::optional<Scaled> with_constant(Builder& build, const Node& made, std::size_t k, const Literal& step) const {
        const ValueId constant = made.inputs[k].value;
        const Literal* c = build.literal(constant);
        const bool scales = made.op == op::multiply;
        if (build.dims(made.inputs[1 - k].value) != made.type.dims || !is_float(c->dtype())) return std::nullopt;
        if (scales && (!is_positive(c) || !c->is_splat())) return std::nullopt;
        auto x = unscaled(build, made.inputs[1 - k].value, step);
        if (!x) return std::nullopt;
        if (scales)
            for (float& v : x->scale.floats()) v *= static_cast<float>(build.literal(constant)->at(0));
        else
            x->value = build.add(op::add, {x->value, quotient(build, constant, x->scale)});
        return x;
    }
    static std::optional<Scaled> integers_times_scale(const Builder& build, const Node& made) {
        if (made.op != op::multiply) return std::nullopt;
        const std::size_t k = build.literal(made.inputs[0].value) ? 0 : 1;
        const Literal* scale = build.literal(made.inputs[k].value);
        const ValueId data = made.inputs[1 - k].value;
        if (!is_positive(scale) || !scale->is_splat() || !is_integral(build, data)) return std::nullopt;
        if (build.dims(data) != made.type.dims) return std::nullopt;
        return Scaled{data, Literal::scalar(DType::F32, scale->at(0))};
    }
    /// A homogeneous op, f(s * x) = s * f(x): the scale moves behind it.
    std::optional<Scaled> before_homogeneous(Builder& build, const Node& made, bool needs_scalar,
                                             const Literal& step) const {
        auto x = unscaled(build, made.inputs[0].value, step);
        if (!x || (needs_scalar && !x->scale.is_splat())) return std::nullopt;
        std::vector<Edge> inputs = made.inputs;
        inputs[0].value = x->value;
        x->value = build.copy(made, inputs);
        return x;
    }
    std::optional<Scaled> product_of_scaled(Builder& build, const Node& made, const Literal& step) const {
        const auto a = unscaled(build, made.inputs[0].value, step), b = unscaled(build, made.inputs[1].value, step);
        if (!wide_range_ || !a || !b || !a->scale.is_splat() || !b->scale.is_splat()) return std::nullopt;
        return Scaled{build.add(op::multiply, {a->value, b->value}),
                      Literal::scalar(DType::F32, a->scale.at(0) * b->scale.at(0))};
    }
    /// A sum in units of the coarser scale: only the value with the finer scale is rescaled.
    std::optional<Scaled> sum_of_scaled(Builder& build, const Node& made, const Literal& step) const {
        auto a = unscaled(build, made.inputs[0].value, step), b = unscaled(build, made.inputs[1].value, step);
        if (!a || !b || !a->scale.is_splat() || !b->scale.is_splat()) return std::nullopt;
        Scaled &fine = a->scale.at(0) < b->scale.at(0) ? *a : *b, &coarse = &fine == &*a ? *b : *a;
        const double ratio = fine.scale.at(0) / coarse.scale.at(0);
        if (ratio != 1) fine.value = build.add(op::multiply, {fine.value, build.scalar(ratio)});
        return Scaled{build.add(op::add, {a->value, b->value}), coarse.scale};
    }
    /// An integer product with bias, in steps of the quantizer: the weights absorb the scales.
    static Scaled in_quantizer_steps(Builder& build, const Node& product, const Scaled& x, const Literal& step) {
        const Literal scale = step.is_splat() ? Literal::scalar(DType::F32, step.at(0)) : x.scale;
        const ValueId weights = product.inputs[1].value;
        const double by = x.scale.at(0) / scale.at(0);
        std::vector<ValueId> operands{x.value, build.add(op::multiply, {weights, build.scalar(by)})};
        if (product.inputs.size() > 2) operands.push_back(quotient(build, product.inputs[2].value, scale));
        return {build.add(product.op, operands, product.attrs), scale};
    }
    /// An integer product, with its bias.
    std::optional<Scaled> product(Builder& build, const Node& product, const Literal& step) const {
        const bool conv = product.op == op::conv;
        if ((!conv && product.op != op::matmul) || (wide_dest_ && !wide_range_)) return std::nullopt;
        const Literal* weights = build.literal(product.inputs[1].value);
        if (!weights || (!conv && weights->dims().size() != 2)) return std::nullopt;
        const auto x = integers_times_scale(build, node(build, product.inputs[0].value));
        if (!x) return std::nullopt;
        if (!wide_dest_) return in_quantizer_steps(build, product, *x, step);
        auto quantized_weights = quantized(*weights, conv ? 0 : 1);
        if (!quantized_weights) return std::nullopt;

        Literal by = quantized_weights->scales;
        for (float& v : by.floats()) v *= static_cast<float>(x->scale.at(0));
        const ValueId flat = build.constant(by);
        Dims spread{by.size()};
        if (conv) spread.resize(product.type.dims.size() - 1, 1);
        const ValueId scales = build.reshape(flat, spread);
        std::vector<ValueId> operands{x->value, build.constant(std::move(quantized_weights->integers))};
        if (product.inputs.size() > 2) operands.push_back(build.add(op::divide, {product.inputs[2].value, flat}));
        const ValueId y = build.add(product.op, operands, product.attrs);
        return Scaled{y, *build.literal(scales)};
    }

    std::set<std::string> single_use_;
    bool wide_range_;  ///< the format's range holds sums of integer products
    bool wide_dest_;   ///< Dst has more bits for sums than results have
    bool fp16_quantizers_;
};

void run_integer_gemms(Graph& graph, const PassOptions& options) {
    const IntegerGemm products(graph, options);
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::quantize) return std::nullopt;
        return products.rewritten(build, node, in);
    });
}

}  // namespace

extern const Pass integer_gemm;
const Pass integer_gemm{.name = "integer-gemm",
                        .summary = "integer GEMMs between quantizers, with their scales after them",
                        .run = run_integer_gemms};

}  // namespace ttsim::impl::ir
