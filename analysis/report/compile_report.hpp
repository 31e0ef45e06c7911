// What a compilation says: what was decided for which device, as text and as JSON.
#pragma once

#include <string>

#include "compiler/files/model_files.hpp"

namespace ttsim::impl::report {

/// Cycles are estimated ones, per input.
struct CompileReport : ir::CompileReport {
    std::string model, device, policy, self_cut;
    std::string output;      ///< folder of the result
    bool explained = false;  ///< decisions were asked for
};

CompileReport compile_report(const ir::ModelFiles& files, const ir::CompileOptions& options, ir::CompileReport made);

/// Leaves the decisions of ops whose name the pattern matches in full; "" matches all. Throws Error(Input) for a bad
/// pattern, or one that matches no op.
void keep_decisions(CompileReport& report, const std::string& pattern);

/// A line for the whole, notes, and a table for each op that was decided.
std::string text(const CompileReport& report);
std::string json(const CompileReport& report);

}  // namespace ttsim::impl::report
