// cut-host: removes the ops that mark-host marked. Boundary values become inputs or outputs of the device graph.
//
//   %e = take %table, %ids {host = 1}     ->   %e = input
//   %y = exp %e                                %y = exp %e
//
// host_program.hpp describes how. ttsim compile stores the removed ops for ttsim run. A second cut is joined to the
// first.
#include "compiler/host/host_program.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static void run_cut_host(Graph& graph, const PassOptions& options) {
    HostProgram program =
        cut_host(graph, options.default_df == DataFormat::Float32 && !options.host_fallback, options.keep_names);
    if (!options.host) return;
    const bool first = options.host->graph.nodes.empty();
    *options.host = first ? std::move(program) : join(std::move(*options.host), std::move(program));
}

extern const Pass cut_host_part;
const Pass cut_host_part{
    .name = "cut-host", .summary = "remove the ops that mark-host marked; the device part stays", .run = run_cut_host};

}  // namespace ttsim::impl::ir
