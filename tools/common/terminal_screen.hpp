// A full-screen terminal: shows coloured lines and reads keys. Hides ncurses from the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// Default: colours on the terminal's own background; Dark: colours on black.
enum class ScreenTheme : std::uint8_t { Default, Dark, NoColour };
enum class ScreenColour : std::uint8_t { Plain, Red, Green, Yellow, Cyan, Magenta };

struct ScreenPiece {
    std::string text;
    ScreenColour colour = ScreenColour::Plain;
    bool bold = false, inverse = false, dim = false;
};
using ScreenLine = std::vector<ScreenPiece>;

struct ScreenSize {
    std::size_t lines = 24, columns = 80;
};

/// Keys without a character; their codes are above all Unicode characters.
enum class Key : int { Up = 0x110000, Down, Left, Right, PageUp, PageDown, Home, End, Enter, Escape, Backspace, Tab };
constexpr int code(Key key) { return static_cast<int>(key); }

class TerminalScreen {
public:
    /// Controls the terminal during its lifetime; only one instance may exist at a time. Throws Error(Input) if there
    /// is not a terminal, or TERM names none that can show a screen; `otherwise` is the advice in the message.
    TerminalScreen(ScreenTheme theme, const std::string& otherwise);
    ~TerminalScreen();
    TerminalScreen(const TerminalScreen&) = delete;
    TerminalScreen& operator=(const TerminalScreen&) = delete;

    ScreenSize size() const;
    void show(const std::vector<ScreenLine>& lines);
    /// The next key within so many milliseconds: a character or code(Key); nullopt: no key, or the size changed.
    std::optional<int> key(int milliseconds);
    /// Whether the terminal was disconnected.
    bool disconnected() const;

private:
    bool coloured_;
};

}  // namespace ttsim::impl::cli
