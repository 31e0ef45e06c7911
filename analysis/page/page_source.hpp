// Inputs of a page of `ttsim report`; inputs that belong to one run are joined.
#pragma once

#include <string>
#include <vector>

#include "sim/run.hpp"

namespace ttsim::impl::report {

/// A compiler pass and its resulting graph as JSON (compiler/model/pass_graph.hpp).
struct PassText {
    std::string name, json;
};

struct PageSource {
    std::string name;                     ///< name on the page: file or folder name without parent folders
    std::vector<std::string> files;       ///< as given on the command line
    sim::RunOptions options;              ///< the netlist and its machine
    std::string netlist_text;             ///< text to which `line` of ops and queues refers; "" = not known
    std::string trace;                    ///< path of the trace; "" = none
    std::vector<PassText> passes;         ///< in order
    std::string run_report;               ///< of `ttsim run --json`; "" = not known
    std::vector<std::string> host_steps;  ///< of a compiled model, as `ttsim compile` prints them
    bool measure = false;                 ///< measures the gains of the advice by simulation
    std::vector<std::string> notes;       ///< missing parts, and how to get them
};

/// Source for a trace, including its netlist. Throws Error(Input).
PageSource trace_source(const std::string& file);
PageSource netlist_source(const std::string& file);
/// Source for the folder of a compiled model, with the graphs written by `ttsim compile --keep-passes`.
PageSource folder_source(const std::string& folder);

/// Joins a trace and its netlist to one run; other sources stay separate, in the given order.
std::vector<PageSource> joined(std::vector<PageSource> sources);

}  // namespace ttsim::impl::report
