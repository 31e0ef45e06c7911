#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ttsim::impl {

/// Optimal string alignment distance: swapping two neighbours counts as one edit.
static std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);  // of i - 2, i - 1, i
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

/// Whether a part of the name, as separated by '_', '-' and '.', begins with `part`.
static bool has_part(std::string_view name, std::string_view part) {
    for (std::size_t at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1))
        if (at == 0 || std::string_view("_-.").find(name[at - 1]) != std::string_view::npos) return true;
    return false;
}

std::string nearest(std::string_view wrong, const std::vector<std::string>& known) {
    if (wrong.empty() || wrong.size() > 80) return "";
    const std::string lowered = to_lower(wrong);
    const std::size_t max_distance = lowered.size() <= 3 ? 1 : lowered.size() < 12 ? 2 : 3;
    const std::string* best = nullptr;
    std::size_t best_distance = max_distance + 1;
    for (const std::string& name : known) {
        if (name.size() > lowered.size() + max_distance || lowered.size() > name.size() + max_distance) continue;
        const std::size_t distance = edit_distance(lowered, to_lower(name));
        if (distance < best_distance) {
            best_distance = distance;
            best = &name;
        }
    }
    if (best_distance <= 1 || lowered.size() < 3) return best ? *best : "";
    std::vector<std::string> with_part;
    for (const std::string& name : known)
        if (has_part(to_lower(name), lowered) && (with_part.empty() || with_part.front() != name))
            with_part.push_back(name);
    if (with_part.size() == 1) return with_part.front();
    return best ? *best : "";
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
    const std::string guess = nearest(wrong, known);
    return guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess);
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

}  // namespace ttsim::impl
