// Runs commands one after another, each in a process of its own that starts from the loaded program: for callers of
// thousands of short commands, such as sweeps.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl::cli {

/// Runs the words of a command line, of which the first is "ttsim". Returns the exit code.
using Command = std::function<int(int, char**)>;

/// Reads requests from `in` until its end, one JSON object a line:
///   {"command": ["run", "netlist.yaml", "--mode", "timing"], "seconds": 60, "memory_bytes": 4000000000}
/// Both limits are optional. Writes one JSON object a line to `out`: status (exit code; null if a signal or a limit
/// ended the process), signal, timed_out, out_of_memory, seconds, cpu_seconds, peak_bytes, stdout, stderr. A line that
/// is not a request gets {"error": TEXT}.
void serve_commands(const Command& command, std::istream& in, std::ostream& out);

/// The netlist of `file` if this process or its parent read it before and the file is unchanged, else null.
std::shared_ptr<const Netlist> preloaded_netlist(const std::string& file);

}  // namespace ttsim::impl::cli
