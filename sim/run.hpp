// The main entry point: runs a netlist and returns a checked and timed report. The command line and the tests call it.
//
//   read -> resolve -> validate -> choose parameters -> stimulus | --inputs -> golden || SystemC machine -> compare
#pragma once

#include <string>
#include <vector>

#include "sim/settings/run_options.hpp"
#include "sim/state/report.hpp"

namespace ttsim::impl::sim {

/// Throws Error: Input (2), Hang (3, text holds the wait-for chain), Unsupported (4).
RunReport run(const RunOptions& options);

/// `ttsim check`: everything before the run. Returns the chosen architecture.
struct CheckReport {
    std::string arch;
    bool validated = false;
    std::vector<std::string> notes;
};
CheckReport check(const RunOptions& options);
/// `ttsim explain`: the Plan of every graph as text.
std::string explain(const RunOptions& options);

}  // namespace ttsim::impl::sim
