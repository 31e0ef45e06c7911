// ONNX ops that sample, crop, pool regions of, and assemble images.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/onnx/importer.hpp"
#include "generated/op_attributes.hpp"

namespace ttsim::impl::ir {

namespace {

void grid_sample(Import& n) {
    const std::string mode = n.opset < 20 ? n.get_string("mode", {"bilinear", "nearest", "bicubic"})
                                          : n.get_string("mode", {"linear", "nearest", "cubic"});
    if (mode == "bicubic" && n.rank() != 4) n.wrong("mode bicubic takes rank 4; operand 0 has rank {}", n.rank());
    n.add_output(n.b.add(op::grid_sample, {n.x(0), n.x(1)},
                         {attr::mode(mode == "bilinear"  ? "linear"
                                     : mode == "bicubic" ? "cubic"
                                                         : mode),
                          attr::padding(n.get_string("padding_mode", {"zeros", "border", "reflection"})),
                          attr::align_corners(n.i("align_corners", 0))}));
}

/// Positions of all pixels in -1..1, multiplied by a matrix per sample.
void affine_grid(Import& n) {
    const std::vector<std::int64_t> size = n.integers(1);
    if ((size.size() != 4 && size.size() != 5) || n.rank() != 3)
        n.wrong("{} for an image [{}]", to_string(n.b.type(n.x(0))), fmt::join(size, ", "));
    const std::vector<std::int64_t> spatial(size.begin() + 2, size.end());
    for (const std::int64_t d : spatial)
        if (d < 1) n.wrong("an image [{}]", fmt::join(size, ", "));
    const auto axes = std::ssize(spatial);
    const std::int64_t pixels = count(spatial);
    n.check_positions(pixels);
    const bool corners = n.i("align_corners", 0) != 0;
    Literal places(DType::F32, {pixels, axes + 1});
    for (std::int64_t p = 0; p < pixels; ++p) {
        std::int64_t rest = p;
        for (std::int64_t k = 0; k < axes; ++k) {  // the last axis first
            const std::int64_t d = spatial[static_cast<std::size_t>(axes - 1 - k)], at = rest % d;
            rest /= d;
            const auto x = static_cast<double>(at), all = static_cast<double>(d);
            places.set(p * (axes + 1) + k, corners ? (d > 1 ? 2 * x / (all - 1) - 1 : 0) : (2 * x + 1) / all - 1);
        }
        places.set(p * (axes + 1) + axes, 1);
    }
    const ValueId y = n.binary(op::matmul, n.b.constant(std::move(places)), n.b.transpose(n.x(0), {0, 2, 1}));
    Dims dims{n.dims()[0]};
    dims.insert(dims.end(), spatial.begin(), spatial.end());
    dims.push_back(axes);
    n.add_output(n.b.reshape(y, dims));
}

void roi_align(Import& n) {
    const bool half_pixel = n.opset >= 16 && n.get_string("coordinate_transformation_mode",
                                                          {"half_pixel", "output_half_pixel"}) == "half_pixel";
    n.add_output(n.b.add(op::roi_align, {n.x(0), n.x(1), n.x(2)},
                         attrs_of(RoiAlignAttributes{.height = n.i("output_height", 1),
                                                     .width = n.i("output_width", 1),
                                                     .scale = n.f("spatial_scale", 1),
                                                     .half_pixel = half_pixel,
                                                     .ratio = n.i("sampling_ratio", 0),
                                                     .max = n.get_string("mode", {"avg", "max"}) == "max"})));
}

void max_roi_pool(Import& n) {
    const auto shape = n.ints("pooled_shape");
    if (shape.size() != 2) n.wrong("pooled_shape has {} numbers; it needs 2", shape.size());
    n.add_output(n.b.add(op::max_roi_pool, {n.x(0), n.x(1)},
                         {attr::height(shape[0]), attr::width(shape[1]), attr::scale(n.f("spatial_scale", 1))}));
}

void deform_conv(Import& n) {
    if (n.rank() != 4 || n.rank(1) != 4 || n.rank(2) != 4)
        n.unsupported("a deformable convolution whose rank is not 4");
    const Dims w = n.dims(1), offset = n.dims(2);
    Attrs attrs{attr::group(n.i("group", 1)), attr::offset_group(n.i("offset_group", 1))};
    n.need_small({n.i("group", 1), n.i("offset_group", 1)});
    for (const char* name : {"strides", "dilations", "pads"}) n.need_small(n.ints(name));
    for (const char* name : {"strides", "dilations", "pads"})
        if (n.has_attribute(name)) attrs[name] = n.ints(name);
    Dims places{offset[0], offset[1] / 2, offset[2], offset[3]};
    Literal all(DType::F32, places);
    std::fill(all.floats().begin(), all.floats().end(), 1.0F);
    const ValueId mask = n.has(4) ? n.x(4) : n.b.constant(std::move(all));
    ValueId y = n.b.add(op::deform_conv, {n.x(0), n.x(1), n.x(2), mask}, attrs);
    if (n.has(3)) y = n.binary(op::add, y, n.b.reshape(n.x(3), {count(n.dims(3)), 1, 1}));
    n.add_output(y);
}

/// Writes elements to the positions where a max pool found them.
void max_unpool(Import& n) {
    n.need_rank(3);
    const Dims d = n.dims();
    const auto kernel = n.ints("kernel_shape");
    std::vector<std::int64_t> strides = n.ints("strides"), pads = n.ints("pads");
    if (strides.empty()) strides.assign(kernel.size(), 1);
    if (pads.empty()) pads.assign(2 * kernel.size(), 0);
    if (kernel.size() + 2 != d.size() || strides.size() != kernel.size() || pads.size() != 2 * kernel.size())
        n.wrong("kernel, strides or pads do not have {} axes", d.size() - 2);
    for (const auto& numbers : {kernel, strides, pads}) n.need_small(numbers);
    n.need_small(d);
    Dims full{d[0], d[1]};
    for (std::size_t k = 0; k < kernel.size(); ++k) {
        full.push_back((d[k + 2] - 1) * strides[k] - pads[k] - pads[k + kernel.size()] + kernel[k]);
        n.check_positions(full.back());
    }
    n.check_positions(count(full));
    const ValueId zeros = n.b.constant(Literal(n.b.type(n.x(0)).dtype, {count(full)}));
    ValueId y =
        n.b.add(op::scatter_elements, {zeros, n.b.reshape(n.x(1), {count(n.dims(1))}), n.b.reshape(n.x(0), {count(d)})},
                {attr::axis(0), attr::reduction("none")});
    y = n.b.reshape(y, full);
    if (n.has(2)) {
        const std::vector<std::int64_t> wanted = n.integers(2);
        if (wanted.size() != full.size()) n.wrong("a shape of rank {}", wanted.size());
        for (std::size_t k = 0; k < full.size(); ++k) {
            n.check_positions(wanted[k]);
            std::vector<std::int64_t> rows(static_cast<std::size_t>(wanted[k]), -1);
            std::iota(rows.begin(), rows.begin() + std::min(full[k], wanted[k]), 0);
            y = n.gather(y, static_cast<std::int64_t>(k), rows);
        }
    }
    n.add_output(y);
}

/// Adds patches [N, C * kernel, blocks] at their positions in an image.
void col_to_im(Import& n) {
    const std::vector<std::int64_t> picture = n.integers(1), kernel = n.integers(2);
    const std::size_t axes = picture.size();
    const auto or_else = [&](const char* name, std::size_t size, std::int64_t value) {
        std::vector<std::int64_t> given = n.ints(name);
        if (given.empty()) given.assign(size, value);
        if (given.size() != size) n.wrong("{} has {} numbers; it needs {}", name, given.size(), size);
        return given;
    };
    const auto strides = or_else("strides", axes, 1), dilations = or_else("dilations", axes, 1),
               pads = or_else("pads", 2 * axes, 0);
    if (n.rank() != 3 || kernel.size() != axes) n.wrong("blocks of {} axes in an image of {}", kernel.size(), axes);
    for (const auto& numbers : {picture, kernel, strides, dilations, pads}) n.need_small(numbers);
    Dims blocks;
    for (std::size_t a = 0; a < axes; ++a) {
        if (picture[a] < 1 || kernel[a] < 1 || strides[a] < 1 || dilations[a] < 1)
            n.wrong("axis {}: an image of {}, blocks of {}, stride {}, dilation {}", a, picture[a], kernel[a],
                    strides[a], dilations[a]);
        n.check_positions(picture[a]);
        blocks.push_back((picture[a] + pads[a] + pads[a + axes] - dilations[a] * (kernel[a] - 1) - 1) / strides[a] + 1);
        if (blocks.back() < 1) n.wrong("axis {}: no block fits into an image of {}", a, picture[a]);
    }
    const Dims d = n.dims();
    const std::int64_t taps = count(kernel), all = count(blocks), pixels = count(picture);
    if (taps < 1 || d[1] % taps != 0 || d[2] != all)
        n.wrong("{} holds no {} blocks of {} elements", to_string(n.b.type(n.x(0))), all, taps);
    Literal sum = zero_matrix(pixels, count({taps, all}), n.loc(), "node");
    for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t block = 0; block < all; ++block) {
            std::int64_t pixel = 0, step = 1, t = tap, at = block;
            bool inside = true;
            for (std::size_t a = axes; a-- > 0;) {
                const std::int64_t place = at % blocks[a] * strides[a] - pads[a] + t % kernel[a] * dilations[a];
                inside = inside && place >= 0 && place < picture[a];
                pixel += place * step;
                step *= picture[a];
                t /= kernel[a];
                at /= blocks[a];
            }
            if (inside) sum.set(pixel * taps * all + tap * all + block, 1);
        }
    const ValueId x = n.b.reshape(n.x(0), {d[0], d[1] / taps, taps * all});
    Dims out{d[0], d[1] / taps};
    out.insert(out.end(), picture.begin(), picture.end());
    n.add_output(n.b.reshape(n.b.map_axis(x, 2, std::move(sum)), out));
}

void center_crop_pad(Import& n) {
    const std::vector<std::int64_t> wanted = n.integers(1);
    std::vector<std::int64_t> axes = n.ints("axes");
    if (!n.has_attribute("axes"))
        for (std::int64_t a = 0; a < n.rank(); ++a) axes.push_back(a);
    if (axes.size() != wanted.size()) n.wrong("{} sizes for {} axes", wanted.size(), axes.size());
    ValueId x = n.x(0);
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const std::int64_t axis = n.axis(axes[k], n.rank()), size = n.b.dims(x)[static_cast<std::size_t>(axis)];
        n.check_positions(wanted[k]);
        const std::int64_t cut = size > wanted[k] ? (size - wanted[k]) / 2 : 0,
                           before = size < wanted[k] ? (wanted[k] - size) / 2 : 0;
        std::vector<std::int64_t> rows;
        for (std::int64_t r = 0; r < wanted[k]; ++r) {
            const std::int64_t from = r - before + cut;
            rows.push_back(from >= 0 && from < size ? from : -1);
        }
        x = n.gather(x, axis, rows);
    }
    n.add_output(x);
}

/// The p-th root of the sum of p-th powers in each window.
void lp_pool(Import& n) {
    const double p = n.opset < 2 ? n.f("p", 2) : static_cast<double>(n.i("p", 2));
    if (p < 1) n.wrong("p is {}", p);
    Attrs attrs{attr::kernel(n.ints("kernel_shape")), attr::count_include_pad(true)};
    for (const char* name : {"strides", "pads", "dilations"})
        if (n.has_attribute(name)) attrs[name] = n.ints(name);
    if (n.has_attribute("auto_pad")) set(attrs, attr::auto_pad, n.s("auto_pad", "NOTSET"));
    if (n.i("ceil_mode", 0) != 0) n.unsupported("ceil_mode; use sizes that the strides divide");
    const ValueId size = n.unary(op::abs, n.x(0));
    const auto power = [&](ValueId v, double e) {
        if (e == 1) return v;
        if (e == 2) return n.unary(op::square, v);
        return e == 0.5 ? n.unary(op::sqrt, v) : n.binary(op::power, v, n.number(e, v));
    };
    const ValueId mean = n.unary(op::average_pool, power(size, p), attrs);
    n.add_output(power(n.scaled(mean, static_cast<double>(count(n.ints("kernel_shape")))), 1 / p));
}
void global_lp_pool(Import& n) {
    const double p = static_cast<double>(n.i("p", 2));
    ValueId x = n.unary(op::abs, n.x(0));
    x = p == 1 ? x : p == 2 ? n.unary(op::square, x) : n.binary(op::power, x, n.number(p, x));
    for (std::int64_t a = 2; a < n.rank(); ++a) x = n.b.reduce_sum(x, a);
    n.add_output(p == 1 ? x : p == 2 ? n.unary(op::sqrt, x) : n.binary(op::power, x, n.number(1 / p, x)));
}

// --- boxes --------------------------------------------------------------------------------------------------------

struct Box {
    double top, left, bottom, right;
    double area() const { return (bottom - top) * (right - left); }
};
Box box_of(const Literal& boxes, std::int64_t at, bool centred) {
    const auto v = [&](std::int64_t k) { return boxes.at(at * 4 + k); };
    if (centred) return {v(1) - v(3) / 2, v(0) - v(2) / 2, v(1) + v(3) / 2, v(0) + v(2) / 2};
    return {std::min(v(0), v(2)), std::min(v(1), v(3)), std::max(v(0), v(2)), std::max(v(1), v(3))};
}
double overlap(const Box& a, const Box& b) {
    const double h = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
                 w = std::min(a.right, b.right) - std::max(a.left, b.left);
    const double common = h > 0 && w > 0 ? h * w : 0, all = a.area() + b.area() - common;
    return all > 0 ? common / all : 0;
}

/// The number of remaining boxes depends on their values, so operands must be constant.
void non_max_suppression(Import& n) {
    for (std::size_t k = 0; k < 2; ++k)
        if (!n.b.literal(n.x(k))) n.needs_value("the number of remaining boxes depends on their values");
    const Literal &boxes = n.literal(0), &scores = n.literal(1);
    const Dims b = boxes.dims(), s = scores.dims();
    if (b.size() != 3 || s.size() != 3 || b[2] != 4 || b[0] != s[0] || b[1] != s[2])
        n.wrong("boxes [{}] with scores [{}]", fmt::join(b, ", "), fmt::join(s, ", "));
    const std::int64_t most = n.has(2) ? to_integer(n.scalar(2)) : 0;
    const double shared = n.has(3) ? n.scalar(3) : 0;
    const bool centred = n.i("center_point_box", 0) != 0;
    std::vector<std::int64_t> chosen;
    for (std::int64_t z = 0; z < s[0] * s[1]; ++z) {
        const auto score = [&](std::int64_t k) { return scores.at(z * s[2] + k); };
        const auto box = [&](std::int64_t k) { return box_of(boxes, z / s[1] * b[1] + k, centred); };
        std::vector<std::int64_t> order, kept;
        for (std::int64_t k = 0; k < s[2]; ++k)
            if (!n.has(4) || score(k) > n.scalar(4)) order.push_back(k);
        std::stable_sort(order.begin(), order.end(), [&](auto p, auto q) { return score(p) > score(q); });
        for (const std::int64_t k : order) {
            if (std::ssize(kept) >= most) break;
            if (std::none_of(kept.begin(), kept.end(),
                             [&](auto other) { return overlap(box(k), box(other)) > shared; }))
                kept.push_back(k);
        }
        for (const std::int64_t k : kept) chosen.insert(chosen.end(), {z / s[1], z % s[1], k});
    }
    Literal out = Literal::vector(chosen);
    out.reshape({std::ssize(chosen) / 3, 3});
    n.add_output(n.b.constant(std::move(out)));
}

// --- removed ops --------------------------------------------------------------------------------------------------

void crop(Import& n) {
    const auto border = n.ints("border"), scale = n.ints("scale");  // left, top, right, bottom
    if (n.rank() != 4 || border.size() != 4) n.wrong("a border of {} numbers for rank {}", border.size(), n.rank());
    const Dims d = n.dims();
    n.need_small(border);
    n.need_small(scale);
    const auto rows = [&](std::int64_t from, std::int64_t to) {
        if (from < 0 || to < from) n.wrong("it cuts from {} to {}", from, to);
        n.check_positions(to - from);
        std::vector<std::int64_t> out(static_cast<std::size_t>(to - from));
        std::iota(out.begin(), out.end(), from);
        return out;
    };
    const bool sized = scale.size() == 2;
    const ValueId tall = n.gather(n.x(0), 2, rows(border[1], sized ? border[1] + scale[0] : d[2] - border[3]));
    n.add_output(n.gather(tall, 3, rows(border[0], sized ? border[0] + scale[1] : d[3] - border[2])));
}

void image_scaler(Import& n) {
    const auto bias = n.floats("bias");
    Literal shift(n.b.type(n.x(0)).dtype, {std::ssize(bias), 1, 1});
    for (std::size_t k = 0; k < bias.size(); ++k) shift.set(static_cast<std::int64_t>(k), static_cast<double>(bias[k]));
    ValueId y = n.scaled(n.x(0), n.f("scale", 1));
    if (!bias.empty()) y = n.binary(op::add, y, n.b.constant(std::move(shift)));
    n.add_output(y);
}

}  // namespace

const ImportRules& sample_rules() {
    static const ImportRules rules{
        {"GridSample", grid_sample},
        {"AffineGrid", affine_grid},
        {"RoiAlign", roi_align},
        {"MaxRoiPool", max_roi_pool},
        {"DeformConv", deform_conv},
        {"MaxUnpool", max_unpool},
        {"Col2Im", col_to_im},
        {"CenterCropPad", center_crop_pad},
        {"LpPool", lp_pool},
        {"GlobalLpPool", global_lp_pool},
        {"NonMaxSuppression", non_max_suppression},
        {"Crop", crop},
        {"ImageScaler", image_scaler},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
