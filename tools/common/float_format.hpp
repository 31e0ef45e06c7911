// The check of options whose value is a float format.
#pragma once

#include <CLI/CLI.hpp>

#include "compiler/options/request_checks.hpp"

namespace ttsim::impl::cli {

inline CLI::Validator float_format() {
    return CLI::Validator([](const std::string& given) { return ir::float_format_problem(given); }, "");
}

}  // namespace ttsim::impl::cli
