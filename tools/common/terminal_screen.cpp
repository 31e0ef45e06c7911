#include "tools/common/terminal_screen.hpp"

#define NCURSES_NOMACROS 1  // its macros have names of functions here
#include <curses.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace ttsim::impl::cli {

namespace {

SCREEN* active_screen = nullptr;

constexpr int escape_milliseconds = 25;

/// Colour pairs have the numbers of ScreenColour; 0 is the terminal's own.
constexpr std::array<short, 6> ncurses_colours{COLOR_WHITE,  COLOR_RED,  COLOR_GREEN,
                                               COLOR_YELLOW, COLOR_CYAN, COLOR_MAGENTA};
constexpr short plain_pair = ncurses_colours.size();

void set_colours(ScreenTheme theme) {
    const bool dark = theme == ScreenTheme::Dark;
    ::start_color();
    if (!dark) ::use_default_colors();
    const short back = dark ? COLOR_BLACK : static_cast<short>(-1);
    for (short n = 1; n < plain_pair; ++n) ::init_pair(n, ncurses_colours[static_cast<std::size_t>(n)], back);
    ::init_pair(plain_pair, dark ? ncurses_colours[0] : static_cast<short>(-1), back);
    ::wbkgd(stdscr, static_cast<chtype>(COLOR_PAIR(plain_pair)));
}

attr_t attributes_of(const ScreenPiece& piece) {
    attr_t attributes = A_NORMAL;
    if (piece.bold) attributes |= A_BOLD;
    if (piece.inverse) attributes |= A_REVERSE;
    if (piece.dim) attributes |= A_DIM;
    return attributes;
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

TerminalScreen::TerminalScreen(ScreenTheme theme, const std::string& otherwise) {
    if (::isatty(STDOUT_FILENO) != 1 || ::isatty(STDIN_FILENO) != 1)
        fail_input({}, "the display needs a terminal; {}", otherwise);
    std::setlocale(LC_CTYPE, "");
    const char* const term = std::getenv("TERM");
    if (term) active_screen = ::newterm(nullptr, stdout, stdin);
    if (!active_screen) fail_input({}, "TERM is '{}', an unknown terminal type; {}", term ? term : "", otherwise);
    ::cbreak();
    ::noecho();
    ::keypad(stdscr, TRUE);
    ::set_escdelay(escape_milliseconds);
    ::curs_set(0);
    coloured_ = theme != ScreenTheme::NoColour && ::has_colors();
    if (coloured_) set_colours(theme);
}

TerminalScreen::~TerminalScreen() {
    ::endwin();
    ::delscreen(active_screen);
    active_screen = nullptr;
}

ScreenSize TerminalScreen::size() const {
    const int lines = ::getmaxy(stdscr), columns = ::getmaxx(stdscr);
    return {static_cast<std::size_t>(std::max(1, lines)), static_cast<std::size_t>(std::max(1, columns))};
}

void TerminalScreen::show(const std::vector<ScreenLine>& lines) {
    ::werase(stdscr);
    const std::size_t shown = std::min(lines.size(), size().lines);
    for (std::size_t n = 0; n < shown; ++n) {
        ::wmove(stdscr, static_cast<int>(n), 0);
        for (const ScreenPiece& piece : lines[n]) {
            const bool plain = !coloured_ || piece.colour == ScreenColour::Plain;
            const short pair =
                plain ? static_cast<short>(coloured_ ? plain_pair : 0) : static_cast<short>(piece.colour);
            ::wattr_set(stdscr, attributes_of(piece), pair, nullptr);
            ::waddstr(stdscr, printable(piece.text).c_str());
        }
    }
    ::wattr_set(stdscr, A_NORMAL, 0, nullptr);
    ::wrefresh(stdscr);
}

std::optional<int> TerminalScreen::key(int milliseconds) {
    ::wtimeout(stdscr, milliseconds);
    const int key = ::wgetch(stdscr);
    if (key == ERR || key == KEY_RESIZE) return std::nullopt;
    if (const std::optional<Key> named = named_key(key)) return code(*named);
    return key < 256 ? std::optional<int>(key) : std::nullopt;
}

bool TerminalScreen::disconnected() const { return ::isatty(STDIN_FILENO) != 1; }

}  // namespace ttsim::impl::cli
