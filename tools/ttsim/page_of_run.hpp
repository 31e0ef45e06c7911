// Pages of 'ttsim report', and those that 'ttsim run' and 'ttsim compile' write with --report.
#pragma once

#include <string>

#include "analysis/page/page.hpp"
#include "tools/ttsim/beyond_netlists.hpp"

namespace ttsim::impl::cli {

/// The source of a trace, a netlist, a device image or the folder of a compiled model. Throws Error(Input) otherwise.
report::PageSource page_source_of(const std::string& file);

/// Writes the page of a run. Throws Error(Input) if the template of the page is missing.
void write_run_page(const OutputFile& out, const RunForPage& run);
/// Writes the page of a compiled model, given its folder or image.
void write_model_page(const OutputFile& out, const std::string& model);

}  // namespace ttsim::impl::cli
