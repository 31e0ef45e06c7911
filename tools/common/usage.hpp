// Command lines that are wrong: what every tool says about them.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ttsim::impl::cli {

/// Parses and, unless that says the tool is done, returns nothing. Wrong words are answered with the nearest right one.
/// What is returned is the exit code.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv);

/// --color auto|always|never, of every command. Call when all are there.
void add_colour_flag(CLI::App& app);

/// "'7' is no number from 0 to 2", "'0' is no number of 1 or more": a bound that is the largest of its type is none.
template <class T>
std::string out_of_range(const std::string& given, T low, T high) {
    const bool open = high == std::numeric_limits<T>::max() || high == std::numeric_limits<T>::infinity();
    const std::string kind = std::is_integral_v<T> ? "integer" : "number";
    return open ? fmt::format("'{}' is no {} of {} or more", given, kind, low)
                : fmt::format("'{}' is no {} from {} to {}", given, kind, low, high);
}

/// For an option whose value is a number from `low` to `high`: NaN is not, and infinity only where it is a bound.
template <class T>
CLI::Validator in_range(T low, T high) {
    return CLI::Validator(
        [low, high](std::string& given) {
            T value{};
            const bool inside = CLI::detail::lexical_cast(given, value) && value >= low && value <= high;
            return inside ? std::string{} : out_of_range(given, low, high);
        },
        "");
}

/// For an option whose value is one of a few words.
CLI::Validator one_of(std::vector<std::string> words);
/// "'ful' is none of full|timing; did you mean 'full'?"
std::string none_of(const std::string& given, const std::vector<std::string>& words);

}  // namespace ttsim::impl::cli
