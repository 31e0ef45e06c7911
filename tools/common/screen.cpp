#include "tools/common/screen.hpp"

#include <curses.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"

namespace tt::cli {

namespace {

attr_t look(int ink) {
    const auto pair = static_cast<attr_t>(COLOR_PAIR(ink));
    switch (ink) {
        case 1:
            return pair | A_BOLD | A_REVERSE;  // titles
        case 2:
            return pair | A_BOLD;  // labels
        case 3:
            return pair | A_BOLD;  // limits
        case 4:
            return pair | A_DIM;  // what matters less
        default:
            return pair;
    }
}

void set_colours(ScreenTheme theme) {
    if (theme == ScreenTheme::NoColour || !::has_colors()) return;
    ::start_color();
    const bool dark = theme == ScreenTheme::Dark;
    const short back = dark ? COLOR_BLACK : -1, text = dark ? COLOR_WHITE : -1;
    if (!dark) ::use_default_colors();
    ::init_pair(1, dark ? COLOR_WHITE : COLOR_MAGENTA, back);
    ::init_pair(2, dark ? COLOR_GREEN : COLOR_CYAN, back);
    ::init_pair(3, COLOR_YELLOW, back);
    ::init_pair(4, text, back);
    ::init_pair(5, text, back);
    ::bkgd(static_cast<chtype>(COLOR_PAIR(5)));
}

}  // namespace

Screen::Screen(ScreenTheme theme) {
    const char* const terminal = std::getenv("TERM");
    if (::isatty(STDOUT_FILENO) != 1 || ::isatty(STDIN_FILENO) != 1)
        throw Error(Fault::Input, {}, "the display needs a terminal; -s or -d write files without one");
    std::setlocale(LC_ALL, "");
    if (!terminal || !::newterm(nullptr, stdout, stdin))
        throw Error(Fault::Input, {}, "the terminal cannot be drawn on: set TERM to its kind, such as xterm");
    ::cbreak();
    ::noecho();
    ::curs_set(0);
    ::keypad(stdscr, TRUE);
    set_colours(theme);
}

Screen::~Screen() { ::endwin(); }

int Screen::columns() const { return COLS; }
int Screen::rows() const { return LINES; }

void Screen::draw(const std::vector<ScreenLine>& lines) {
    ::erase();
    for (std::size_t row = 0; row < lines.size() && row < static_cast<std::size_t>(LINES); ++row) {
        ::move(static_cast<int>(row), 0);
        for (const ScreenPiece& piece : lines[row]) {
            const attr_t attributes = look(piece.ink);
            ::attron(static_cast<int>(attributes));
            ::addstr(piece.text.c_str());
            ::attroff(static_cast<int>(attributes));
        }
    }
    ::refresh();
}

std::optional<int> Screen::key(int milliseconds) {
    ::timeout(milliseconds);
    const int pressed = ::getch();
    if (pressed == ERR) return std::nullopt;
    return pressed == KEY_RESIZE ? 0 : pressed;
}

}  // namespace tt::cli
