// Checks of options of a compilation, for the code that scripts/generate-options makes.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace ttsim::impl::ir {

/// Why `name` is not a float format, with the nearest one; "" if it is one.
std::string float_format_problem(const std::string& name);
/// Throws Error(Input) unless `value` is empty or names a float format.
inline void check_float_format(const char* option, const std::string& value) {
    const std::string problem = value.empty() ? "" : float_format_problem(value);
    if (!problem.empty()) fail_input({}, "option {}: {}", option, problem);
}

/// The last part of a path: results must not depend on the folders of files.
inline std::string last_part(const std::string& path) {
    return std::filesystem::path(path).lexically_normal().filename().string();
}

}  // namespace ttsim::impl::ir
