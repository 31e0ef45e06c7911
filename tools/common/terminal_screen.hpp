// A whole terminal: lines with colours on it, keys from it. Nothing else of a program sees the terminal's library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// Default: colours on the terminal's own background; Dark: on black.
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

/// A key: a letter, or one of these.
enum class Key : int { Up = 0x110000, Down, Left, Right, PageUp, PageDown, Home, End, Enter, Escape, Backspace, Tab };
constexpr int code(Key key) { return static_cast<int>(key); }

class TerminalScreen {
public:
    /// Takes the terminal over until the end of its life; one at a time. Throws Error(Input) where there is none, or
    /// TERM names none that can show a screen; `otherwise` says what to do then.
    TerminalScreen(ScreenTheme theme, const std::string& otherwise);
    ~TerminalScreen();
    TerminalScreen(const TerminalScreen&) = delete;
    TerminalScreen& operator=(const TerminalScreen&) = delete;

    ScreenSize size() const;
    void show(const std::vector<ScreenLine>& lines);
    /// The next key within so many milliseconds: a character or code(Key); none: nothing came, or the size has changed.
    std::optional<int> key(int milliseconds);
    /// Nobody is at the other end any more.
    bool gone() const;

private:
    bool coloured_;
};

}  // namespace ttsim::impl::cli
