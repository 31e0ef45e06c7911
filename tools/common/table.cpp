#include "tools/common/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tt::cli {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
    for (const Column& c : columns_) widths_.push_back(c.title.size());
}

void Table::add(std::vector<std::string> row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], row[i].size());
    rows_.push_back(std::move(row));
}

std::string Table::text() const {
    std::vector<std::string> titles;
    for (const Column& c : columns_) titles.push_back(c.title);
    std::string out = line(titles);
    for (const auto& row : rows_) out += line(row);
    return out;
}

std::string Table::line(const std::vector<std::string>& cells) const {
    std::string out = " ";
    for (std::size_t i = 0; i < cells.size(); ++i)
        out += columns_[i].right ? fmt::format(" {:>{}} ", cells[i], widths_[i])
                                 : fmt::format(" {:<{}} ", cells[i], widths_[i]);
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
}

std::string grouped(std::uint64_t n) {
    std::string digits = fmt::format("{}", n);
    for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
    return digits;
}
std::string grouped(std::int64_t n) { return n < 0 ? fmt::format("{}", n) : grouped(static_cast<std::uint64_t>(n)); }

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace tt::cli
