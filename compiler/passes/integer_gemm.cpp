// integer-gemm: between two quantizers work is on integers, and all scales come behind it as one.
//
//   %d = multiply %a, 0.02          %a: integers                %p = conv %a, %w / s, %b / (0.02 * s)
//   %c = conv %d, %w, %b            %w: those times s, by channel    %r = relu %p
//   %r = relu %c                                                ->   %y = divide %r, 0.1 / (0.02 * s)
//   %y = divide %r, 0.1                                              %q = quantize %y, %z
//   %q = quantize %y, %z
//
// and so behind what gives twice as much for twice as much (relu, pools, moves), products of two such values, and sums,
// which count in the steps of the coarser grid. What comes on the grid it is already on is not quantized again.
//
// The device holds integers of 8 bits exactly; times a scale they are rounded, and a quantizer makes a step of
// what is a little beside.
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

/// Of weights that are integers of up to 8 bits times one number for each channel: both.
struct Grid {
    Literal whole, scales;  ///< scales: [channels]
};

/// What `count` numbers, `step` apart, are multiples of, with which the largest has 8 bits; 0: there is no such number.
double grid_of(const float* first, std::int64_t count, std::int64_t step) {
    float largest = 0;
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(first[i * step]));
    if (largest == 0) return 1;
    if (!std::isfinite(largest)) return 0;
    constexpr int most = 255;
    constexpr double close = 1e-4;  // of a step
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

std::optional<Grid> grid_of(const Literal& weights, std::size_t axis) {
    if (weights.dtype() != DType::F32 || weights.size() == 0) return std::nullopt;
    const std::int64_t channels = weights.dims()[axis], step = strides(weights.dims())[axis];
    const std::int64_t each = weights.size() / channels;
    // the axis is the first or the last
    const std::int64_t from = axis == 0 ? each : 1, apart = axis == 0 ? 1 : channels;
    if (axis != 0 && step != 1) return std::nullopt;
    Grid grid{weights, Literal(DType::F32, {channels})};
    std::vector<float>& whole = grid.whole.floats();
    for (std::int64_t c = 0; c < channels; ++c) {
        const double scale = grid_of(weights.floats().data() + c * from, each, apart);
        if (scale == 0) return std::nullopt;
        grid.scales.set(c, scale);
        for (std::int64_t i = 0; i < each; ++i) {
            float& v = whole[static_cast<std::size_t>(c * from + i * apart)];
            v = static_cast<float>(std::nearbyint(static_cast<double>(v) / scale));
        }
    }
    return grid;
}

class IntegerGemm {
public:
    IntegerGemm(const Graph& graph, const PassOptions& options)
        : wide_range_(info(options.default_df).family != FormatFamily::A),
          wide_dest_(options.wide_dest),
          fine_(works_in_fp16_quantizers(options)) {
        const auto uses = graph.use_counts();
        for (ValueId id = 0; id < graph.nodes.size(); ++id)
            if (uses[id] == 1) once_.insert(graph.nodes[id].name);
    }

    /// For a quantizer.
    std::optional<ValueId> rewritten(Builder& build, const Node& quantize, std::span<const ValueId> in) const {
        const Node divide = node(build, in[0]);
        if (divide.op != "divide" || !once(divide)) return {};
        const Literal* step = build.literal(divide.inputs[1].value);
        if (!is_positive(step)) return {};
        if (fine_ && quantize.number("high", 0) - quantize.number("low", 0) <= 255)
            build.set_kind(std::string(fp16_quantizers));
        const auto x = unscaled(build, limited_anyway(build, quantize, divide.inputs[0].value, *step, in[1]), *step);
        if (!x) return {};
        if (step->is_splat() && x->scale.is_splat() && step->at(0) == x->scale.at(0))
            return on_same_grid(build, quantize, x->value, in[1]);
        const ValueId y = build.add("divide", {x->value, quotient(build, divide.inputs[1].value, x->scale)});
        return build.add("quantize", {y, in[1]}, quantize.attrs);
    }

private:
    /// A value is `value` times `scale`, f32, above 0: one number, or one for each channel, which broadcasts.
    struct Scaled {
        ValueId value;
        Literal scale;
    };

    static Node node(const Builder& build, ValueId id) { return build.graph().nodes[id]; }
    bool once(const Node& node) const { return once_.contains(node.name); }
    static ValueId quotient(Builder& build, ValueId a, const Literal& b) {
        return build.add("divide", {a, build.constant(b)});
    }

    /// Before a clamp that takes only what the quantizer's limits take as well.
    ValueId limited_anyway(const Builder& build, const Node& quantize, ValueId id, const Literal& step,
                           ValueId zero) const {
        const Node& clamp = build.graph().nodes[id];
        const Literal* shift = build.literal(zero);
        if (clamp.op != "relu_max" || !once(clamp) || !step.is_splat() || !shift || !shift->is_splat()) return id;
        const double low = quantize.number("low", 0) - shift->at(0), high = quantize.number("high", 0) - shift->at(0);
        return low == 0 && clamp.number("threshold", 1) / step.at(0) >= high - 0.49 ? clamp.inputs[0].value : id;
    }

    static bool is_whole(const Builder& build, ValueId id) {
        const Node& node = build.graph().nodes[id];
        if (node.op == "cast") return !is_float(build.type(node.inputs[0].value).dtype);
        if (node.op != "subtract") return false;
        const Literal* zero = build.literal(node.inputs[1].value);
        const auto whole = [](float v) { return v == std::nearbyint(v); };
        return zero && is_float(zero->dtype()) && std::all_of(zero->floats().begin(), zero->floats().end(), whole) &&
               is_whole(build, node.inputs[0].value);
    }

    /// What is quantized again with the scale it has: nothing is left to do but to bring 0 where it was.
    static ValueId on_same_grid(Builder& build, const Node& quantize, ValueId x, ValueId zero) {
        const Literal* shift = build.literal(zero);
        const auto [low, high] = limits(build, x);
        if (!shift || !shift->is_splat() || low + shift->at(0) < quantize.number("low", 0) ||
            high + shift->at(0) > quantize.number("high", 0))
            return build.add("quantize", {x, zero}, quantize.attrs);
        return shift->at(0) == 0 ? x : build.add("add", {x, zero});
    }
    /// Of integers that were taken apart or put in another order; else nothing is known.
    static std::pair<double, double> limits(const Builder& build, ValueId id) {
        constexpr double any = std::numeric_limits<double>::infinity();
        const Node& node = build.graph().nodes[id];
        if (node.op == "cast") {
            const DType from = build.type(node.inputs[0].value).dtype;
            if (from == DType::U8) return {0, 255};
            if (from == DType::I8) return {-128, 127};
            return {-any, any};
        }
        if (chooses(node)) return limits(build, node.inputs[0].value);
        const Literal* zero = node.op == "subtract" ? build.literal(node.inputs[1].value) : nullptr;
        if (!zero || !zero->is_splat()) return {-any, any};
        const auto [low, high] = limits(build, node.inputs[0].value);
        return {low - zero->at(0), high - zero->at(0)};
    }
    /// Each element of the result is one of the operand's.
    static bool chooses(const Node& node) {
        static const std::set<std::string_view> ops{"reshape", "transpose",  "hslice",
                                                    "hstack",  "reduce_max", "max_pool"};
        return ops.contains(node.op);
    }

    /// The scale taken from a value that only a quantizer reads; nullopt: it has none.
    std::optional<Scaled> unscaled(Builder& build, ValueId id, const Literal& step) const {
        const Node made = node(build, id);
        if (auto whole = whole_times_scale(build, made)) return whole;
        if (!once(made)) return std::nullopt;
        if (made.op == "relu") return behind(build, made, false, step);
        if (chooses(made) || made.op == "average_pool" || made.op == "map_axis") return behind(build, made, true, step);
        if (made.op == "conv" || made.op == "matmul") return product(build, made, step);
        if (made.op != "add" && made.op != "multiply") return std::nullopt;
        const std::size_t k = build.literal(made.inputs[0].value) ? 0 : 1;
        if (build.literal(made.inputs[k].value)) return with_constant(build, made, k, step);
        return made.op == "add" ? sum_of_scaled(build, made, step) : product_of_scaled(build, made, step);
    }
    /// x + c or x * c, of which operand `k` is the constant.
    std::optional<Scaled> with_constant(Builder& build, const Node& made, std::size_t k, const Literal& step) const {
        const ValueId constant = made.inputs[k].value;
        const Literal* c = build.literal(constant);
        const bool scales = made.op == "multiply";
        if (build.dims(made.inputs[1 - k].value) != made.type.dims || !is_float(c->dtype())) return std::nullopt;
        if (scales && (!is_positive(c) || !c->is_splat())) return std::nullopt;
        auto x = unscaled(build, made.inputs[1 - k].value, step);
        if (!x) return std::nullopt;
        if (scales)
            for (float& v : x->scale.floats()) v *= static_cast<float>(build.literal(constant)->at(0));
        else
            x->value = build.add("add", {x->value, quotient(build, constant, x->scale)});
        return x;
    }
    static std::optional<Scaled> whole_times_scale(const Builder& build, const Node& made) {
        if (made.op != "multiply") return std::nullopt;
        const std::size_t k = build.literal(made.inputs[0].value) ? 0 : 1;
        const Literal* scale = build.literal(made.inputs[k].value);
        const ValueId data = made.inputs[1 - k].value;
        if (!is_positive(scale) || !scale->is_splat() || !is_whole(build, data)) return std::nullopt;
        if (build.dims(data) != made.type.dims) return std::nullopt;
        return Scaled{data, Literal::scalar(DType::F32, scale->at(0))};
    }
    /// An op that gives twice as much for twice as much.
    std::optional<Scaled> behind(Builder& build, const Node& made, bool of_one_number, const Literal& step) const {
        auto x = unscaled(build, made.inputs[0].value, step);
        if (!x || (of_one_number && !x->scale.is_splat())) return std::nullopt;
        std::vector<Edge> inputs = made.inputs;
        inputs[0].value = x->value;
        x->value = build.copy(made, inputs);
        return x;
    }
    std::optional<Scaled> product_of_scaled(Builder& build, const Node& made, const Literal& step) const {
        const auto a = unscaled(build, made.inputs[0].value, step), b = unscaled(build, made.inputs[1].value, step);
        if (!wide_range_ || !a || !b || !a->scale.is_splat() || !b->scale.is_splat()) return std::nullopt;
        return Scaled{build.add("multiply", {a->value, b->value}),
                      Literal::scalar(DType::F32, a->scale.at(0) * b->scale.at(0))};
    }
    /// In steps of the coarser of both grids: only what comes on the other one is scaled.
    std::optional<Scaled> sum_of_scaled(Builder& build, const Node& made, const Literal& step) const {
        auto a = unscaled(build, made.inputs[0].value, step), b = unscaled(build, made.inputs[1].value, step);
        if (!a || !b || !a->scale.is_splat() || !b->scale.is_splat()) return std::nullopt;
        Scaled &fine = a->scale.at(0) < b->scale.at(0) ? *a : *b, &coarse = &fine == &*a ? *b : *a;
        const double ratio = fine.scale.at(0) / coarse.scale.at(0);
        if (ratio != 1) fine.value = build.add("multiply", {fine.value, build.scalar(ratio)});
        return Scaled{build.add("add", {a->value, b->value}), coarse.scale};
    }
    /// A product of integers with its bias, which gives steps of the quantizer: the weights are scaled.
    static Scaled in_steps(Builder& build, const Node& product, const Scaled& x, const Literal& step) {
        const Literal scale = step.is_splat() ? Literal::scalar(DType::F32, step.at(0)) : x.scale;
        const ValueId weights = product.inputs[1].value;
        const double by = x.scale.at(0) / scale.at(0);
        std::vector<ValueId> operands{x.value, build.add("multiply", {weights, build.scalar(by)})};
        if (product.inputs.size() > 2) operands.push_back(quotient(build, product.inputs[2].value, scale));
        return {build.add(product.op, operands, product.attrs), scale};
    }
    /// A product of integers, with its bias.
    std::optional<Scaled> product(Builder& build, const Node& product, const Literal& step) const {
        const bool conv = product.op == "conv";
        if ((!conv && product.op != "matmul") || (wide_dest_ && !wide_range_)) return std::nullopt;
        const Literal* weights = build.literal(product.inputs[1].value);
        if (!weights || (!conv && weights->dims().size() != 2)) return std::nullopt;
        const auto x = whole_times_scale(build, node(build, product.inputs[0].value));
        if (!x) return std::nullopt;
        if (!wide_dest_) return in_steps(build, product, *x, step);
        auto grid = grid_of(*weights, conv ? 0 : 1);
        if (!grid) return std::nullopt;

        Literal by = grid->scales;
        for (float& v : by.floats()) v *= static_cast<float>(x->scale.at(0));
        const ValueId flat = build.constant(by);
        Dims spread{by.size()};
        if (conv) spread.resize(product.type.dims.size() - 1, 1);
        const ValueId scales = build.reshape(flat, spread);
        std::vector<ValueId> operands{x->value, build.constant(std::move(grid->whole))};
        if (product.inputs.size() > 2) operands.push_back(build.add("divide", {product.inputs[2].value, flat}));
        const ValueId y = build.add(product.op, operands, product.attrs);
        return Scaled{y, *build.literal(scales)};
    }

    std::set<std::string> once_;
    bool wide_range_;  ///< formats hold what products of integers add up to
    bool wide_dest_;   ///< sums of products have more bits than results
    bool fine_;
};

void run_integer_gemms(Graph& graph, const PassOptions& options) {
    const IntegerGemm products(graph, options);
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != "quantize") return std::nullopt;
        return products.rewritten(build, node, in);
    });
}

}  // namespace

extern const Pass integer_gemm;
const Pass integer_gemm{.name = "integer-gemm",
                        .summary = "products between quantizers of integers, and their scales behind them",
                        .run = run_integer_gemms};

}  // namespace ttsim::impl::ir
