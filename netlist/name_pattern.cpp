#include "netlist/name_pattern.hpp"

#include <utility>

namespace tt {

using Chars = std::bitset<256>;

static std::size_t code(char c) { return static_cast<unsigned char>(c); }

static Chars range(char first, char last) {
    Chars set;
    for (std::size_t c = code(first); c <= code(last); ++c) set.set(c);
    return set;
}

/// Turns a pattern into steps; `good_` falls on anything that is not understood.
class PatternParser {
public:
    explicit PatternParser(std::string_view text) : rest_(text) {}

    std::optional<NamePattern> parse() {
        if (rest_.size() > longest) return std::nullopt;
        if (!rest_.empty() && rest_.front() == '^') rest_.remove_prefix(1);
        Steps steps = choice(0);
        if (!rest_.empty() && rest_ == "$") rest_.remove_prefix(1);
        if (!good_ || !rest_.empty()) return std::nullopt;
        steps.push_back({Kind::Done, {}, 0, 0});
        NamePattern pattern;
        pattern.steps_ = std::move(steps);
        return pattern;
    }

private:
    using Step = NamePattern::Step;
    using Kind = Step::Kind;
    using Steps = std::vector<Step>;
    static constexpr std::size_t longest = 4096;
    static constexpr int deepest = 32;

    bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
    bool accept(char c) {
        if (!next_is(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    char take() {
        if (rest_.empty()) {
            good_ = false;
            return '\0';
        }
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    /// Targets inside a piece count from its start.
    static void append(Steps& to, Steps piece) {
        const std::size_t shift = to.size();
        for (Step& step : piece) {
            step.first += shift;
            step.second += shift;
            to.push_back(step);
        }
    }

    Steps choice(int depth) {
        Steps left = sequence(depth);
        while (good_ && accept('|')) {
            Steps right = sequence(depth), both;
            both.push_back({Kind::Split, {}, 1, left.size() + 2});
            append(both, std::move(left));
            both.push_back({Kind::Jump, {}, both.size() + 1 + right.size(), 0});
            append(both, std::move(right));
            left = std::move(both);
        }
        return left;
    }

    Steps sequence(int depth) {
        Steps steps;
        while (good_ && !rest_.empty() && !next_is('|') && !next_is(')') && rest_ != "$")
            append(steps, repeated(depth));
        return steps;
    }

    Steps repeated(int depth) {
        Steps piece = atom(depth);
        while (good_ && (next_is('*') || next_is('+') || next_is('?'))) {
            const char sign = take();
            if (next_is('?')) (void)take();  // lazy: no difference for whole matches
            Steps steps;
            const std::size_t size = piece.size();
            if (sign == '+') {
                append(steps, std::move(piece));
                steps.push_back({Kind::Split, {}, 0, size + 1});
            } else {
                steps.push_back({Kind::Split, {}, 1, size + (sign == '*' ? 2U : 1U)});
                append(steps, std::move(piece));
                if (sign == '*') steps.push_back({Kind::Jump, {}, 0, 0});
            }
            piece = std::move(steps);
        }
        return piece;
    }

    Steps atom(int depth) {
        const char c = take();
        if (c == '(') {
            if (next_is('?')) good_ = rest_.starts_with("?:") && (rest_.remove_prefix(2), true);
            if (depth >= deepest) good_ = false;
            Steps group = good_ ? choice(depth + 1) : Steps{};
            good_ = good_ && accept(')');
            return group;
        }
        Chars chars;
        if (c == '[')
            chars = char_class();
        else if (c == '.')
            chars.set();
        else if (c == '\\')
            chars = escape();
        else if (std::string_view("*+?{}^$").find(c) != std::string_view::npos)
            good_ = false;
        else
            chars.set(code(c));
        return {{Kind::Chars, chars, 0, 0}};
    }

    Chars escape() {
        const char c = take();
        const Chars digits = range('0', '9'), words = digits | range('a', 'z') | range('A', 'Z') | range('_', '_');
        const Chars blanks = range('\t', '\r') | range(' ', ' ');
        switch (c) {
            case 'd':
                return digits;
            case 'D':
                return ~digits;
            case 'w':
                return words;
            case 'W':
                return ~words;
            case 's':
                return blanks;
            case 'S':
                return ~blanks;
            default:
                good_ = good_ && !words.test(code(c));  // \b, \1 and the like
                return Chars{}.set(code(c));
        }
    }

    Chars char_class() {
        Chars chars;
        const bool inverse = accept('^');
        bool first = true;
        while (good_ && (first || !next_is(']'))) {
            first = false;
            const char low = take();
            if (low == '\\') {
                chars |= escape();
            } else if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
                (void)take();
                chars |= range(low, take());
            } else {
                chars.set(code(low));
            }
        }
        good_ = good_ && accept(']');
        return inverse ? ~chars : chars;
    }

    std::string_view rest_;
    bool good_ = true;
};

std::optional<NamePattern> NamePattern::parse(std::string_view text) { return PatternParser(text).parse(); }

/// Marks the steps that can be reached without a character.
void NamePattern::follow(std::size_t step, std::vector<bool>& active) const {
    std::vector<std::size_t> open{step};
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (active[at]) continue;
        active[at] = true;
        if (steps_[at].kind == Step::Kind::Split) open.push_back(steps_[at].second);
        if (steps_[at].kind == Step::Kind::Split || steps_[at].kind == Step::Kind::Jump)
            open.push_back(steps_[at].first);
    }
}

bool NamePattern::matches(std::string_view name) const {
    std::vector<bool> active(steps_.size()), next(steps_.size());
    follow(0, active);
    for (const char c : name) {
        next.assign(steps_.size(), false);
        bool alive = false;
        for (std::size_t i = 0; i < steps_.size(); ++i)
            if (active[i] && steps_[i].kind == Step::Kind::Chars && steps_[i].chars.test(code(c))) {
                follow(i + 1, next);
                alive = true;
            }
        if (!alive) return false;
        active.swap(next);
    }
    return active.back();
}

}  // namespace tt
