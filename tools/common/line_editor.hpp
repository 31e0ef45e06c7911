// Reads lines at a prompt, with editing, history and completion.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// Candidates for the last word of the line so far.
using Completions = std::function<std::vector<std::string>(const std::string& line)>;

/// One line without its newline; nullopt at the end of input. Without a terminal on standard input and output, a line
/// is read without prompt or editing.
std::optional<std::string> read_line(const std::string& prompt, const Completions& completions);

}  // namespace ttsim::impl::cli
