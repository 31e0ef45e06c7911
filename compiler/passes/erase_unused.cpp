// erase-unused: drop nodes whose result nobody reads. Inputs stay: a run is given all of them.
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static void run_erase_unused(Graph& graph, const PassOptions&) { graph.erase_unused(); }

extern const Pass erase_unused;
const Pass erase_unused{
    .name = "erase-unused", .summary = "drop nodes whose result nobody reads", .run = run_erase_unused};

}  // namespace ttsim::impl::ir
