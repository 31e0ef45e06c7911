// What ttsim compile says of a compilation, as text and as JSON.
#pragma once

#include <string>

#include "compiler/model_files.hpp"

namespace tt::cli {

/// Decisions of the ops whose name the pattern matches in full; all when it is empty. Throws Error(Input) for a bad
/// pattern, or one that matches no op.
std::vector<ir::Decision> chosen_decisions(const std::vector<ir::Decision>& all, const std::string& pattern);

/// One table for each op.
std::string decisions_text(const std::vector<ir::Decision>& decisions);

std::string compile_json(const ir::ModelFiles& files, const ir::CompileOptions& options,
                         const ir::CompileReport& report, const std::vector<ir::Decision>& decisions);

}  // namespace tt::cli
