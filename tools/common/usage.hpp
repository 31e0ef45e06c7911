// Command lines that are wrong: what every tool says about them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tt::cli {

/// Parses and, unless that says the tool is done, returns nothing. Wrong words are answered with the nearest right one.
/// What is returned is the exit code.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv);

/// --color auto|always|never, of every command. Call when all are there.
void add_colour_flag(CLI::App& app);

/// For an option whose value is a number from `low` to `high`: NaN is not, and infinity only where it is a bound.
template <class T>
CLI::Validator in_range(T low, T high) {
    return CLI::Validator(
        [low, high](std::string& given) {
            T value{};
            const bool inside = CLI::detail::lexical_cast(given, value) && value >= low && value <= high;
            return inside ? std::string{}
                          : "Value " + given + " not in range " + std::to_string(low) + " to " + std::to_string(high);
        },
        "");
}

/// For an option whose value is one of a few words.
CLI::Validator one_of(std::vector<std::string> words);
/// "'ful' is none of full|timing; did you mean 'full'?"
std::string none_of(const std::string& given, const std::vector<std::string>& words);

}  // namespace tt::cli
