#include "tools/common/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/utf8.hpp"

namespace ttsim::impl::cli {

namespace {

Colour chosen_colour = Colour::Auto;

const char* escape(Paint paint) {
    switch (paint) {
        case Paint::Good:
            return "\033[32m";
        case Paint::Bad:
            return "\033[1;31m";
        case Paint::Doubt:
            return "\033[33m";
        case Paint::Note:
            return "\033[36m";
    }
    return "";
}

/// Applies a function to each line of a text; newlines stay.
template <class Function>
std::string map_lines(std::string_view text, Function paint) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        out += paint(text.substr(0, end));
        if (end == std::string_view::npos) break;
        out += '\n';
        text.remove_prefix(end + 1);
    }
    return out;
}

std::string paint_part(std::string_view line, std::size_t at, std::size_t size, Paint paint) {
    return std::string(line.substr(0, at)) + painted(line.substr(at, size), paint) +
           std::string(line.substr(at + size));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A verdict is the end of its line; after MISMATCH and MISSED details may follow.
std::string paint_verdict(std::string_view line) {
    struct Word {
        std::string_view text;
        Paint paint;
        bool details_follow;
    };
    static constexpr std::array words{
        Word{"MISMATCH", Paint::Bad, true},       Word{"MISSED", Paint::Bad, true},
        Word{"mismatch", Paint::Bad, false},      Word{"not judged", Paint::Doubt, false},
        Word{"not checked", Paint::Doubt, false}, Word{"pass", Paint::Good, false},
        Word{"met", Paint::Good, false},
    };
    if (line.starts_with("note:")) return paint_part(line, 0, 5, Paint::Note);
    for (const Word& word : words) {
        const std::size_t at = line.rfind(word.text);
        if (at == std::string_view::npos || (at > 0 && is_letter(line[at - 1]))) continue;
        if (word.details_follow || at + word.text.size() == line.size())
            return paint_part(line, at, line.size() - at, word.paint);
    }
    return std::string(line);
}

std::string paint_message(std::string_view line) {
    for (const std::string_view word : {"error:", "unsupported:", "hang:", "note:"}) {
        const std::size_t at = line.find(word);
        if (at != std::string_view::npos && (at == 0 || line[at - 1] == ' '))
            return paint_part(line, at, word.size(), word == "note:" ? Paint::Note : Paint::Bad);
    }
    return std::string(line);
}

}  // namespace

std::optional<std::size_t> terminal_width(int descriptor) {
    if (::isatty(descriptor) != 1) return std::nullopt;
    std::size_t columns = 0;
    if (const char* const given = std::getenv("COLUMNS")) {
        const char* const end = given + std::strlen(given);
        const auto [stop, error] = std::from_chars(given, end, columns);
        if (error == std::errc() && stop == end && columns > 0) return columns;
    }
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return std::nullopt;
}

void set_colour(Colour colour) { chosen_colour = colour; }

bool coloured(int descriptor) {
    if (chosen_colour != Colour::Auto) return chosen_colour == Colour::Always;
    const char* const no_color = std::getenv("NO_COLOR");
    const char* const term = std::getenv("TERM");
    if ((no_color && *no_color) || (term && std::strcmp(term, "dumb") == 0)) return false;
    return ::isatty(descriptor) == 1;
}

std::string painted(std::string_view text, Paint paint) { return escape(paint) + std::string(text) + "\033[0m"; }

std::string painted_message(std::string_view text) {
    const std::string shown = printable(text);
    return coloured(STDERR_FILENO) ? map_lines(shown, paint_message) : shown;
}

std::string painted_report(std::string_view text) {
    return coloured(STDOUT_FILENO) ? map_lines(text, paint_verdict) : std::string(text);
}

}  // namespace ttsim::impl::cli
