#include "tools/ttperf/terminal_screen.hpp"

#define NCURSES_NOMACROS 1  // they have the names of functions of ours
#include <curses.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace tt::cli {

namespace {

SCREEN* opened = nullptr;

constexpr int wait_milliseconds = 200, escape_milliseconds = 25;

short pair_of(report::Tone tone) {
    switch (tone) {
        case report::Tone::Bad:
            return 1;
        case report::Tone::Good:
            return 2;
        case report::Tone::Doubt:
            return 3;
        case report::Tone::Plain:
            break;
    }
    return 0;
}

std::optional<Key> named_key(int key) {
    switch (key) {
        case KEY_UP:
            return Key::Up;
        case KEY_DOWN:
            return Key::Down;
        case KEY_LEFT:
            return Key::Left;
        case KEY_RIGHT:
            return Key::Right;
        case KEY_PPAGE:
            return Key::PageUp;
        case KEY_NPAGE:
            return Key::PageDown;
        case KEY_HOME:
            return Key::Home;
        case KEY_END:
            return Key::End;
        case KEY_ENTER:
        case '\n':
        case '\r':
            return Key::Enter;
        case '\t':
            return Key::Tab;
        case 27:
            return Key::Escape;
        case KEY_BACKSPACE:
        case 127:
        case '\b':
            return Key::Backspace;
        default:
            return std::nullopt;
    }
}

}  // namespace

TerminalScreen::TerminalScreen(bool coloured) {
    std::setlocale(LC_CTYPE, "");
    opened = ::newterm(nullptr, stdout, stdin);
    const char* const term = std::getenv("TERM");
    if (!opened)
        fail_input({}, "TERM is '{}', which is no terminal known here; --text prints tables", term ? term : "");
    ::cbreak();
    ::noecho();
    ::keypad(stdscr, TRUE);
    ::set_escdelay(escape_milliseconds);
    ::wtimeout(stdscr, wait_milliseconds);
    ::curs_set(0);
    coloured_ = coloured && ::has_colors();
    if (!coloured_) return;
    ::start_color();
    ::init_pair(1, COLOR_RED, COLOR_BLACK);
    ::init_pair(2, COLOR_GREEN, COLOR_BLACK);
    ::init_pair(3, COLOR_YELLOW, COLOR_BLACK);
}

TerminalScreen::~TerminalScreen() {
    ::endwin();
    ::delscreen(opened);
    opened = nullptr;
}

Screen TerminalScreen::size() const {
    const int lines = ::getmaxy(stdscr), columns = ::getmaxx(stdscr);
    return {static_cast<std::size_t>(std::max(1, lines)), static_cast<std::size_t>(std::max(1, columns))};
}

void TerminalScreen::show(const std::vector<Line>& lines) {
    ::werase(stdscr);
    for (std::size_t n = 0; n < lines.size(); ++n) {
        ::wmove(stdscr, static_cast<int>(n), 0);
        for (const Span& span : lines[n]) {
            attr_t attributes = A_NORMAL;
            if (span.bold) attributes |= A_BOLD;
            if (span.inverse) attributes |= A_REVERSE;
            const short pair = coloured_ ? pair_of(span.tone) : static_cast<short>(0);
            ::wattr_set(stdscr, attributes, pair, nullptr);
            ::waddstr(stdscr, span.text.c_str());
        }
    }
    ::wattr_set(stdscr, A_NORMAL, 0, nullptr);
    ::wrefresh(stdscr);
}

std::optional<int> TerminalScreen::key() {
    const int key = ::wgetch(stdscr);
    if (key == ERR || key == KEY_RESIZE) return std::nullopt;
    if (const std::optional<Key> named = named_key(key)) return code(*named);
    return key < 256 ? std::optional<int>(key) : std::nullopt;
}

bool TerminalScreen::gone() const { return ::isatty(STDIN_FILENO) != 1; }

}  // namespace tt::cli
