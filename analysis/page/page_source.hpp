// What a page of `ttsim report` is made of: inputs of the command, and those of one run joined.
#pragma once

#include <string>
#include <vector>

#include "sim/run.hpp"

namespace ttsim::impl::report {

/// A pass of the compiler and the graph it left, as JSON (compiler/model/pass_graph.hpp).
struct PassText {
    std::string name, json;
};

struct PageSource {
    std::string name;                ///< on the page: the file or folder without the folders above
    std::vector<std::string> files;  ///< as given on the command line
    sim::RunOptions options;         ///< the netlist and its machine
    std::string netlist_text;        ///< what `line` of an op or queue counts in; "" = not known
    std::string trace;               ///< file; "" = none
    std::vector<PassText> passes;    ///< in order
    std::vector<std::string> notes;  ///< what is left out, and how to get it
};

/// All that a trace says: its netlist too. Throws Error(Input).
PageSource trace_source(const std::string& file);
PageSource netlist_source(const std::string& file);
/// The folder of a compiled model, with the graphs that `ttsim compile --keep-passes` left there.
PageSource folder_source(const std::string& folder);

/// A trace of a netlist that is also given is the same run; others stay side by side, in the order given.
std::vector<PageSource> joined(std::vector<PageSource> sources);

}  // namespace ttsim::impl::report
