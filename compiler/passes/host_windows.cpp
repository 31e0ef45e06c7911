// host-windows: the windows of a convolution over an input of few channels are laid out by the host (prestride):
//
//   %y = conv %x, %w   ->   %r = pick_rows of %x with channels last {host = 1} : [N, taps, Q, C]
//                           each window as one row {host = 1}                  : [N, Q, taps * C]
//                           %y = matmul rows, weights                          : [N, Q, OC]
//
// A tile holds 32 channels; three of a picture would waste most of it, and picking rows of 3 datums as much. Windows
// that overlap repeat datums, so these may not be large; patches of a picture may.
#include "compiler/ir/pass.hpp"
#include "compiler/ops/window.hpp"

namespace tt::ir {

namespace {

constexpr std::int64_t most_channels = 16, most_columns = 512;

ValueId on_host(Builder& build, ValueId id) {
    Node& node = build.graph().nodes[id];
    if (!node.is_input() && !node.is_constant()) node.attrs["host"] = std::int64_t{1};
    return id;
}

std::optional<ValueId> laid_out(Builder& build, const Node& node, std::span<const ValueId> in) {
    const Dims x = build.dims(in[0]), w = build.dims(in[1]);
    const auto spatial = windows(node, {x.begin() + 2, x.end()}, {w.begin() + 2, w.end()});
    const std::int64_t n = x[0], c = x[1], oc = w[0];
    std::int64_t taps = 1, positions = 1, outs = 1;
    for (const Window& window : spatial) {
        taps *= window.kernel;
        positions *= window.in;
        outs *= window.out;
    }
    const bool overlap = outs * taps > positions;
    if (taps == 1 || c > most_channels || (overlap && c * taps > most_columns)) return std::nullopt;
    Literal picks(DType::I32, {taps, outs});
    for (std::int64_t k = 0; k < taps; ++k)
        for (std::int64_t o = 0; o < outs; ++o)
            picks.set(k * outs + o, static_cast<double>(source_position(spatial, o, k)));
    ValueId rows = on_host(build, channels_last(build, in[0]));
    rows = on_host(build, build.reshape(rows, {n, positions, c}));
    rows = on_host(build, build.add("pick_rows", {rows, build.constant(std::move(picks))}));
    rows = on_host(build, build.transpose(rows, {0, 2, 1, 3}));
    rows = on_host(build, build.reshape(rows, {n, outs, taps * c}));
    const ValueId weights =
        build.reshape(build.transpose(build.reshape(in[1], {oc, c, taps}), {2, 1, 0}), {taps * c, oc});
    ValueId y = build.add("matmul", {rows, weights});
    if (in.size() > 2) y = build.add("add", {y, in[2]});
    return channels_first(build, spatial, y);
}

void run_host_windows(Graph& graph, const PassOptions& options) {
    if (!options.host_fallback || !options.prestride) return;
    const auto uses = graph.use_counts();
    std::map<std::string, std::size_t> input_uses;
    for (ValueId id = 0; id < graph.nodes.size(); ++id)
        if (graph.nodes[id].is_input()) input_uses[graph.nodes[id].name] = uses[id];
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != "conv" || node.integer("group", 1) != 1 || !build.literal(in[1])) return std::nullopt;
        if (convolution_override(options.overrides, node)) return std::nullopt;  // the device does it, in parts
        const auto found = input_uses.find(build.graph().nodes[in[0]].name);
        if (found == input_uses.end() || found->second != 1) return std::nullopt;
        return laid_out(build, node, in);
    });
}

}  // namespace

extern const Pass host_windows;
const Pass host_windows{
    .name = "host-windows", .summary = "the host lays out the windows of a first convolution", .run = run_host_windows};

}  // namespace tt::ir
