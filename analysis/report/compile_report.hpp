// Report of a compilation: decisions and their results, as text and as JSON.
#pragma once

#include <optional>
#include <string>

#include "base/phase_times.hpp"
#include "compiler/files/model_files.hpp"

namespace ttsim::impl::report {

/// Cycles are estimates, per input.
struct CompileReport : ir::CompileReport {
    std::string model, device, policy, self_cut;
    std::string output;                ///< folder of the result
    bool explained = false;            ///< decisions were requested
    bool training = false;             ///< the result has a backward program
    std::string chip_path;             ///< the device, if it was given as a path; runs need it, too
    std::optional<PhaseTime> times{};  ///< with --time-passes
};

CompileReport compile_report(const ir::ModelFiles& files, const ir::CompileOptions& options, ir::CompileReport made);

/// Keeps only the decisions of ops whose full name matches the regular expression; "" matches all. Throws Error(Input)
/// for an invalid pattern, or one that matches no op.
void keep_decisions(CompileReport& report, const std::string& pattern);

/// A summary line, notes, and a table for each op with decisions.
std::string text(const CompileReport& report);
std::string json(const CompileReport& report);

}  // namespace ttsim::impl::report
