// keep-intermediates: makes the results of named ops outputs, besides those of the model.
//
//   %a = buda.matmul %x, %w          and %a is to be kept
//   ->  output "a_intermediate_output" = %a
//
// An output counts as a use, so no pass fuses the op away.
#include <fmt/ranges.h>

#include "compiler/host/host_program.hpp"
#include "compiler/ir/device_parts.hpp"
#include "compiler/ir/netlist_name.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

/// Throws Error(Input) when there is no such op.
ValueId find_intermediate(const Graph& graph, const std::string& name) {
    std::vector<std::string> names;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!node.op.on_device()) continue;
        if (node.name == name || netlist_name(node.name) == name) return id;
        names.push_back(netlist_name(node.name));
    }
    constexpr std::size_t shown = 20;
    const bool more = names.size() > shown;
    names.resize(std::min(names.size(), shown));
    fail_input({}, "an intermediate result of '{}' is requested, but the lowered model has no such op; it has {}{}",
               name, fmt::join(names, ", "), more ? ", ..." : "");
}

void run_keep_intermediates(Graph& graph, const PassOptions& options) {
    for (const std::string& name : options.intermediates) {
        const ValueId id = find_intermediate(graph, name);
        const Dims& tiles = graph.nodes[id].type.dims;
        constexpr std::int64_t edge = tile_edge;
        const std::string output = name + std::string(intermediate_suffix);
        const Type type{DType::F32, {tiles[0], tiles[1] * edge, tiles[2] * edge}, {}};
        graph.outputs.push_back({output, id, type});
        if (!options.host) continue;
        Graph& host = options.host->graph;
        Node result;
        result.name = result.origin = output;
        result.op = op::input;
        result.set(attr::device, device_parts(graph)[id]);
        result.type = type;
        host.outputs.push_back({output, host.nodes.size(), {}});
        host.nodes.push_back(std::move(result));
    }
}

}  // namespace

extern const Pass keep_intermediates;
const Pass keep_intermediates{
    .name = "keep-intermediates", .summary = "make the results of named ops outputs", .run = run_keep_intermediates};

}  // namespace ttsim::impl::ir
