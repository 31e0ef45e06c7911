// A table whose rows can be sorted and filtered, and whose cells say whether they are good or bad.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ttsim::impl::report {

enum class Tone : std::uint8_t { Plain, Good, Doubt, Bad };

struct SheetCell {
    std::string text;
    double value = 0;  ///< what numbers are sorted by
    Tone tone = Tone::Plain;
};

struct SheetColumn {
    std::string title;
    bool number = true;  ///< to the right
    bool list = false;   ///< of names, which is not one
};

struct SheetRow {
    std::int64_t id = 0;  ///< of what it stands for
    std::vector<SheetCell> cells;
};

struct Sheet {
    std::vector<std::pair<std::string, std::string>> head;  ///< "Speed" and "3941/s"
    std::vector<SheetColumn> columns;
    std::vector<SheetRow> rows;  ///< each with a cell for every column
};

/// By one column, largest first or, for names, from A; empty cells last. Equal rows stay as they were.
void sort_rows(Sheet& sheet, std::size_t column, bool reversed);
/// Keeps rows that hold the words in a cell of text, whatever their case.
void filter_rows(Sheet& sheet, const std::string& words);

/// The width that each column takes, in letters.
std::vector<std::size_t> column_widths(const Sheet& sheet);
/// Names of over 50 letters as their first 47 and dots.
void cut_names(Sheet& sheet);
/// Letters of a text in UTF-8.
std::size_t letters(const std::string& text);
/// "name  " or "  12"
std::string padded(const std::string& text, std::size_t width, bool right);

/// Its head, titles, a line and all rows, as wide as they are.
std::string text(const Sheet& sheet);

}  // namespace ttsim::impl::report
