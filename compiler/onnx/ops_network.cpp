// ONNX convolutions, pools and resizing.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/onnx/join.hpp"
#include "compiler/onnx/quantize.hpp"

namespace ttsim::impl::ir {

namespace {

Attrs window_attrs(Import& n) {
    Attrs attrs;
    for (const char* name : {"strides", "dilations", "pads", "output_padding", "output_shape"})
        if (n.has_attribute(name)) attrs[name] = n.ints(name);
    if (n.has_attribute("auto_pad")) set(attrs, attr::auto_pad, n.s("auto_pad", "NOTSET"));
    if (n.has_attribute("ceil_mode")) set(attrs, attr::ceil_mode, n.i("ceil_mode", 0));
    return attrs;
}

/// The attribute kernel_shape must fit the weights if it is present.
void check_kernel(Import& n, std::size_t weights) {
    const Dims w = n.dims(weights);
    if (n.has_attribute("kernel_shape") && (w.size() < 2 || n.ints("kernel_shape") != Dims(w.begin() + 2, w.end())))
        n.wrong("kernel_shape [{}] with weights [{}]", fmt::join(n.ints("kernel_shape"), ", "), fmt::join(w, ", "));
}

void convolution(Import& n, OpId op) {
    Attrs attrs = window_attrs(n);
    set(attrs, attr::group, n.i("group", 1));
    check_kernel(n, 1);
    std::vector<ValueId> in{n.x(0), n.x(1)};
    if (n.has(2)) in.push_back(n.x(2));
    n.add_output(n.b.add(op, in, attrs));
}
void conv(Import& n) { convolution(n, op::conv); }
void conv_transpose(Import& n) { convolution(n, op::conv_transpose); }

/// Operands: x [batch, channels, length], weights [channels, 1, taps], bias, last elements of the previous call.
void causal_conv(Import& n) {
    if (n.rank() != 3 || n.rank(1) != 3) n.wrong("operands of rank {} and {}; they need 3", n.rank(), n.rank(1));
    const Dims d = n.dims();
    const std::int64_t kept = n.dims(1)[2] - 1;
    const ValueId before = n.has(3) ? n.x(3) : n.b.constant(Literal(n.b.type(n.x(0)).dtype, {d[0], d[1], kept}));
    const ValueId x = joined(n, before, n.x(0), 2);
    std::vector<ValueId> in{x, n.x(1)};
    if (n.has(2)) in.push_back(n.x(2));
    const ValueId y = n.b.add(op::conv, in, {attr::group(d[1])});
    const bool swish = n.get_string("activation", {"none", "silu", "swish"}) != "none";
    n.add_output(swish ? n.binary(op::multiply, y, n.unary(op::sigmoid, y)) : y);
    std::vector<std::int64_t> last;
    for (std::int64_t k = 0; k < kept; ++k) last.push_back(d[2] + k);
    n.add_output(n.gather(x, 2, last));
}

ValueId subtract_zero_point(Import& n, std::size_t k, std::size_t zero) {
    const ValueId x = n.b.cast(n.x(k), DType::F32);
    if (!n.has(zero)) return x;
    ValueId z = n.b.cast(n.x(zero), DType::F32);
    Dims dims;
    if (count(n.b.dims(z)) > 1 && n.rank(k) < 1) n.wrong("operand {} is a scalar", k);
    if (count(n.b.dims(z)) > 1) {
        dims.assign(n.b.dims(x).size(), 1);
        dims[0] = count(n.b.dims(z));
    }
    return n.binary(op::subtract, x, n.b.reshape(z, dims));
}

void conv_integer(Import& n) {
    Attrs attrs = window_attrs(n);
    set(attrs, attr::group, n.i("group", 1));
    check_kernel(n, 1);
    ValueId x = subtract_zero_point(n, 0, 2), w = subtract_zero_point(n, 1, 3);
    const Dims d = n.b.dims(w);
    const std::int64_t inner = d.empty() ? 1 : count(d) / std::max<std::int64_t>(d[0], 1);
    if (!is_exact_in_float32(n, {2, 3}, w, inner, [&](std::int64_t i) { return i / inner; })) {
        x = n.b.cast(x, DType::I32);
        w = n.b.cast(w, DType::I32);
    }
    n.add_output(n.b.cast(n.b.add(op::conv, {x, w}, attrs), DType::I32));
}

/// A value per channel, or one for all, reshaped to broadcast along `axis`.
ValueId per_channel(Import& n, std::size_t k, std::size_t rank, std::size_t axis) {
    const ValueId v = n.b.cast(n.x(k), DType::F32);
    Dims dims;
    if (count(n.b.dims(v)) > 1) {
        dims.assign(rank, 1);
        dims[axis] = count(n.b.dims(v));
    }
    return n.b.reshape(v, dims);
}

/// Operands: x, scale, zero, weights, scale, zero, scale of y, zero of y, bias. An exact convolution of integers, then
/// one factor for all scales.
void qlinear_conv(Import& n) {
    Attrs attrs = window_attrs(n);
    set(attrs, attr::group, n.i("group", 1));
    n.need_rank(3);
    check_kernel(n, 3);
    const std::size_t rank = n.dims(0).size();
    const ValueId x = n.scaled(subtract_zero_point(n, 0, 2), int8_scale);
    const ValueId w = n.scaled(subtract_zero_point(n, 3, 5), int8_scale);
    ValueId y = n.b.add(op::conv, {x, w}, attrs);
    if (n.has(8)) y = n.binary(op::add, y, n.scaled(per_channel(n, 8, rank, 1), int8_scale * int8_scale));
    const auto factor = [&](std::size_t k) { return n.scaled(per_channel(n, k, rank, 1), 1 / int8_scale); };
    y = n.binary(op::multiply, y,
                 n.binary(op::divide, n.binary(op::multiply, factor(1), factor(4)), per_channel(n, 6, rank, 1)));
    const DType to = n.b.type(n.x(7)).dtype;
    n.add_output(quantize_to(n, y, per_channel(n, 7, rank, 1), to));
}

void pool(Import& n, OpId op) {
    Attrs attrs = window_attrs(n);
    set(attrs, attr::kernel, n.ints("kernel_shape"));
    if (n.has_attribute("count_include_pad")) set(attrs, attr::count_include_pad, n.i("count_include_pad", 0));
    n.add_output(n.unary(op, n.x(0), attrs));
    if (n.outputs() < 2) return;
    set(attrs, attr::column_major, n.i("storage_order", 0));
    n.add_output(n.unary(op::max_pool_places, n.x(0), attrs));
}
void max_pool(Import& n) { pool(n, op::max_pool); }
void average_pool(Import& n) { pool(n, op::average_pool); }

void global_average(Import& n) {
    const Dims& dims = n.dims();
    if (dims.size() < 3) n.wrong("operand 0 has rank {}; it needs 3 or more", dims.size());
    n.add_output(n.b.add(op::average_pool, {n.x(0)}, {attr::kernel(Dims(dims.begin() + 2, dims.end()))}));
}
void global_max(Import& n) {
    ValueId x = n.x(0);
    for (std::int64_t a = 2; a < n.rank(); ++a) x = n.unary(op::reduce_max, x, {attr::axis(a)});
    n.add_output(x);
}

// --- resize: one matrix for each axis -------------------------------------------------------------------------------

struct Axis {
    std::int64_t in = 1, out = 1;
    double scale = 1, start = 0, end = 1;
};

double source_of(const std::string& mode, const Axis& a, std::int64_t o) {
    const double x = static_cast<double>(o), in = static_cast<double>(a.in), out = static_cast<double>(a.out);
    if (mode == "asymmetric") return x / a.scale;
    if (mode == "align_corners") return a.out == 1 ? 0 : x * (in - 1) / (in * a.scale - 1);
    if (mode == "pytorch_half_pixel" && a.out <= 1) return 0;
    if (mode == "half_pixel_symmetric") {  // the exact length, which the rounded one may differ from
        const double exact_out = in * a.scale, offset = in / 2 * (1 - out / exact_out);
        return offset + (x + 0.5) / a.scale - 0.5;
    }
    if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
    if (mode == "tf_crop_and_resize")
        return a.out > 1 ? a.start * (in - 1) + x * (a.end - a.start) * (in - 1) / (out - 1)
                         : 0.5 * (a.start + a.end) * (in - 1);
    return (x + 0.5) / a.scale - 0.5;
}

std::int64_t nearest(const std::string& rounding, double x) {
    if (rounding == "floor") return static_cast<std::int64_t>(std::floor(x));
    if (rounding == "ceil") return static_cast<std::int64_t>(std::ceil(x));
    if (rounding == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(x + 0.5));
    return static_cast<std::int64_t>(std::ceil(x - 0.5));
}

double cubic(double d, double a) {
    d = std::fabs(d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

struct ResizeMode {
    std::string kind, coordinates, rounding;
    double cubic_a = -0.75;
    bool exclude_outside = false;
    bool antialias = false;  ///< average over the skipped elements of an axis that shrinks
};

/// Weights of the input positions for one output position.
std::vector<double> weights(const ResizeMode& mode, const Axis& a, double x) {
    std::vector<double> row(static_cast<std::size_t>(a.in), 0.0);
    const auto add = [&](std::int64_t i, double w) {
        if (mode.exclude_outside && (i < 0 || i >= a.in)) return;
        row[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, a.in - 1))] += w;
    };
    const auto base = static_cast<std::int64_t>(std::floor(x));
    const double part = x - std::floor(x);
    if (mode.antialias && a.scale < 1 && mode.kind != "nearest") {
        const double reach = mode.kind == "linear" ? 1 : 2;
        const auto first = static_cast<std::int64_t>(std::floor(-reach / a.scale)) + 1, last = 1 - first;
        std::vector<double> line;
        for (std::int64_t k = first; k <= last; ++k) {
            const double d = (static_cast<double>(k) - part) * a.scale;
            line.push_back(reach == 1 ? std::max(0.0, 1 - std::fabs(d)) : cubic(d, mode.cubic_a));
        }
        const double sum = std::accumulate(line.begin(), line.end(), 0.0);
        for (std::int64_t k = first; k <= last; ++k) add(base + k, line[static_cast<std::size_t>(k - first)] / sum);
        return row;
    }
    if (mode.kind == "nearest") {
        add(nearest(mode.rounding, x), 1);
    } else if (mode.kind == "linear") {
        add(base, 1 - part);
        add(base + 1, part);
    } else {
        for (std::int64_t k = -1; k <= 2; ++k) add(base + k, cubic(part - static_cast<double>(k), mode.cubic_a));
    }
    return row;
}

/// Scales the weights inside the axis to a sum of 1, since weights outside are excluded.
void normalize_weights(Import& n, std::vector<double>& row, std::int64_t o, std::size_t axis) {
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(std::fabs(sum) >= 1e-6)) n.wrong("exclude_outside leaves no source for element {} of axis {}", o, axis);
    for (double& w : row) w /= sum;
}

void resize_axes(Import& n, const ResizeMode& mode, const std::vector<Axis>& axes, double extrapolation) {
    ValueId x = n.x(0);
    std::vector<std::vector<std::int64_t>> beyond(axes.size());  // positions outside of the image, by axis
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const Axis& a = axes[k];
        if (a.out == a.in && a.scale == 1 && a.start == 0 && a.end == 1) continue;
        Literal matrix = zero_matrix(a.out, a.in);
        for (std::int64_t o = 0; o < a.out; ++o) {
            const double at = source_of(mode.coordinates, a, o);
            if (!(std::fabs(at) < 1e15)) n.wrong("element {} of axis {} has the source position {}", o, k, at);
            const bool outside =
                mode.coordinates == "tf_crop_and_resize" && (at < 0 || at > static_cast<double>(a.in - 1));
            if (outside) beyond[k].push_back(o);
            if (outside) continue;
            auto row = weights(mode, a, at);
            if (mode.exclude_outside) normalize_weights(n, row, o, k);
            for (std::int64_t i = 0; i < a.in; ++i) matrix.set(o * a.in + i, row[static_cast<std::size_t>(i)]);
        }
        x = n.b.map_axis(x, static_cast<std::int64_t>(k), std::move(matrix));
    }
    // positions outside of the image are 0 so far
    if (extrapolation != 0 && std::any_of(beyond.begin(), beyond.end(), [](const auto& b) { return !b.empty(); })) {
        Literal frame(n.b.type(x).dtype, n.b.dims(x));
        const Dims steps = strides(frame.dims());
        for (std::int64_t i = 0; i < frame.size(); ++i)
            for (std::size_t k = 0; k < axes.size(); ++k)
                if (std::binary_search(beyond[k].begin(), beyond[k].end(), i / steps[k] % frame.dims()[k]))
                    frame.set(i, extrapolation);
        x = n.binary(op::add, x, n.b.constant(std::move(frame)));
    }
    n.add_output(x);
}

void check_axis(Import& n, const Axis& a, std::int64_t k) {
    if (a.in < 1) n.wrong("axis {} has no elements", k);
    if (a.out < 1 || !(a.scale > 0)) n.wrong("nothing is left of axis {}", k);
    n.check_positions(a.out);
}

/// The axes that sizes, scales and regions refer to.
std::vector<std::int64_t> resized_axes(Import& n) {
    std::vector<std::int64_t> named = n.opset >= 18 ? n.ints("axes") : std::vector<std::int64_t>{};
    if (named.empty())
        for (std::int64_t k = 0; k < n.rank(); ++k) named.push_back(k);
    for (std::int64_t& k : named) k = n.axis(k, n.rank());
    n.check_distinct(named);
    return named;
}

std::vector<Axis> axes_of(Import& n, std::size_t scales, std::optional<std::size_t> sizes) {
    std::vector<Axis> axes;
    const bool by_size = sizes && n.has(*sizes) && n.literal(*sizes).size() > 0;
    const Literal& given = by_size ? n.literal(*sizes) : n.literal(scales);
    const std::vector<std::int64_t> named = resized_axes(n);
    if (given.size() != std::ssize(named))
        n.wrong("{} sizes or scales for {} axes of a tensor of rank {}", given.size(), named.size(), n.rank());
    for (const std::int64_t size : n.dims()) axes.push_back({.in = size, .out = size});
    const std::string policy = n.get_string("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"});
    std::optional<double> common;  // of all named axes
    for (std::int64_t i = 0; by_size && policy != "stretch" && i < given.size(); ++i) {
        const double own =
            given.at(i) / static_cast<double>(axes[static_cast<std::size_t>(named[static_cast<std::size_t>(i)])].in);
        common = !common ? own : policy == "not_larger" ? std::min(*common, own) : std::max(*common, own);
    }
    for (std::int64_t i = 0; i < given.size(); ++i) {
        const std::int64_t k = named[static_cast<std::size_t>(i)];
        Axis& a = axes[static_cast<std::size_t>(k)];
        const auto in = static_cast<double>(a.in);
        a.out = to_integer(common    ? std::floor(in * *common + 0.5)
                           : by_size ? given.at(i)
                                     : std::floor(in * given.at(i)));
        a.scale = common ? *common : by_size ? static_cast<double>(a.out) / in : given.at(i);
    }
    for (std::size_t k = 0; k < axes.size(); ++k) check_axis(n, axes[k], static_cast<std::int64_t>(k));
    return axes;
}

void resize(Import& n) {
    ResizeMode mode{n.get_string("mode", {"nearest", "linear", "cubic"}),
                    "asymmetric",
                    "floor",
                    n.f("cubic_coeff_a", -0.75),
                    n.i("exclude_outside", 0) != 0,
                    n.i("antialias", 0) != 0};
    if (n.opset >= 11) {
        mode.coordinates = n.get_string("coordinate_transformation_mode",
                                        {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
                                         "half_pixel_symmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"});
        mode.rounding = n.get_string("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
    }
    if (n.opset < 11) return resize_axes(n, mode, axes_of(n, 1, {}), 0);
    std::vector<Axis> axes = axes_of(n, 2, 3);
    if (mode.coordinates == "tf_crop_and_resize") {
        const Literal& region = n.literal(1);
        const std::vector<std::int64_t> named = resized_axes(n);
        if (region.size() != 2 * std::ssize(named))
            n.wrong("a region of {} values for {} axes", region.size(), named.size());
        for (std::size_t k = 0; k < named.size(); ++k) {
            Axis& a = axes[static_cast<std::size_t>(named[k])];
            a.start = region.at(static_cast<std::int64_t>(k));
            a.end = region.at(static_cast<std::int64_t>(k + named.size()));
        }
    }
    resize_axes(n, mode, axes, n.f("extrapolation_value", 0));
}

void upsample(Import& n) {
    ResizeMode mode{
        .kind = n.get_string("mode", {"nearest", "linear"}), .coordinates = "asymmetric", .rounding = "floor"};
    if (n.opset >= 9) return resize_axes(n, mode, axes_of(n, 1, {}), 0);
    const auto scales = n.floats("scales");
    std::vector<Axis> axes;
    if (scales.size() != n.dims().size()) n.wrong("{} scales for a tensor of rank {}", scales.size(), n.rank());
    for (std::size_t k = 0; k < scales.size(); ++k) {
        Axis a;
        a.in = n.dims()[k];
        a.scale = static_cast<double>(scales[k]);
        a.out = to_integer(std::floor(static_cast<double>(a.in) * a.scale));
        check_axis(n, a, static_cast<std::int64_t>(k));
        axes.push_back(a);
    }
    resize_axes(n, mode, axes, 0);
}

}  // namespace

const ImportRules& network_rules() {
    static const ImportRules rules{
        {"Conv", conv},
        {"ConvTranspose", conv_transpose},
        {"ConvInteger", conv_integer},
        {"CausalConvWithState", causal_conv},
        {"QLinearConv", qlinear_conv},
        {"MaxPool", max_pool},
        {"AveragePool", average_pool},
        {"GlobalAveragePool", global_average},
        {"GlobalMaxPool", global_max},
        {"Resize", resize},
        {"Upsample", upsample},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
