// cut-host: what mark-host has marked leaves the graph; what crosses becomes an input or an output.
//
//   %e = take %table, %ids {host = 1}     ->   %e = input
//   %y = exp %e                                %y = exp %e
//
// How: host_program.hpp. ttsim compile keeps what is taken out, for ttsim run; a second cut is joined to the first.
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
    .name = "cut-host", .summary = "take out what mark-host has marked; the device's part stays", .run = run_cut_host};

}  // namespace ttsim::impl::ir
