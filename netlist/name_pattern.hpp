// Patterns for queue names, as overrides of a test-config use them: a regular expression that matches whole names in
// time proportional to both lengths, whatever the file holds.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

namespace tt {

/// Literals, '.', classes [a-z] and [^...], escapes (\. \d \w \s), groups, '|', and the repeats * + ?.
class NamePattern {
public:
    /// Nothing when the text is no such pattern (it may still be a plain name).
    static std::optional<NamePattern> parse(std::string_view text);
    bool matches(std::string_view name) const;

private:
    friend class PatternParser;
    struct Step {
        enum class Kind { Chars, Split, Jump, Done } kind;
        std::bitset<256> chars;
        std::size_t first = 0, second = 0;  ///< Split: both ways on; Jump: first
    };
    void follow(std::size_t step, std::vector<bool>& active) const;

    std::vector<Step> steps_;
};

}  // namespace tt
