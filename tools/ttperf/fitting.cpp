#include "tools/ttperf/fitting.hpp"

#include <algorithm>

namespace ttsim::impl::cli {

using report::Sheet;

constexpr std::size_t separator = 3;    // " | "
constexpr std::size_t least_text = 12;  // a column of text is not narrower

namespace {

/// Chooses columns from left to right while they fit.
class Chooser {
public:
    Chooser(const Sheet& sheet, std::size_t columns)
        : sheet_(sheet), columns_(columns), widths_(report::column_widths(sheet)), chosen_(widths_.size()) {
        widths_[0] = std::min(widths_[0], std::max(least_text, columns / 2));
        chosen_[0] = true;
        used_ = widths_[0];
    }
    std::size_t count() const { return widths_.size(); }
    bool fits(std::size_t n) const { return used_ + separator + widths_[n] <= columns_; }
    void add(std::size_t n) {
        if (chosen_[n]) return;
        chosen_[n] = true;
        used_ += separator + widths_[n];
    }
    /// Gives the rest of the line to a column of text.
    void squeeze(std::size_t n) {
        const std::size_t room = columns_ > used_ + separator ? columns_ - used_ - separator : 0;
        if (chosen_[n] || sheet_.columns[n].number || room < least_text) return;
        widths_[n] = std::min(widths_[n], room);
        add(n);
    }
    bool chosen(std::size_t n) const { return chosen_[n]; }
    Fitting take() const {
        Fitting fit;
        for (std::size_t n = 0; n < count(); ++n) {
            if (!chosen_[n]) continue;
            fit.columns.push_back(n);
            fit.widths.push_back(widths_[n]);
        }
        return fit;
    }

private:
    const Sheet& sheet_;
    std::size_t columns_, used_ = 0;
    std::vector<std::size_t> widths_;
    std::vector<bool> chosen_;
};

/// The columns that have an importance, without the first column.
std::vector<std::size_t> by_importance(const Sheet& sheet) {
    std::vector<std::size_t> order;
    for (std::size_t n = 1; n < sheet.columns.size(); ++n)
        if (sheet.columns[n].importance > 0) order.push_back(n);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return sheet.columns[a].importance < sheet.columns[b].importance; });
    return order;
}

}  // namespace

Fitting fitting(const Sheet& sheet, std::size_t scrolled, std::size_t columns) {
    if (sheet.columns.empty()) return {};
    Chooser chooser(sheet, columns);
    if (scrolled == 0)
        for (const std::size_t n : by_importance(sheet))
            if (chooser.fits(n)) chooser.add(n);
    std::size_t next = 1 + scrolled;
    while (next < chooser.count() && (chooser.chosen(next) || chooser.fits(next))) chooser.add(next++);
    if (next < chooser.count()) chooser.squeeze(next);
    Fitting fit = chooser.take();
    fit.more = scrolled == 0 ? fit.columns.size() < chooser.count() : next < chooser.count();
    return fit;
}

std::string fitting_hints(std::vector<KeyHint> hints, std::size_t columns) {
    while (true) {
        std::string text;
        for (const KeyHint& hint : hints) text += (text.empty() ? "" : "  ") + std::string(hint.text);
        if (text.size() <= columns || hints.size() <= 1) return text;
        hints.erase(std::max_element(hints.begin(), hints.end(),
                                     [](const KeyHint& a, const KeyHint& b) { return a.rank < b.rank; }));
    }
}

std::string fitting_note(const std::string& note, std::size_t columns) {
    std::size_t end = note.size();
    while (end != 0 && report::letters(note.substr(0, end)) > columns) {
        const std::size_t before = note.rfind("; ", end - 1);
        end = before == std::string::npos ? 0 : before;
    }
    return note.substr(0, end);
}

}  // namespace ttsim::impl::cli
