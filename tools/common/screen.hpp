// The whole terminal as a place to draw lines on, with keys. Nothing else of a program sees the terminal's library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tt::cli {

enum class ScreenTheme : std::uint8_t { Default, Dark, NoColour };
/// How a piece of a line looks: a number from 0 (plain) to 4; see screen.cpp.
struct ScreenPiece {
    std::string text;
    int ink = 0;
};
using ScreenLine = std::vector<ScreenPiece>;

class Screen {
public:
    /// Takes the terminal over until the end of its life. Throws Error(Input) when standard output is none, or of a
    /// kind that cannot be drawn on.
    explicit Screen(ScreenTheme theme);
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    int columns() const;
    int rows() const;
    void draw(const std::vector<ScreenLine>& lines);
    /// The key that is pressed within so many milliseconds; 0: the size changed; nothing: none was pressed.
    std::optional<int> key(int milliseconds);
};

}  // namespace tt::cli
