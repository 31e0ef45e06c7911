// whole-products: between two quantizers products are of whole numbers, and all scales come behind them as one.
//
//   %d = multiply %a, 0.02          %a: whole numbers                %p = conv %a, %w / s, %b / (0.02 * s)
//   %c = conv %d, %w, %b            %w: those times s, by channel    %r = relu %p
//   %r = relu %c                                                ->   %y = divide %r, 0.1 / (0.02 * s)
//   %y = divide %r, 0.1                                              %q = quantize %y, %z
//   %q = quantize %y, %z
//
// The device holds whole numbers of 8 bits exactly; times a scale they are rounded, and a quantizer makes a step of
// what is a little beside.
#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/ir/pass.hpp"

namespace tt::ir {

namespace {

bool is_positive(const Literal* literal) {
    if (!literal || !is_float(literal->dtype()) || literal->size() == 0) return false;
    const std::vector<float>& floats = literal->floats();
    return std::all_of(floats.begin(), floats.end(), [](float v) { return v > 0 && std::isfinite(v); });
}

/// Of weights that are whole numbers of up to 8 bits times one number for each channel: both.
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

class WholeProducts {
public:
    explicit WholeProducts(const Graph& graph) {
        const auto uses = graph.use_counts();
        for (ValueId id = 0; id < graph.nodes.size(); ++id)
            if (uses[id] == 1) once_.insert(graph.nodes[id].name);
    }

    /// For a quantizer.
    std::optional<ValueId> rewritten(Builder& build, const Node& quantize, std::span<const ValueId> in) const {
        const Node divide = node(build, in[0]);
        if (divide.op != "divide" || !once(divide) || !is_positive(build.literal(divide.inputs[1].value))) return {};
        ValueId x = divide.inputs[0].value;
        const bool relu = node(build, x).op == "relu";
        if (relu && !once(node(build, x))) return {};
        if (relu) x = node(build, x).inputs[0].value;
        std::optional<ValueId> bias;
        if (const Node add = node(build, x); add.op == "add" && once(add)) {
            const std::size_t k = build.literal(add.inputs[0].value) ? 0 : 1;
            if (build.dims(add.inputs[1 - k].value) != add.type.dims) return {};
            bias = add.inputs[k].value;
            x = add.inputs[1 - k].value;
        }
        const Node product = node(build, x);
        if (!once(product) || (bias && !build.literal(*bias))) return {};
        const auto made = whole(build, product, bias);
        if (!made) return {};
        const auto [sum, scales] = *made;
        ValueId y = relu ? build.add("relu", {sum}) : sum;
        y = build.add("divide", {y, build.add("divide", {divide.inputs[1].value, scales})});
        return build.add("quantize", {y, in[1]}, quantize.attrs);
    }

private:
    static Node node(const Builder& build, ValueId id) { return build.graph().nodes[id]; }
    bool once(const Node& node) const { return once_.contains(node.name); }

    static bool is_whole(const Builder& build, ValueId id) {
        const Node& node = build.graph().nodes[id];
        if (node.op == "cast") return !is_float(build.type(node.inputs[0].value).dtype);
        if (node.op != "subtract") return false;
        const Literal* zero = build.literal(node.inputs[1].value);
        const auto whole = [](float v) { return v == std::nearbyint(v); };
        return zero && is_float(zero->dtype()) && std::all_of(zero->floats().begin(), zero->floats().end(), whole) &&
               is_whole(build, node.inputs[0].value);
    }

    /// The product of whole numbers with its bias, and what it is to be multiplied by.
    static std::optional<std::pair<ValueId, ValueId>> whole(Builder& build, const Node& product,
                                                            std::optional<ValueId> bias) {
        const bool conv = product.op == "conv";
        if (!conv && product.op != "matmul") return std::nullopt;
        const Literal* weights = build.literal(product.inputs[1].value);
        const Node scaled = node(build, product.inputs[0].value);
        if (!weights || scaled.op != "multiply" || (!conv && weights->dims().size() != 2)) return std::nullopt;
        const std::size_t k = build.literal(scaled.inputs[0].value) ? 0 : 1;
        const Literal* scale = build.literal(scaled.inputs[k].value);
        const ValueId data = scaled.inputs[1 - k].value;
        if (!is_positive(scale) || !scale->is_splat() || !is_whole(build, data)) return std::nullopt;
        auto grid = grid_of(*weights, conv ? 0 : 1);
        if (!grid) return std::nullopt;

        Literal by = grid->scales;
        for (float& v : by.floats()) v *= static_cast<float>(scale->at(0));
        const ValueId flat = build.constant(by);
        Dims spread{by.size()};
        if (conv) spread.resize(product.type.dims.size() - 1, 1);
        const ValueId scales = build.reshape(flat, spread);
        std::vector<ValueId> operands{data, build.constant(std::move(grid->whole))};
        if (product.inputs.size() > 2) operands.push_back(build.add("divide", {product.inputs[2].value, flat}));
        ValueId y = build.add(product.op, operands, product.attrs);
        if (bias) y = build.add("add", {y, build.add("divide", {*bias, scales})});
        return std::pair(y, scales);
    }

    std::set<std::string> once_;
};

void run_whole_products(Graph& graph, const PassOptions&) {
    const WholeProducts products(graph);
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != "quantize") return std::nullopt;
        return products.rewritten(build, node, in);
    });
}

}  // namespace

extern const Pass whole_products;
const Pass whole_products{.name = "whole-products",
                          .summary = "products between quantizers of whole numbers, and their scales behind them",
                          .run = run_whole_products};

}  // namespace tt::ir
