// host-windows: the host gathers the windows of a convolution over an input of few channels (prestride):
//
//   %y = conv %x, %w   ->   %r = gather_rows of %x with channels last {host = 1} : [N, taps, Q, C]
//                           each window as one row {host = 1}                  : [N, Q, taps * C]
//                           %y = matmul rows, weights                          : [N, Q, OC]
//
// A tile holds 32 channels, so an image of three channels wastes most of it, and so does gathering rows of 3 elements.
// Overlapping windows repeat elements, so they must be small. Windows that do not overlap may be large, and so may
// those of a signal of one channel if they are short compared to the signal.
//
// The host also computes data movement ops between inputs and such convolutions: pads and slices of a signal, and
// filters from one channel to one whose results have further windows. If an intermediate value has other readers, all
// stays on the device: the value would be sent twice.
#include <algorithm>

#include "compiler/host/host_value.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/ops/window.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t most_channels = 16, most_columns = 512, most_repeats = 16;
constexpr double most_filtering = 1 << 27;  // multiply-adds of a filter

/// Spatial windows of a convolution, with totals over all axes.
struct Windows {
    std::vector<Window> spatial;
    std::int64_t taps = 1, positions = 1, outs = 1;
};

Windows windows_of(const Node& node, const Dims& x, const Dims& w) {
    Windows all{windows(node, {x.begin() + 2, x.end()}, {w.begin() + 2, w.end()})};
    for (const Window& window : all.spatial) {
        all.taps *= window.kernel;
        all.positions *= window.in;
        all.outs *= window.out;
    }
    return all;
}

bool small_enough(const Windows& all, std::int64_t channels) {
    if (all.taps == 1 || channels > most_channels) return false;
    if (all.outs * all.taps <= all.positions || channels * all.taps <= most_columns) return true;
    return channels == 1 && all.spatial.size() == 1 && all.outs * all.taps <= most_repeats * all.positions;
}

/// The position that each row of a 0/1 matrix selects, -1 for none; nothing if a row sums elements.
std::optional<std::vector<std::int64_t>> selected_positions(const Literal& matrix) {
    const std::int64_t rows = matrix.dims()[0], cols = matrix.dims()[1];
    std::vector<std::int64_t> positions(static_cast<std::size_t>(rows), -1);
    for (std::int64_t i = 0; i < matrix.size(); ++i) {
        const double v = matrix.at(i);
        if (v == 0) continue;
        std::int64_t& position = positions[static_cast<std::size_t>(i / cols)];
        if (v != 1 || position >= 0) return std::nullopt;
        position = i % cols;
    }
    return positions;
}

/// Finds the convolutions and the ops between inputs and them.
class Finder {
public:
    Finder(const Graph& graph, const PassOptions& options)
        : graph_(graph), options_(options), leads_(graph.nodes.size()), only_host_reads_(graph.nodes.size(), true) {
        for (ValueId id = 0; id < graph.nodes.size(); ++id) {
            const Node& node = graph.nodes[id];
            leads_[id] = is_source(node) || (!node.inputs.empty() && leads_[node.inputs[0].value] && is_movable(node));
        }
        find_host_only_values();
        // Keep only ops connected to an input or host op by such ops.
        for (ValueId id = 0; id < graph.nodes.size(); ++id) {
            const Node& node = graph.nodes[id];
            leads_[id] = leads_[id] && only_host_reads_[id] && (is_source(node) || leads_[node.inputs[0].value]);
        }
    }
    bool is_moved(ValueId id) const { return leads_[id] && !is_source(graph_.nodes[id]); }
    bool gathers_windows(ValueId id) const {
        return has_small_windows(graph_.nodes[id]) && leads_[source(id)] && !leads_[id];
    }

private:
    const Node& operand(const Node& node, std::size_t k) const { return graph_.nodes[node.inputs[k].value]; }
    ValueId source(ValueId id) const { return graph_.nodes[id].inputs[0].value; }

    /// Marks values that only these convolutions and ops leading to them read.
    void find_host_only_values() {
        std::vector<bool> read(graph_.nodes.size(), false);
        for (const Output& output : graph_.outputs) only_host_reads_[output.value] = false;
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            only_host_reads_[id] = only_host_reads_[id] && read[id];
            for (std::size_t k = 0; k < node.inputs.size(); ++k) {
                const ValueId from = node.inputs[k].value;
                read[from] = true;
                const bool on_host_path = node.has(attr::host) ||
                                          (k == 0 && (has_small_windows(node) || (leads_[id] && only_host_reads_[id])));
                only_host_reads_[from] = only_host_reads_[from] && on_host_path;
            }
        }
    }

    /// An input of the host. Not one whose gradient is a result: it passes through ops of the device only.
    bool is_source(const Node& node) const {
        if (node.is_parameter()) return false;
        if (node.is_input()) return !options_.training || !options_.training->input_gradients.contains(node.origin);
        return node.has(attr::host) && !node.is_constant();
    }

    bool has_small_windows(const Node& node) const {
        if (!is_plain_conv(node)) return false;
        const Dims& x = operand(node, 0).type.dims;
        return small_enough(windows_of(node, x, operand(node, 1).type.dims), x[1]);
    }

    /// An ordinary convolution without groups and override, whose weights are constant or trained.
    bool is_plain_conv(const Node& node) const {
        return node.op == op::conv && !node.has(attr::host) && node.get(attr::group) == 1 &&
               (operand(node, 1).is_constant() || operand(node, 1).is_parameter()) &&
               !convolution_override(options_.overrides, node);
    }

    bool is_movable(const Node& node) const {
        if (node.op == op::reshape || node.op == op::transpose) return true;
        if (node.op == op::gather_rows) return operand(node, 1).is_constant();
        if (node.op == op::map_axis)
            return operand(node, 1).is_constant() && selected_positions(*operand(node, 1).literal);
        return is_plain_conv(node) && is_small_filter(node);
    }

    bool is_small_filter(const Node& node) const {
        const Dims& w = operand(node, 1).type.dims;
        if (w[0] != 1 || w[1] != 1 || !operand(node, 1).is_constant()) return false;
        std::vector<Type> in;
        for (const Edge& edge : node.inputs) in.push_back(graph_.nodes[edge.value].type);
        return (in.size() < 3 || operand(node, 2).is_constant()) && host_work(node, in) <= most_filtering;
    }

    const Graph& graph_;
    const PassOptions& options_;
    std::vector<bool> leads_, only_host_reads_;
};

ValueId on_host(Builder& build, ValueId id) {
    Node& node = build.graph().nodes[id];
    if (!node.is_input() && !node.is_constant()) node.set(attr::host, true);
    return id;
}

ValueId rows_on_host(Builder& build, ValueId x, const Windows& all) {
    const std::int64_t n = build.dims(x)[0], c = build.dims(x)[1];
    ValueId rows = on_host(build, channels_last(build, x));
    rows = on_host(build, build.reshape(rows, {n, all.positions, c}));
    rows = on_host(build, build.add(op::gather_rows, {rows, build.constant(source_map(all.spatial))}));
    rows = on_host(build, build.transpose(rows, {0, 2, 1, 3}));
    return on_host(build, build.reshape(rows, {n, all.outs, all.taps * c}));
}

/// Gathered rows, shared by convolutions with equal windows.
using Rows = std::map<std::string, ValueId>;

ValueId product_of_windows(Builder& build, const Node& node, std::span<const ValueId> in, Rows& made) {
    const Dims w = build.dims(in[1]);
    const Windows all = windows_of(node, build.dims(in[0]), w);
    std::string key = fmt::format("{}", in[0]);
    for (const Window& one : all.spatial)
        key += fmt::format(" {} {} {} {} {}", one.kernel, one.stride, one.dilation, one.pad_before, one.out);
    if (!made.contains(key)) made[key] = rows_on_host(build, in[0], all);
    const std::int64_t oc = w[0], c = w[1];
    const ValueId weights =
        build.reshape(build.transpose(build.reshape(in[1], {oc, c, all.taps}), {2, 1, 0}), {all.taps * c, oc});
    ValueId y = build.add(op::matmul, {made[key], weights});
    if (in.size() > 2) y = build.add(op::add, {y, in[2]});
    return channels_first(build, all.spatial, y);
}

/// A data movement op or a filter. A matrix that selects becomes a gather, which is smaller by the size of the axis.
ValueId moved(Builder& build, const Node& node, std::span<const ValueId> in) {
    if (node.op != op::map_axis) {
        const ValueId same = build.add(node.op, {in.begin(), in.end()}, node.attrs);
        return on_host(build, same);
    }
    const auto axis = static_cast<std::ptrdiff_t>(node.get(attr::axis));
    const Dims dims = build.dims(in[0]);
    const std::vector<std::int64_t> from = *selected_positions(*build.literal(in[1]));
    Literal positions(DType::I32, {1, std::ssize(from)});
    for (std::int64_t k = 0; k < positions.size(); ++k)
        positions.set(k, static_cast<double>(from[static_cast<std::size_t>(k)]));
    const Dims flat{count({dims.begin(), dims.begin() + axis}), dims[static_cast<std::size_t>(axis)],
                    count({dims.begin() + axis + 1, dims.end()})};
    ValueId y = on_host(build, build.reshape(in[0], flat));
    y = on_host(build, build.add(op::gather_rows, {y, build.constant(std::move(positions))}));
    return on_host(build, build.reshape(y, node.type.dims));
}

void run_host_windows(Graph& graph, const PassOptions& options) {
    if (!options.host_fallback || !options.prestride) return;
    const Finder found(graph, options);
    std::map<std::string, ValueId> ids;
    for (ValueId id = 0; id < graph.nodes.size(); ++id)
        if (found.is_moved(id) || found.gathers_windows(id)) ids[graph.nodes[id].name] = id;
    if (ids.empty()) return;
    Rows made;
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        const auto one = ids.find(node.name);
        if (one == ids.end()) return std::nullopt;
        return found.is_moved(one->second) ? moved(build, node, in) : product_of_windows(build, node, in, made);
    });
}

}  // namespace

extern const Pass host_windows;
const Pass host_windows{.name = "host-windows",
                        .summary = "the host gathers the windows of a first convolution (prestride)",
                        .run = run_host_windows,
                        .optional = true};

}  // namespace ttsim::impl::ir
