#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tt {

static std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row[b.size()];
}

std::string nearest(std::string_view wrong, const std::vector<std::string>& known) {
    if (wrong.size() > 80) return "";
    std::string best;
    std::size_t best_distance = 3;
    for (const std::string& name : known) {
        if (name.size() > wrong.size() + 2 || wrong.size() > name.size() + 2) continue;
        const std::size_t distance = edit_distance(wrong, name);
        if (distance < best_distance) {
            best_distance = distance;
            best = name;
        }
    }
    return best;
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

}  // namespace tt
