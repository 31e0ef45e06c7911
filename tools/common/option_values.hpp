// Values of options in their form on the command line, for the code that scripts/generate-options makes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ttsim::impl::cli {

/// Splits "NAME=VALUE" at the last '='. Throws CLI::ValidationError that names `flag`.
std::pair<std::string, std::string> name_and_value(const std::string& flag, const std::string& text);

/// Values of a number by name.
struct NumberForm {
    const char* shown;  ///< what messages ask for, such as "NAME=N, such as in_x=2"
    std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
};
/// Adds NAME=N texts of an option to `numbers`. Throws CLI::ValidationError for a text of another form, a number out of
/// range, and a name that is given twice.
void set_numbers(const std::string& flag, const std::vector<std::string>& given, const NumberForm& form,
                 std::map<std::string, std::int64_t>& numbers);

/// Adds NAME=VALUE texts of an option to `values`. Throws CLI::ValidationError for a text of another form, and a name
/// that is given twice.
void set_names(const std::string& flag, const std::vector<std::string>& given,
               std::map<std::string, std::string>& values);

/// Sets `value` to the one of a word, which must be one of `words`.
template <class T>
void set_word(T& value, const std::string& word, const std::vector<std::pair<std::string, T>>& words) {
    for (const auto& [name, meant] : words)
        if (name == word) value = meant;
}

}  // namespace ttsim::impl::cli
