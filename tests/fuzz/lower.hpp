// Runs a model's graph through the compiler, up to the passes before placement.
#pragma once

#include <algorithm>

#include "compiler/host/host_program.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::fuzz {

/// The last two sizes rounded up to multiples of 32.
inline ir::Dims in_tiles(ir::Dims dims) {
    for (std::size_t k = dims.size() < 2 ? 0 : dims.size() - 2; k < dims.size(); ++k)
        dims[k] = (dims[k] + 31) / 32 * 32;
    return dims;
}

inline void lower(ir::Graph graph, const ir::PassOptions& given) {
    graph.verify();
    // skip models that are slow only because of their size, padded to tiles or not
    constexpr std::int64_t most = std::int64_t{1} << 14, most_in_tiles = std::int64_t{1} << 17;
    for (const ir::Node& node : graph.nodes)
        if (ir::extent(node.type.dims) > most || ir::extent(in_tiles(node.type.dims)) > most_in_tiles) return;
    if (graph.outputs.empty()) return;
    std::vector<const ir::Pass*> passes;
    for (const ir::Pipeline& pipeline : ir::all_pipelines())
        if (pipeline.name == "default")
            for (const std::string_view name : pipeline.passes) passes.push_back(ir::find_pass(name));
    ir::HostProgram host;
    ir::PassOptions options = given;
    options.host = &host;
    ir::run_passes(graph, passes, options, true);
}

}  // namespace ttsim::impl::fuzz
