// Runs a list of passes on a graph, with what ttsim-opt prints and checks in between.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::cli {

struct PassesRun {
    std::vector<const ir::Pass*> passes;
    const ir::PassOptions* options = nullptr;
    bool verify = true, verify_values = false;
    double tolerance = 0;  ///< of --verify-values; 0: by the types of the outputs
    bool print_after_all = false, print_changed = false, time_passes = false;
    std::set<std::string, std::less<>> print_before, print_after;
    std::int64_t elide = 64;
    std::function<void(const std::string&)> print;  ///< receives whole lines; null: nothing is printed
};

/// A pass that changed the values of an output.
struct ChangedValues {
    std::string pass, output;
    double difference = 0, allowed = 0;
};

/// Runs the passes. Throws what a pass throws, and Error(Internal) when a graph is wrong. Returns the first pass that
/// changes values; the passes after it are not run.
std::optional<ChangedValues> run_passes(ir::Graph& graph, const PassesRun& run);

/// The lines that differ, "-" before those of the first text and "+" before those of the second; "" for equal texts.
std::string changed_lines(const std::string& before, const std::string& after);

}  // namespace ttsim::impl::cli
