// Host ops on boxes, for detectors.
//
//   roi_align {height, width, ratio, scale, max, half_pixel}   x [N, C, H, W], boxes [R, 4], image indices [R].
//                                     Each bin of a box is the mean of `ratio` by `ratio` interpolated points, or their
//                                     maximum if max = 1.
//   max_roi_pool {height, width, scale}   x, boxes [R, 5]. The first number of a box is the image index.
//   max_pool_places {kernel, strides, pads, .., column_major}   indices in x of the maxima of a pool (i64)
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compiler/ops/op_lists.hpp"
#include "compiler/ops/window.hpp"
#include "generated/op_attributes.hpp"

namespace ttsim::impl::ir {

namespace {

Type infer_regions(const Node& node, std::span<const Type> in, std::int64_t numbers) {
    const std::int64_t height = node.get(attr::height), width = node.get(attr::width);
    if (in[0].dims.size() != 4 || in[0].dims[2] < 1 || in[0].dims[3] < 1 || in[1].dims.size() != 2 ||
        in[1].dims[1] != numbers || height < 1 || width < 1 || (in.size() > 2 && in[2].dims != Dims{in[1].dims[0]}))
        fail_input(node.loc, "'{}' samples {} x {} of {} in boxes {}", node.name, height, width, to_string(in[0]),
                   to_string(in[1]));
    return {in[0].dtype, {in[1].dims[0], in[0].dims[1], height, width}, {}};
}
Type infer_roi_align(const Node& node, std::span<const Type> in) { return infer_regions(node, in, 4); }
Type infer_max_roi_pool(const Node& node, std::span<const Type> in) { return infer_regions(node, in, 5); }

std::int64_t image_of(const Node& node, double given, std::int64_t images) {
    const std::int64_t image = to_integer(given);
    if (image < 0 || image >= images)
        fail_input(node.loc, "'{}' has a box in image {} of {}", node.name, image, images);
    return image;
}

/// The four pixels around a point and their bilinear weights.
struct Corners {
    std::array<std::int64_t, 4> pixel{};
    std::array<double, 4> weight{};
};
Corners corners_of(double y, double x, std::int64_t rows, std::int64_t cols) {
    if (!(y >= -1 && y <= static_cast<double>(rows) && x >= -1 && x <= static_cast<double>(cols))) return {};
    const auto split = [](double at, std::int64_t size) {
        at = std::max(at, 0.0);
        const auto low = static_cast<std::int64_t>(at);
        if (low >= size - 1) return std::tuple{size - 1, size - 1, 0.0};
        return std::tuple{low, low + 1, at - static_cast<double>(low)};
    };
    const auto [top, bottom, down] = split(y, rows);
    const auto [left, right, over] = split(x, cols);
    return {{top * cols + left, top * cols + right, bottom * cols + left, bottom * cols + right},
            {(1 - down) * (1 - over), (1 - down) * over, down * (1 - over), down * over}};
}

Literal eval_roi_align(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const Dims& x = in[0]->dims();
    const std::int64_t channels = x[1], rows = x[2], cols = x[3], height = out.dims()[2], width = out.dims()[3];
    const auto given = attributes<RoiAlignAttributes>(node);
    const double scale = given.scale, shift = given.half_pixel ? 0.5 : 0;
    const std::int64_t ratio = given.ratio;
    const bool largest = given.max;
    for (std::int64_t box = 0; box < out.dims()[0]; ++box) {
        const std::int64_t image = image_of(node, in[2]->at(box), x[0]);
        const auto edge = [&](std::int64_t k) { return in[1]->at(box * 4 + k) * scale - shift; };
        const double least = shift == 0 ? 1 : -std::numeric_limits<double>::infinity();
        const double part_h = std::max(edge(3) - edge(1), least) / static_cast<double>(height);
        const double part_w = std::max(edge(2) - edge(0), least) / static_cast<double>(width);
        constexpr double most_points = 1e4;
        if (!(std::fabs(part_h) < most_points && std::fabs(part_w) < most_points))
            fail_input(node.loc, "'{}' has a box with bins of {} x {} pixels", node.name, part_h, part_w);
        const std::int64_t points_h = ratio > 0 ? ratio : to_integer(std::ceil(part_h));
        const std::int64_t points_w = ratio > 0 ? ratio : to_integer(std::ceil(part_w));
        for (std::int64_t at = 0; at < height * width; ++at) {
            std::vector<Corners> points;
            for (std::int64_t k = 0; k < points_h * points_w && points_h > 0; ++k)
                points.push_back(corners_of(
                    edge(1) + part_h * (static_cast<double>(at / width) +
                                        (static_cast<double>(k / points_w) + 0.5) / static_cast<double>(points_h)),
                    edge(0) + part_w * (static_cast<double>(at % width) +
                                        (static_cast<double>(k % points_w) + 0.5) / static_cast<double>(points_w)),
                    rows, cols));
            for (std::int64_t c = 0; c < channels; ++c) {
                const std::int64_t first = (image * channels + c) * rows * cols;
                double sum = 0;
                for (const Corners& point : points) {
                    double best = -std::numeric_limits<double>::infinity(), all = 0;
                    for (std::size_t k = 0; k < 4; ++k) {
                        const double v = point.weight[k] * in[0]->at(first + point.pixel[k]);
                        best = std::max(best, v);
                        all += v;
                    }
                    if (!largest)
                        sum += all / static_cast<double>(points.size());
                    else
                        sum = &point == points.data() ? best : std::max(sum, best);
                }
                out.set((box * channels + c) * height * width + at, sum);
            }
        }
    }
    return out;
}

Literal eval_max_roi_pool(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const Dims& x = in[0]->dims();
    const std::int64_t channels = x[1], rows = x[2], cols = x[3], height = out.dims()[2], width = out.dims()[3];
    const double scale = node.get(attr::scale);
    for (std::int64_t box = 0; box < out.dims()[0]; ++box) {
        const std::int64_t image = image_of(node, in[1]->at(box * 5), x[0]);
        const auto edge = [&](std::int64_t k) { return to_integer(std::round(in[1]->at(box * 5 + k) * scale)); };
        const std::int64_t left = edge(1), top = edge(2);
        const auto part = [](std::int64_t from, std::int64_t to, std::int64_t parts) {
            return static_cast<double>(std::max<std::int64_t>(to - from + 1, 1)) / static_cast<double>(parts);
        };
        const double part_h = part(top, edge(4), height), part_w = part(left, edge(3), width);
        const auto limit = [](double at, std::int64_t from, std::int64_t size) {
            return std::clamp<std::int64_t>(to_integer(at) + from, 0, size);
        };
        for (std::int64_t at = 0; at < channels * height * width; ++at) {
            const auto r = static_cast<double>(at / width % height), c = static_cast<double>(at % width);
            const std::int64_t r1 = limit(std::ceil((r + 1) * part_h), top, rows),
                               c1 = limit(std::ceil((c + 1) * part_w), left, cols);
            std::optional<double> best;
            for (std::int64_t i = limit(std::floor(r * part_h), top, rows); i < r1; ++i)
                for (std::int64_t j = limit(std::floor(c * part_w), left, cols); j < c1; ++j) {
                    const double v = in[0]->at(((image * channels + at / (height * width)) * rows + i) * cols + j);
                    best = best ? std::max(*best, v) : v;
                }
            out.set(box * channels * height * width + at, best.value_or(0));
        }
    }
    return out;
}

Type infer_places(const Node& node, std::span<const Type> in) {
    const Dims& x = in[0].dims;
    const auto kernel = node.get(attr::kernel);
    if (x.size() < 3 || kernel.size() + 2 != x.size())
        fail_input(node.loc, "'{}' pools {} with a kernel of rank {}", node.name, to_string(in[0]), kernel.size());
    Type out{DType::I64, {x[0], x[1]}, {}};
    for (const Window& window : windows(node, {x.begin() + 2, x.end()}, kernel)) out.dims.push_back(window.out);
    return out;
}

/// Converts an index from row-major to column-major order.
std::int64_t to_column_major(std::int64_t place, const Dims& spatial) {
    std::int64_t out = 0, step = count(spatial);
    for (std::size_t a = spatial.size(); a-- > 0;) {
        step /= std::max<std::int64_t>(spatial[a], 1);
        out += place % spatial[a] * step;
        place /= spatial[a];
    }
    return out;
}

Literal eval_places(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const Dims& x = in[0]->dims();
    const Dims spatial(x.begin() + 2, x.end());
    const std::vector<Window> around = windows(node, spatial, node.get(attr::kernel));
    const std::int64_t pixels = count(spatial), taps = count(node.get(attr::kernel));
    const std::int64_t positions = count({out.dims().begin() + 2, out.dims().end()});
    const bool column_major = node.get(attr::column_major);
    for (std::int64_t i = 0; i < out.size(); ++i) {
        std::int64_t best = -1;
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const std::int64_t from = source_position(around, i % positions, tap);
            if (from < 0) continue;
            const auto value = [&](std::int64_t at) { return in[0]->at(i / positions * pixels + at); };
            if (best < 0 || value(from) > value(best)) best = from;
        }
        out.set(i,
                static_cast<double>(i / positions * pixels + (column_major ? to_column_major(best, spatial) : best)));
    }
    return out;
}

constexpr std::array region_table{
    OpFunctions{op::roi_align, infer_roi_align, eval_roi_align},
    OpFunctions{op::max_roi_pool, infer_max_roi_pool, eval_max_roi_pool},
    OpFunctions{op::max_pool_places, infer_places, eval_places},
};

}  // namespace

std::span<const OpFunctions> region_ops() { return region_table; }

}  // namespace ttsim::impl::ir
