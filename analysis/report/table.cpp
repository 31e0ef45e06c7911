#include "analysis/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ttsim::impl::report {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
    for (const Column& c : columns_) widths_.push_back(c.title.size());
}

void Table::add(std::vector<std::string> row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], row[i].size());
    rows_.push_back(std::move(row));
}

std::size_t Table::line_width(const Widths& widths) {
    std::size_t sum = 0;
    for (const std::size_t w : widths) sum += w == 0 ? 0 : w + 2;
    return sum;
}

/// The widest column of names is shortened first.
void Table::shorten_names(Widths& widths, std::size_t width) const {
    constexpr std::size_t least = 12;  // minimum width at which names can be distinguished
    while (line_width(widths) > width) {
        std::size_t widest = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (!columns_[i].right && widths[i] > std::max(least, columns_[i].title.size()) &&
                (widest == widths.size() || widths[i] > widths[widest]))
                widest = i;
        if (widest == widths.size()) return;
        --widths[widest];
    }
}

Table::Widths Table::fitting(std::size_t width) const {
    Widths kept = widths_;
    const auto fits = [&](Widths& widths) {
        shorten_names(widths, width);
        return line_width(widths) <= width;
    };
    for (const bool numbers : {true, false})
        for (std::size_t i = columns_.size(); i-- > 1;) {
            Widths widths = kept;
            if (fits(widths)) return widths;
            if (columns_[i].right == numbers) kept[i] = 0;
        }
    shorten_names(kept, width);
    kept[0] = std::min(kept[0], width > 2 ? width - 2 : 1);
    return kept;
}

std::string Table::text(std::optional<std::size_t> width) const {
    const Widths widths = width && !columns_.empty() ? fitting(*width) : widths_;
    std::vector<std::string> titles;
    for (const Column& c : columns_) titles.push_back(c.title);
    std::string out = line(titles, widths);
    for (const auto& row : rows_) out += line(row, widths);
    std::string left_out;
    for (std::size_t i = 0; i < widths.size(); ++i)
        if (widths[i] == 0 && widths_[i] > 0) left_out += (left_out.empty() ? "" : ", ") + columns_[i].title;
    return left_out.empty() ? out : out + cut_lines(fmt::format("  (too narrow for: {})\n", left_out), width);
}

std::string Table::line(const std::vector<std::string>& cells, const Widths& widths) const {
    std::string out = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (widths[i] == 0) continue;
        const std::string cell = shortened(cells[i], widths[i]);
        out += columns_[i].right ? fmt::format(" {:>{}} ", cell, widths[i]) : fmt::format(" {:<{}} ", cell, widths[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
}

namespace {
bool inside_letter(const std::string& text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;  // of UTF-8
}
}  // namespace

std::string shortened(const std::string& name, std::size_t width) {
    if (name.size() <= width) return name;
    const std::string dots(std::min<std::size_t>(3, width), '.');
    const std::size_t kept = width - dots.size();
    std::size_t head = (kept + 1) / 2, tail = name.size() - kept / 2;
    while (head > 0 && inside_letter(name, head)) --head;
    while (inside_letter(name, tail)) ++tail;
    return name.substr(0, head) + dots + name.substr(tail);
}

std::string cut_lines(const std::string& text, std::optional<std::size_t> width) {
    if (!width) return text;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        if (line.size() > *width) {
            std::size_t kept = *width > 3 ? *width - 3 : 0;
            while (kept > 0 && inside_letter(line, kept)) --kept;
            line = line.substr(0, kept) + std::string(std::min<std::size_t>(3, *width), '.');
        }
        out += line;
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

std::string grouped(std::uint64_t n) {
    std::string digits = fmt::format("{}", n);
    for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
    return digits;
}
std::string grouped(std::int64_t n) { return n < 0 ? fmt::format("{}", n) : grouped(static_cast<std::uint64_t>(n)); }

std::string rounded(double n) { return grouped(static_cast<std::int64_t>(std::llround(n))); }

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string rate_text(double per_second) {
    if (per_second <= 0) return "-";
    if (per_second >= 1000 && per_second < 1e15) return rounded(per_second);
    return fmt::format("{:.4g}", per_second);
}

std::string rates_line(double end_to_end_per_second, double inputs_per_second, bool of_loop) {
    if (of_loop && inputs_per_second > 0)
        return fmt::format("end to end: {} inputs/s, loop: {} inputs/s with the pauses between executes\n",
                           rate_text(end_to_end_per_second), rate_text(inputs_per_second));
    return fmt::format(
        "end to end: {} inputs/s, steady: {}\n", rate_text(end_to_end_per_second),
        inputs_per_second > 0 ? rate_text(inputs_per_second) + " inputs/s" : "- (too few inputs to tell)");
}

std::vector<std::string> wrapped(const std::string& line, std::size_t columns, std::size_t more) {
    const std::size_t first = line.find_first_not_of(' ');
    const std::size_t indent = std::min(first == std::string::npos ? 0 : first + more, columns / 2);
    std::vector<std::string> lines;
    std::string rest = line;
    while (rest.size() > columns) {
        std::size_t at = rest.rfind(' ', columns);
        if (at == std::string::npos || at <= indent) at = std::max<std::size_t>(columns, 1);
        lines.push_back(rest.substr(0, at));
        const std::size_t next = rest.find_first_not_of(' ', at);
        if (next == std::string::npos) return lines;
        rest = std::string(indent, ' ') + rest.substr(next);
    }
    lines.push_back(rest);
    return lines;
}

}  // namespace ttsim::impl::report
