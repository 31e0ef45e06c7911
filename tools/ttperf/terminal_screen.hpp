// A whole terminal: lines with colours on it, keys from it. As it was when the object goes.
#pragma once

#include <optional>

#include "tools/ttperf/analyzer.hpp"

namespace tt::cli {

class TerminalScreen {
public:
    /// Throws Error(Input) where TERM names no terminal that can show a screen. One at a time.
    explicit TerminalScreen(bool coloured);
    ~TerminalScreen();
    TerminalScreen(const TerminalScreen&) = delete;
    TerminalScreen& operator=(const TerminalScreen&) = delete;

    Screen size() const;
    void show(const std::vector<Line>& lines);
    /// The next key; none after a moment without one, or when the size has changed.
    std::optional<int> key();
    /// Nobody is at the other end any more.
    bool gone() const;

private:
    bool coloured_;
};

}  // namespace tt::cli
