#include "compiler/ops/window.hpp"

#include <algorithm>

namespace ttsim::impl::ir {

std::int64_t Window::source(std::int64_t o, std::int64_t k) const {
    if (!transposed) {
        const std::int64_t at = o * stride - pad_before + k * dilation;
        return at >= 0 && at < in ? at : -1;
    }
    const std::int64_t at = o + pad_before - k * dilation;
    return at >= 0 && at % stride == 0 && at / stride < in ? at / stride : -1;
}

namespace {

using Integers = std::vector<std::int64_t>;
std::int64_t value_at(const Node& node, Attribute<Integers> attribute, std::size_t i, std::size_t size,
                      std::int64_t otherwise) {
    const Integers values = node.get(attribute);
    if (values.empty()) return otherwise;
    if (values.size() != size)
        fail_input(node.loc, "'{}' has {} {}; it needs {}", node.name, values.size(), attribute.key, size);
    return values[i];
}

/// Checks bounds within which no position overflows.
void check(const Node& node, const Window& w) {
    constexpr std::int64_t most = std::int64_t{1} << 20, most_pad = std::int64_t{1} << 40;
    if (w.kernel < 1 || w.stride < 1 || w.dilation < 1)
        fail_input(node.loc, "'{}': kernel, stride and dilation must be 1 or more; they are {}, {} and {}", node.name,
                   w.kernel, w.stride, w.dilation);
    if (w.stride > most || w.dilation > most || w.kernel > most_pad)
        fail_input(node.loc, "'{}': kernel {}, stride {} or dilation {} is too large", node.name, w.kernel, w.stride,
                   w.dilation);
    for (const std::int64_t pad : {w.pad_before, w.pad_after})
        if (pad < 0 || pad > most_pad) fail_input(node.loc, "'{}' has a pad of {}", node.name, pad);
}

void size_forward(const Node& node, Window& w, const std::string& auto_pad) {
    const std::int64_t reach = (w.kernel - 1) * w.dilation + 1;
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
        w.out = (w.in + w.stride - 1) / w.stride;
        const std::int64_t pad = std::max<std::int64_t>((w.out - 1) * w.stride + reach - w.in, 0);
        w.pad_before = auto_pad == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
        w.pad_after = pad - w.pad_before;
        return;
    }
    const std::int64_t room = w.in + w.pad_before + w.pad_after - reach;
    if (room < 0) {
        w.out = 0;
        return;
    }
    const bool ceil = node.get(attr::ceil_mode);
    w.out = (room + (ceil ? w.stride - 1 : 0)) / w.stride + 1;
    // a window that starts beyond the input does not count
    if (ceil && w.out > 1 && (w.out - 1) * w.stride >= w.in + w.pad_before) --w.out;
}

void size_transposed(const Node& node, Window& w, std::size_t i, std::size_t axes, const std::string& auto_pad) {
    const std::int64_t extra = value_at(node, attr::output_padding, i, axes, 0);
    if (extra < 0 || extra >= std::max(w.stride, w.dilation))
        fail_input(node.loc, "'{}' has an output padding of {}; it must be below stride or dilation", node.name, extra);
    const std::int64_t full = w.stride * (w.in - 1) + extra + (w.kernel - 1) * w.dilation + 1;
    const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
    if (node.has(attr::output_shape) || same) {
        w.out =
            same && !node.has(attr::output_shape) ? w.in * w.stride : value_at(node, attr::output_shape, i, axes, 0);
        if (w.out < 1) return;
        const std::int64_t pad = std::max<std::int64_t>(full - w.out, 0);
        w.pad_before = auto_pad == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
        w.pad_after = pad - w.pad_before;
        return;
    }
    w.out = full - w.pad_before - w.pad_after;
}

/// Limits the taps, since work and tables grow with them. Larger kernels would mostly meet padding.
void check_taps(const Node& node, const std::vector<Window>& axes) {
    double taps = 1, inputs = 1;
    for (const Window& w : axes) {
        taps *= static_cast<double>(w.kernel);
        inputs *= static_cast<double>(w.in);
    }
    const double most = std::max(65536.0, 4 * inputs);
    if (taps > most)
        fail_unsupported(node.loc, "'{}' has a kernel of {} elements; at most {} are allowed for an input of {}",
                         node.name, taps, most, inputs);
}

}  // namespace

std::vector<Window> windows(const Node& node, const Dims& spatial, const Dims& kernel) {
    std::vector<Window> all;
    const std::size_t axes = spatial.size();
    const std::string auto_pad = node.get(attr::auto_pad);
    for (std::size_t i = 0; i < axes; ++i) {
        Window w;
        w.in = spatial[i];
        w.kernel = kernel[i];
        w.stride = value_at(node, attr::strides, i, axes, 1);
        w.dilation = value_at(node, attr::dilations, i, axes, 1);
        if (auto_pad != "VALID") {
            w.pad_before = value_at(node, attr::pads, i, 2 * axes, 0);
            w.pad_after = value_at(node, attr::pads, axes + i, 2 * axes, 0);
        }
        w.transposed = node.op == op::conv_transpose;
        check(node, w);
        if (w.transposed)
            size_transposed(node, w, i, axes, auto_pad);
        else
            size_forward(node, w, auto_pad);
        if (w.out < 1) fail_input(node.loc, "'{}' leaves nothing of axis {} of {}", node.name, i + 2, w.in);
        all.push_back(w);
    }
    check_taps(node, all);
    return all;
}

std::int64_t source_position(const std::vector<Window>& spatial, std::int64_t o, std::int64_t tap) {
    std::int64_t from = 0, scale = 1;
    for (std::size_t a = spatial.size(); a-- > 0;) {
        const Window& w = spatial[a];
        const std::int64_t at = w.source(o % w.out, tap % w.kernel);
        if (at < 0) return -1;
        from += at * scale;
        o /= w.out;
        tap /= w.kernel;
        scale *= w.in;
    }
    return from;
}

std::vector<std::int64_t> source_positions(const std::vector<Window>& spatial, std::int64_t tap) {
    std::vector<std::int64_t> taps(spatial.size());
    for (std::size_t a = spatial.size(); a-- > 0; tap /= spatial[a].kernel) taps[a] = tap % spatial[a].kernel;
    std::vector<std::int64_t> positions{0};
    for (std::size_t a = 0; a < spatial.size(); ++a) {
        const Window& w = spatial[a];
        std::vector<std::int64_t> along, finer;
        for (std::int64_t o = 0; o < w.out; ++o) along.push_back(w.source(o, taps[a]));
        finer.reserve(positions.size() * along.size());
        for (const std::int64_t before : positions)
            for (const std::int64_t at : along) finer.push_back(before < 0 || at < 0 ? -1 : before * w.in + at);
        positions = std::move(finer);
    }
    return positions;
}

Literal source_map(const std::vector<Window>& spatial, std::int64_t first, std::optional<std::int64_t> end) {
    std::int64_t taps = 1;
    Dims outs;
    for (const Window& w : spatial) {
        taps *= w.kernel;
        outs.push_back(w.out);
    }
    const Dims dims{end.value_or(taps) - first, count(outs)};
    check_element_count(dims);
    // the last axis has few runs for all positions of the others
    std::vector<Window> others = spatial;
    const Window last = others.back();
    others.pop_back();
    GatherMap map;
    for (std::int64_t k = 0; k < dims[0]; ++k) {
        const std::int64_t tap = first + k;
        GatherMap along;
        for (std::int64_t o = 0; o < last.out; ++o)
            if (const std::int64_t at = last.source(o, tap % last.kernel); at >= 0) along.append(o, at);
        std::int64_t to = k * dims[1];
        for (const std::int64_t before : source_positions(others, tap / last.kernel)) {
            if (before >= 0)
                for (const GatherMap::Run& run : along.runs()) map.append(run, to, before * last.in);
            to += last.out;
        }
    }
    return Literal::of_gather_map(dims, std::move(map));
}

ValueId channels_last(Builder& build, ValueId x) {
    std::vector<std::int64_t> perm{0};
    for (std::size_t a = 2; a < build.dims(x).size(); ++a) perm.push_back(static_cast<std::int64_t>(a));
    perm.push_back(1);
    return build.transpose(x, perm);
}

ValueId channels_first(Builder& build, const std::vector<Window>& spatial, ValueId y) {
    Dims dims{build.dims(y)[0]};
    std::vector<std::int64_t> perm{0, static_cast<std::int64_t>(spatial.size()) + 1};
    for (const Window& w : spatial) {
        dims.push_back(w.out);
        perm.push_back(static_cast<std::int64_t>(dims.size()) - 1);
    }
    dims.push_back(build.dims(y).back());
    return build.transpose(build.reshape(y, dims), perm);
}

}  // namespace ttsim::impl::ir
