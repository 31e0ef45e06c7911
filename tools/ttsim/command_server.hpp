// Runs commands one after another, each in a process of its own that starts from the loaded program: for callers of
// thousands of short commands, such as sweeps.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// Runs the words of a command line, of which the first is "ttsim". Returns the exit code.
using Command = std::function<int(int, char**)>;

/// Reads requests from `in` until its end, one JSON object a line:
///   {"command": ["run", "netlist.yaml", "--mode", "timing"], "seconds": 60, "memory_bytes": 4000000000}
/// Both limits are optional. Writes one JSON object a line to `out`: status (exit code; null if a signal or a limit
/// ended the process), signal, timed_out, out_of_memory, seconds, cpu_seconds, peak_bytes, stdout, stderr. A line that
/// is not a request gets {"error": TEXT}.
void serve_commands(const Command& command, std::istream& in, std::ostream& out);

}  // namespace ttsim::impl::cli
