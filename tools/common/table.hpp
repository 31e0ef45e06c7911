// Tables for people: columns as wide as their widest cell, numbers with thousands separators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tt::cli {

class Table {
public:
    struct Column {
        std::string title;
        bool right = true;  ///< numbers to the right
    };
    explicit Table(std::vector<Column> columns);
    void add(std::vector<std::string> row);
    std::string text() const;

private:
    std::string line(const std::vector<std::string>& cells) const;
    std::vector<Column> columns_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> rows_;
};

std::string grouped(std::uint64_t n);  ///< 1234567 -> "1,234,567"
std::string grouped(std::int64_t n);
std::string percent(double share);  ///< 0.123 -> "12.3 %"

}  // namespace tt::cli
