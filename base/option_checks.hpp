// Checks of option values, for the code that scripts/generate-options makes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace ttsim::impl {

/// Throws Error(Input) if `value` is not in [low, high], which NaN never is.
template <class T>
void check_range(const char* option, T value, T low, T high) {
    if (!(value >= low && value <= high))
        fail_input({}, "option {} must be {} to {}, not {}", option, low, high, value);
}

/// Throws Error(Input) if `value` is none of `choices`.
inline void check_choice(const char* option, const std::string& value, const std::vector<std::string>& choices) {
    for (const std::string& choice : choices)
        if (value == choice) return;
    fail_input({}, "option {}: '{}' is not one of {}{}", option, value, fmt::format("{}", fmt::join(choices, ", ")),
               did_you_mean(value, choices));
}

}  // namespace ttsim::impl
