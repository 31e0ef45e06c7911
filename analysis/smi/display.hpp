// The live display as lines of styled text, independent of the terminal.
#pragma once

#include <string>
#include <vector>

#include "analysis/smi/sample.hpp"

namespace ttsim::impl::smi {

enum class Ink : std::uint8_t { Plain, Title, Label, Limit, Faint };

struct Piece {
    std::string text;
    Ink ink = Ink::Plain;
};
using Line = std::vector<Piece>;

struct Look {
    int tab = 1;  ///< 1 information, 2 telemetry, 3 firmware
    bool side_bar = true, limits = true, averages = false, help = false;
    std::string message;  ///< message of the last key: "wrote ..."
    std::string clock;    ///< date and time as text
    bool dumping = false;
    std::string replay;  ///< of a trace: "x0.0001, 35 %", "paused, 35 %"; else ""
};

/// Averages over all readings, for the key 'v'.
struct Averages {
    std::size_t readings = 0;
    std::vector<ChipSample> sums;
    void add(const Sample& sample);
};

std::vector<Line> display(const Sample& sample, const Averages& averages, const Look& look, int columns, int rows);

}  // namespace ttsim::impl::smi
