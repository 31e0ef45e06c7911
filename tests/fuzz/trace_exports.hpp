// All exports of a trace, read back by the rules of their format.
#pragma once

#include <string>

namespace ttsim::impl::fuzz {

/// The bytes of a trace of a small run with its netlist in it, of level 2.
const std::string& run_trace();

/// How many exports gave output, and how many refused the trace.
struct Exported {
    int given = 0, refused = 0;
};
/// Throws Error(Internal) where an output breaks the rules of its format, and passes on unexpected exceptions of an
/// export.
Exported export_all(const std::string& trace_file);

}  // namespace ttsim::impl::fuzz
