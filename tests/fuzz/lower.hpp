// The way of a model's graph through the compiler, up to the passes before placing.
#pragma once

#include <algorithm>

#include "compiler/host/host_program.hpp"
#include "compiler/ir/pass.hpp"

namespace tt::fuzz {

inline void lower(ir::Graph graph, const ir::PassOptions& given) {
    graph.verify();
    // what takes long because it is large is not what is looked for
    constexpr std::int64_t most = std::int64_t{1} << 14;
    for (const ir::Node& node : graph.nodes)
        if (ir::extent(node.type.dims) > most) return;
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

}  // namespace tt::fuzz
