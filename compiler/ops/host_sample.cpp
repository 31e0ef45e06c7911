// Host ops that interpolate between pixels of images.
//
//   grid_sample {mode, padding, align_corners}   x [N, C, spatial..] at grid [N, out.., rank of spatial], whose
//                                                coordinates are -1..1 over the image, the last axis first
//   deform_conv {group, offset_group, strides, dilations, pads, kernel}   x, weights, offsets, mask: a convolution
//                                                that samples at offsets (y before x) and scales by the mask
//
// mode: linear, nearest, cubic. padding: zeros, border, reflection.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/ops/op_lists.hpp"
#include "generated/op_attributes.hpp"

namespace ttsim::impl::ir {

namespace {

struct Sampling {
    bool nearest = false, cubic = false, align_corners = false;
    std::string padding = "zeros";
};

/// Reflects x at the ends of the range until it is inside.
double reflected(double x, double low, double high) {
    const double range = high - low;
    if (range <= 0) return low;
    const double away = std::fabs(x < low ? low - x : x > high ? x - high : 0);
    if (away == 0) return x;
    const double reflections = std::floor(away / range), rest = away - reflections * range;
    const bool even = std::fmod(reflections, 2) == 0;
    return (x < low) == even ? low + rest : high - rest;
}

/// The element of an axis at position `at`, with padding; -1: zero.
std::int64_t element_of(const Sampling& how, std::int64_t at, std::int64_t size) {
    if (at >= 0 && at < size) return at;
    if (how.padding == "zeros") return -1;
    if (how.padding == "border") return std::clamp<std::int64_t>(at, 0, size - 1);
    const double edge = how.align_corners ? 0 : 0.5;
    const double back = reflected(static_cast<double>(at), -edge, static_cast<double>(size) - 1 + edge);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(back), 0, size - 1);
}

struct Tap {
    std::int64_t element;  ///< -1: zero
    double weight;
};

double cubic_weight(double d) {
    constexpr double a = -0.75;
    d = std::fabs(d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// The elements of one axis, with weights, that a coordinate -1..1 interpolates.
std::vector<Tap> taps_of(const Sampling& how, double given, std::int64_t size) {
    const auto n = static_cast<double>(size);
    const double edge = how.align_corners ? 0 : 0.5, low = -edge, high = n - 1 + edge;
    double x = how.align_corners ? (given + 1) / 2 * (n - 1) : ((given + 1) * n - 1) / 2;
    if (how.padding == "border") x = std::clamp(x, -2.0, n + 1);  // beyond that all taps are border elements
    if (!(std::fabs(x) < 1e15)) return {};
    if (how.nearest) x = std::nearbyint(x);
    if ((x < low || x > high) && !how.cubic) {  // cubic interpolation pads each tap instead
        if (how.padding == "border") x = std::clamp(x, 0.0, n - 1);
        if (how.padding == "reflection") x = reflected(x, low, high);
    }
    const double floor = std::floor(x), part = x - floor;
    const auto base = static_cast<std::int64_t>(floor);
    if (how.nearest) return {{element_of(how, static_cast<std::int64_t>(x), size), 1}};
    if (!how.cubic) return {{element_of(how, base, size), 1 - part}, {element_of(how, base + 1, size), part}};
    std::vector<Tap> taps;
    for (std::int64_t k = -1; k <= 2; ++k)
        taps.push_back({element_of(how, base + k, size), cubic_weight(part - static_cast<double>(k))});
    return taps;
}

/// Combines the taps of all axes: elements of an image and their weights.
std::vector<Tap> product_of(const std::vector<std::vector<Tap>>& axes, const Dims& spatial) {
    std::vector<Tap> all{{0, 1}};
    for (std::size_t a = 0; a < axes.size(); ++a) {
        std::vector<Tap> next;
        for (const Tap& left : all)
            for (const Tap& tap : axes[a])
                if (tap.element >= 0 && tap.weight != 0)
                    next.push_back({left.element * spatial[a] + tap.element, left.weight * tap.weight});
        all = std::move(next);
    }
    return all;
}

Type infer_grid_sample(const Node& node, std::span<const Type> in) {
    const Dims &x = in[0].dims, &grid = in[1].dims;
    const std::size_t rank = x.size();
    if (rank < 3 || grid.size() != rank || grid[0] != x[0] || grid.back() != static_cast<std::int64_t>(rank) - 2)
        fail_input(node.loc, "'{}' samples {} at {}", node.name, to_string(in[0]), to_string(in[1]));
    if (std::find(x.begin() + 2, x.end(), 0) != x.end())
        fail_input(node.loc, "'{}' samples {}, which has no elements", node.name, to_string(in[0]));
    Type out{in[0].dtype, {x[0], x[1]}, {}};
    out.dims.insert(out.dims.end(), grid.begin() + 1, grid.end() - 1);
    return out;
}

Literal eval_grid_sample(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto given = attributes<GridSampleAttributes>(node);
    const Sampling how{given.mode == "nearest", given.mode == "cubic", given.align_corners, given.padding};
    const Dims& x = in[0]->dims();
    const Dims spatial(x.begin() + 2, x.end());
    const std::int64_t pixels = count(spatial), channels = x[1], rank = std::ssize(spatial);
    const std::int64_t points = count({out.dims().begin() + 2, out.dims().end()});
    for (std::int64_t n = 0; n < x[0]; ++n)
        for (std::int64_t p = 0; p < points; ++p) {
            std::vector<std::vector<Tap>> axes;
            for (std::int64_t a = 0; a < rank; ++a)
                axes.push_back(taps_of(how, in[1]->at((n * points + p) * rank + rank - 1 - a),
                                       spatial[static_cast<std::size_t>(a)]));
            const std::vector<Tap> taps = product_of(axes, spatial);
            for (std::int64_t c = 0; c < channels; ++c) {
                double sum = 0;
                for (const Tap& tap : taps) sum += tap.weight * in[0]->at((n * channels + c) * pixels + tap.element);
                out.set((n * channels + c) * points + p, sum);
            }
        }
    return out;
}

// --- deformed convolution -----------------------------------------------------------------------------------------

Type infer_deform_conv(const Node& node, std::span<const Type> in) {
    const Dims &x = in[0].dims, &w = in[1].dims, &offset = in[2].dims;
    const DeformConvAttributes d = attributes<DeformConvAttributes>(node);
    const bool ranks = x.size() == 4 && w.size() == 4 && offset.size() == 4 && in[3].dims.size() == 4 &&
                       d.strides.size() == 2 && d.dilations.size() == 2 && d.pads.size() == 4;
    if (!ranks || d.group < 1 || d.offset_group < 1 || x[1] != w[1] * d.group || w[0] % d.group != 0 ||
        x[1] % d.offset_group != 0 || offset[1] != 2 * d.offset_group * w[2] * w[3] || offset[0] != x[0] ||
        in[3].dims != Dims{x[0], d.offset_group * w[2] * w[3], offset[2], offset[3]})
        fail_input(node.loc, "'{}' convolves {} with {}, offsets {} and mask {}", node.name, to_string(in[0]),
                   to_string(in[1]), to_string(in[2]), to_string(in[3]));
    return {in[0].dtype, {x[0], w[0], offset[2], offset[3]}, {}};
}

/// Bilinear interpolation, zero outside.
double pixel_between(const Literal& x, std::int64_t first, std::int64_t rows, std::int64_t cols, double y, double at) {
    if (!(y > -1 && y < static_cast<double>(rows) && at > -1 && at < static_cast<double>(cols))) return 0;
    const auto r = static_cast<std::int64_t>(std::floor(y)), c = static_cast<std::int64_t>(std::floor(at));
    const double down = y - std::floor(y), right = at - std::floor(at);
    const auto pixel = [&](std::int64_t row, std::int64_t col) {
        return row < 0 || row >= rows || col < 0 || col >= cols ? 0.0 : x.at(first + row * cols + col);
    };
    return (1 - down) * ((1 - right) * pixel(r, c) + right * pixel(r, c + 1)) +
           down * ((1 - right) * pixel(r + 1, c) + right * pixel(r + 1, c + 1));
}

Literal eval_deform_conv(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const Literal &x = *in[0], &w = *in[1], &offset = *in[2], &mask = *in[3];
    const DeformConvAttributes d = attributes<DeformConvAttributes>(node);
    const std::int64_t channels = x.dims()[1], rows = x.dims()[2], cols = x.dims()[3], inner = w.dims()[1];
    const std::int64_t taps = w.dims()[2] * w.dims()[3], oh = out.dims()[2], ow = out.dims()[3];
    const std::int64_t given = out.dims()[1] / d.group, moved = channels / d.offset_group;
    for (std::int64_t n = 0; n < x.dims()[0]; ++n)
        for (std::int64_t p = 0; p < oh * ow; ++p)
            for (std::int64_t c = 0; c < channels; ++c)
                for (std::int64_t tap = 0; tap < taps; ++tap) {
                    const std::int64_t place = (n * d.offset_group + c / moved) * taps + tap;
                    const double y =
                        static_cast<double>(p / ow * d.strides[0] - d.pads[0] + tap / w.dims()[3] * d.dilations[0]) +
                        offset.at(2 * place * oh * ow + p);
                    const double at =
                        static_cast<double>(p % ow * d.strides[1] - d.pads[1] + tap % w.dims()[3] * d.dilations[1]) +
                        offset.at((2 * place + 1) * oh * ow + p);
                    const double value = mask.at(place * oh * ow + p) *
                                         pixel_between(x, (n * channels + c) * rows * cols, rows, cols, y, at);
                    const std::int64_t group = c / inner;
                    for (std::int64_t o = group * given; o < (group + 1) * given; ++o) {
                        const std::int64_t to = (n * out.dims()[1] + o) * oh * ow + p;
                        out.set(to, out.at(to) + value * w.at((o * inner + c % inner) * taps + tap));
                    }
                }
    return out;
}

std::int64_t work_deform_conv(const Node& node, std::span<const Literal* const> in) {
    return count({count(node.type.dims), count(in[1]->dims()) / std::max<std::int64_t>(in[1]->dims()[0], 1)});
}

constexpr std::array sample_table{
    OpFunctions{op::grid_sample, infer_grid_sample, eval_grid_sample},
    OpFunctions{op::deform_conv, infer_deform_conv, eval_deform_conv, work_deform_conv},
};

}  // namespace

std::span<const OpFunctions> sample_ops() { return sample_table; }

}  // namespace ttsim::impl::ir
