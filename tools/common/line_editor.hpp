// Lines typed at a prompt, with editing, history and the TAB key.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// What could stand in place of the last word of the line so far.
using Completions = std::function<std::vector<std::string>(const std::string& line)>;

/// One line without its end; nothing at the end of input. Without a terminal on standard input and output, a line is
/// read without prompt or editing.
std::optional<std::string> read_line(const std::string& prompt, const Completions& completions);

}  // namespace ttsim::impl::cli
