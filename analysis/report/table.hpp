// Text tables: columns as wide as their widest cell, numbers with thousands separators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl::report {

class Table {
public:
    struct Column {
        std::string title;
        bool right = true;  ///< right-aligned, for numbers
    };
    explicit Table(std::vector<Column> columns);
    void add(std::vector<std::string> row);
    /// Lines of at most `width` characters, if given: names are shortened in the middle, then columns of numbers are
    /// dropped from the right and listed in a last line.
    std::string text(std::optional<std::size_t> width = std::nullopt) const;

private:
    using Widths = std::vector<std::size_t>;  ///< 0: the column is dropped
    static std::size_t line_width(const Widths& widths);
    void shorten_names(Widths& widths, std::size_t width) const;
    Widths fitting(std::size_t width) const;
    std::string line(const std::vector<std::string>& cells, const Widths& widths) const;
    std::vector<Column> columns_;
    Widths widths_;
    std::vector<std::vector<std::string>> rows_;
};

/// "a_long_name" in 8 columns: "a_l...me".
std::string shortened(const std::string& name, std::size_t width);
/// Limits every line to `width` characters, if given; longer lines end in "...".
std::string cut_lines(const std::string& text, std::optional<std::size_t> width);

std::string grouped(std::uint64_t n);  ///< 1234567 -> "1,234,567"
std::string grouped(std::int64_t n);
std::string rounded(double n);      ///< 1234567.8 -> "1,234,568"
std::string percent(double share);  ///< 0.123 -> "12.3 %"
/// Formats inputs/s: "132,450", four digits below a thousand, "-" for 0 (unknown).
std::string rate_text(double per_second);
/// "end to end: 37,155 inputs/s, steady: 108,756 inputs/s" and a line end; "loop" instead of "steady" for a rate of
/// loops.
std::string rates_line(double end_to_end_per_second, double inputs_per_second, bool of_loop);

/// Lines of at most `columns` characters, broken at blanks. Those after the first are indented as the line is, and by
/// `more`.
std::vector<std::string> wrapped(const std::string& line, std::size_t columns, std::size_t more);

}  // namespace ttsim::impl::report
