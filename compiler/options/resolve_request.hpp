// From the options of a user to those of the compiler.
#pragma once

#include <string>

#include "compiler/options/compile_options.hpp"
#include "generated/compile_request.hpp"

namespace ttsim::impl::ir {

/// Where YAML texts of a request came from, for messages.
struct RequestSources {
    std::string format_rules = "format_rules", overrides = "overrides";
};

/// Words become values, YAML texts rules and overrides. The caller adds what needs the simulator (`simulate`, the
/// functions of `target`) and `inputs`.
/// Throws Error(Input) for values out of range, unknown words and formats, YAML that does not fit, and options that
/// exclude each other.
CompileOptions resolve_request(const CompileRequest& request, const RequestSources& sources = {});

}  // namespace ttsim::impl::ir
