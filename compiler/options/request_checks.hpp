// Checks of option values, for the code that scripts/generate-options makes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace ttsim::impl::ir {

/// Throws Error(Input) if `value` is not in [low, high], which NaN never is.
template <class T>
void check_range(const char* option, T value, T low, T high) {
    if (!(value >= low && value <= high))
        fail_input({}, "option {} must be {} to {}, not {}", option, low, high, value);
}

/// Why `name` is no float format, with the nearest one; "" if it is one.
std::string float_format_problem(const std::string& name);
/// Throws Error(Input) unless `value` is empty or names a float format.
inline void check_float_format(const char* option, const std::string& value) {
    const std::string problem = value.empty() ? "" : float_format_problem(value);
    if (!problem.empty()) fail_input({}, "option {}: {}", option, problem);
}

/// Throws Error(Input) if `value` is none of `choices`.
inline void check_choice(const char* option, const std::string& value, const std::vector<std::string>& choices) {
    for (const std::string& choice : choices)
        if (value == choice) return;
    fail_input({}, "option {}: '{}' is not one of {}{}", option, value, fmt::format("{}", fmt::join(choices, ", ")),
               did_you_mean(value, choices));
}

/// The last part of a path: results must not depend on the folders of files.
inline std::string last_part(const std::string& path) {
    return std::filesystem::path(path).lexically_normal().filename().string();
}

}  // namespace ttsim::impl::ir
