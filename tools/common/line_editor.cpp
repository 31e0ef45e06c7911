#include "tools/common/line_editor.hpp"

#include <editline/readline.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>

namespace ttsim::impl::cli {

namespace {

const Completions* active_completions = nullptr;  // libedit's callbacks have no user argument

char** complete(const char* word, int, int end) {
    static std::vector<std::string> matches;
    matches = (*active_completions)(std::string(rl_line_buffer, static_cast<std::size_t>(end)));
    rl_attempted_completion_over = 1;  // no file names
    return rl_completion_matches(word, [](const char*, int state) -> char* {
        const auto n = static_cast<std::size_t>(state);
        return n < matches.size() ? ::strdup(matches[n].c_str()) : nullptr;
    });
}

}  // namespace

std::optional<std::string> read_line(const std::string& prompt, const Completions& completions) {
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
        std::string line;
        return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
    }
    active_completions = &completions;
    rl_attempted_completion_function = complete;
    const std::unique_ptr<char, decltype(&std::free)> line(::readline(prompt.c_str()), std::free);
    if (!line) return std::nullopt;
    if (*line != '\0') ::add_history(line.get());
    return std::string(line.get());
}

}  // namespace ttsim::impl::cli
