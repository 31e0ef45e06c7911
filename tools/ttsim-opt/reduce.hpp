// Shrinks a graph while passes fail on it in the same way: a refusal, a crash, or changed values.
#pragma once

#include "tools/ttsim-opt/passes_run.hpp"

namespace ttsim::impl::cli {

struct Reduced {
    ir::Graph graph;
    std::string failure;  ///< "error 4: ...", "signal 11", "values changed by fold-constants"
    std::size_t trials = 0;
};

/// Runs every trial in a process of its own. Throws Error(Input) if the passes do not fail on `graph`.
Reduced reduce(const ir::Graph& graph, const PassesRun& run);

}  // namespace ttsim::impl::cli
