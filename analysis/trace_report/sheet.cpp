#include "analysis/trace_report/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace ttsim::impl::report {

void sort_rows(Sheet& sheet, std::size_t column, bool reversed) {
    if (column >= sheet.columns.size()) return;
    const bool number = sheet.columns[column].number;
    const auto before = [&](const SheetRow& a, const SheetRow& b) {
        const SheetCell &left = a.cells[column], &right = b.cells[column];
        if (left.text.empty() || right.text.empty()) return !left.text.empty() && right.text.empty();
        const SheetCell &first = reversed ? right : left, &second = reversed ? left : right;
        return number ? first.value > second.value : first.text < second.text;
    };
    std::stable_sort(sheet.rows.begin(), sheet.rows.end(), before);
}

void filter_rows(Sheet& sheet, const std::string& words) {
    const std::string wanted = to_lower(words);
    const auto lacks = [&](const SheetRow& row) {
        for (std::size_t n = 0; n < row.cells.size(); ++n)
            if (!sheet.columns[n].number && to_lower(row.cells[n].text).find(wanted) != std::string::npos) return false;
        return true;
    };
    sheet.rows.erase(std::remove_if(sheet.rows.begin(), sheet.rows.end(), lacks), sheet.rows.end());
}

std::size_t letters(const std::string& text) {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::string blanks(width - std::min(width, letters(text)), ' ');
    return right ? blanks + text : text + blanks;
}

void mark_important(Sheet& sheet, const std::vector<std::string>& titles) {
    for (SheetColumn& column : sheet.columns) {
        const auto found = std::find(titles.begin(), titles.end(), column.title);
        column.importance = found == titles.end() ? 0 : static_cast<std::size_t>(found - titles.begin()) + 1;
    }
}

std::vector<std::size_t> column_widths(const Sheet& sheet) {
    std::vector<std::size_t> widths;
    for (const SheetColumn& column : sheet.columns) widths.push_back(letters(column.title));
    for (const SheetRow& row : sheet.rows)
        for (std::size_t n = 0; n < row.cells.size(); ++n) widths[n] = std::max(widths[n], letters(row.cells[n].text));
    return widths;
}

void cut_names(Sheet& sheet) {
    constexpr std::size_t most = 50, kept = 47;
    for (SheetRow& row : sheet.rows)
        for (std::size_t n = 0; n < row.cells.size(); ++n) {
            std::string& name = row.cells[n].text;
            if (sheet.columns[n].number || sheet.columns[n].list || letters(name) <= most) continue;
            std::size_t at = 0;
            for (std::size_t count = 0; at < name.size(); ++at)
                if ((static_cast<unsigned char>(name[at]) & 0xc0) != 0x80 && count++ == kept) break;
            name = name.substr(0, at) + "...";
        }
}

std::string text(const Sheet& sheet) {
    const std::vector<std::size_t> widths = column_widths(sheet);
    const auto line = [&](const auto& cell) {
        std::string out;
        for (std::size_t n = 0; n < widths.size(); ++n)
            out += (n ? " | " : "") + padded(cell(n), widths[n], sheet.columns[n].number);
        out.erase(out.find_last_not_of(' ') + 1);
        return out + "\n";
    };
    std::string head;
    for (const auto& [name, value] : sheet.head) head += fmt::format("{}{}: {}", head.empty() ? "" : "  ", name, value);
    const std::string titles = line([&](std::size_t n) { return sheet.columns[n].title; });
    std::size_t width = 0;
    for (const std::size_t one : widths) width += one + 3;
    std::string out = head + "\n\n" + titles + std::string(width > 3 ? width - 3 : 0, '=') + "\n";
    for (const SheetRow& row : sheet.rows) out += line([&](std::size_t n) { return row.cells[n].text; });
    return out;
}

}  // namespace ttsim::impl::report
