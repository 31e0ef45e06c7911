// Parses command lines and reports wrong ones, the same way in every tool.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ttsim::impl::cli {

/// Parses the command line. Returns nullopt if the tool should go on, else its exit code. For an unknown word the
/// message suggests the nearest valid one.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv);

/// Adds --color auto|always|never to every command. Call it after all subcommands were added.
void add_colour_flag(CLI::App& app);

/// "'7' is not a number from 0 to 2", "'0' is not a number of 1 or more". The largest value of a type is not an upper
/// bound.
template <class T>
std::string out_of_range(const std::string& given, T low, T high) {
    const bool open = high == std::numeric_limits<T>::max() || high == std::numeric_limits<T>::infinity();
    const std::string kind = std::is_integral_v<T> ? "an integer" : "a number";
    return open ? fmt::format("'{}' is not {} of {} or more", given, kind, low)
                : fmt::format("'{}' is not {} from {} to {}", given, kind, low, high);
}

/// For an option whose value is a number from `low` to `high`; no NaN, and no infinity unless a bound.
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

/// For an option whose value is one of a few words. The validator has them as its name, separated by "|", for
/// completion.
CLI::Validator one_of(std::vector<std::string> words);
/// "'ful' is not one of full|timing; did you mean 'full'?"
std::string none_of(const std::string& given, const std::vector<std::string>& words);

}  // namespace ttsim::impl::cli
