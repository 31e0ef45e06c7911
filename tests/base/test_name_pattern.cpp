#include <catch2/catch.hpp>

#include <regex.h>

#include <random>
#include <string>

#include "base/name_pattern.hpp"

using ttsim::impl::NamePattern;

static bool matches(const std::string& pattern, const std::string& name) {
    const auto parsed = NamePattern::parse(pattern);
    REQUIRE(parsed);
    return parsed->matches(name);
}

TEST_CASE("patterns match whole names") {
    CHECK(matches("lc.input_tensor..*_s_brcst_m2.*", "lc.input_tensor.bias_s_brcst_m2_0_0.0"));
    CHECK_FALSE(matches("lc.input_tensor..*_s_brcst_m2.*", "lc.input_tensor.bias_s_brcst_m1_0_0.0"));
    CHECK(matches(".*\\.weights", "norm.weights"));
    CHECK_FALSE(matches(".*\\.weights", "normXweights"));
    CHECK_FALSE(matches(".*\\.weights", "norm.weights_2"));
    CHECK(matches("^out$", "out"));
    CHECK(matches("", ""));
    CHECK_FALSE(matches("", "a"));
    CHECK(matches("a|bc|d", "bc"));
    CHECK_FALSE(matches("a|bc|d", "abcd"));
    CHECK(matches("(?:ab)+c?", "abab"));
    CHECK(matches("q[0-9_]\\d", "q_7"));
    CHECK_FALSE(matches("q[^0-9]", "q1"));
    CHECK(matches("[]x]", "]"));
    CHECK(matches("a.c",
                  "a\xff"
                  "c"));
}

TEST_CASE("text without wildcards is not a pattern") {
    for (const char* text : {"*a", "(a", "a)", "[a", "a\\", "(?=a)", "(a)\\1", "a{1000000}", "((a{100}){100}){100}"}) {
        INFO(text);
        CHECK_FALSE(NamePattern::parse(text));
    }
    CHECK_FALSE(NamePattern::parse(std::string(1000, '(')));
    CHECK_THROWS_WITH(NamePattern("(a", {"f.yaml", 2, 3}, "name_regex"),
                      Catch::Contains("f.yaml:2:3: error: name_regex '(a' is not a regular expression: missing )"));
}

TEST_CASE("patterns that make other matchers run for ever are quick") {
    CHECK_FALSE(matches("(a*)*b", std::string(5000, 'a')));
    CHECK(matches("(a|n)*", std::string(1 << 20, 'a')));
    CHECK_FALSE(matches("(a|a?)+(a|a?)+(a|a?)+b", std::string(5000, 'a')));
}

TEST_CASE("random patterns agree with the matcher of the C library") {
    std::mt19937 random(1);
    const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const std::vector<std::string> parts{"a", "b", ".", "(", ")", "|", "*", "+", "?", "[ab]", "(a|b)", ".*", "\\."};
    int compared = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string pattern;
        for (std::size_t i = pick(7); i > 0; --i) pattern += parts[pick(parts.size())];
        const auto ours = NamePattern::parse(pattern);
        if (!ours || pattern.find("+?") != std::string::npos) continue;  // lazy here, a second repeat there
        regex_t theirs;
        if (regcomp(&theirs, ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0) continue;
        for (int k = 0; k < 6; ++k) {
            std::string name;
            for (std::size_t i = pick(6); i > 0; --i) name += "ab."[pick(3)];
            INFO(pattern << " on " << name);
            CHECK(ours->matches(name) == (regexec(&theirs, name.c_str(), 0, nullptr, 0) == 0));
            ++compared;
        }
        regfree(&theirs);
    }
    CHECK(compared > 5000);
}
