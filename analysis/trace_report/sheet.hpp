// A table with sortable and filterable rows, whose cells have a tone (good, doubtful, bad).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ttsim::impl::report {

enum class Tone : std::uint8_t { Plain, Good, Doubt, Bad };

struct SheetCell {
    std::string text;
    double value = 0;  ///< sort key of numbers
    Tone tone = Tone::Plain;
};

struct SheetColumn {
    std::string title;
    bool number = true;          ///< right-aligned
    bool list = false;           ///< a list of names
    std::size_t importance = 0;  ///< where not all fit, 1 is shown first, then 2 and so on; 0 last
};

struct SheetRow {
    std::int64_t id = 0;  ///< id of the object of the row
    std::vector<SheetCell> cells;
};

struct Sheet {
    std::vector<std::pair<std::string, std::string>> head;  ///< "Speed" and "3941/s"
    std::vector<SheetColumn> columns;
    std::vector<SheetRow> rows;  ///< each row has a cell for every column
};

/// Stable sort by one column: numbers largest first, names from A; empty cells last.
void sort_rows(Sheet& sheet, std::size_t column, bool reversed);
/// Keeps rows that contain the words in a text cell, case-insensitive.
void filter_rows(Sheet& sheet, const std::string& words);

/// Sets the importance of columns by their titles, the most important one first.
void mark_important(Sheet& sheet, const std::vector<std::string>& titles);
/// Width of each column in characters.
std::vector<std::size_t> column_widths(const Sheet& sheet);
/// Shortens names of more than 50 characters to the first 47 and dots.
void cut_names(Sheet& sheet);
/// Number of characters of a UTF-8 text.
std::size_t letters(const std::string& text);
/// "name  " or "  12"
std::string padded(const std::string& text, std::size_t width, bool right);

/// Head, titles, a line and all rows, without a width limit.
std::string text(const Sheet& sheet);

}  // namespace ttsim::impl::report
