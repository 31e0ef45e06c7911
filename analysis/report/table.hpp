// Tables for people: columns as wide as their widest cell, numbers with thousands separators.
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
        bool right = true;  ///< numbers to the right
    };
    explicit Table(std::vector<Column> columns);
    void add(std::vector<std::string> row);
    /// Lines of at most `width` columns, if given: names are shortened in the middle, then numbers are left out from
    /// the right, and a last line says which.
    std::string text(std::optional<std::size_t> width = std::nullopt) const;

private:
    using Widths = std::vector<std::size_t>;  ///< 0: the column is left out
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
/// Every line at most `width` columns, if given; longer ones end in "...".
std::string cut_lines(const std::string& text, std::optional<std::size_t> width);

std::string grouped(std::uint64_t n);  ///< 1234567 -> "1,234,567"
std::string grouped(std::int64_t n);
std::string rounded(double n);      ///< 1234567.8 -> "1,234,568"
std::string percent(double share);  ///< 0.123 -> "12.3 %"
/// Inputs per second: "132,450", below a thousand with four digits, "-" where 0 stands for unknown.
std::string rate_text(double per_second);
/// "end to end: 37,155 inputs/s, steady: 108,756 inputs/s" and a line end.
std::string rates_line(double end_to_end_per_second, double inputs_per_second);

}  // namespace ttsim::impl::report
