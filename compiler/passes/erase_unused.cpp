// erase-unused: erases nodes whose results are unused. Inputs stay, since a run gets values for all of them.
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static void run_erase_unused(Graph& graph, const PassOptions&) { graph.erase_unused(); }

extern const Pass erase_unused;
const Pass erase_unused{
    .name = "erase-unused", .summary = "erase nodes whose results are unused", .run = run_erase_unused};

}  // namespace ttsim::impl::ir
