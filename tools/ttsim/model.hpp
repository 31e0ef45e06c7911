// Flags and execution of 'ttsim run' for a compiled model.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "analysis/report/model_report.hpp"
#include "tools/common/outputs.hpp"

namespace ttsim::impl::cli {

struct ModelFlags {
    std::vector<std::string> inputs;     ///< "NAME=FILE"
    std::vector<std::string> feed_back;  ///< "OUTPUT=INPUT"
    ir::ModelRunOptions options;
};
void add_model_flags(CLI::App& command, ModelFlags& flags, Outputs& outputs);
/// Throws CLI::ValidationError if one is given: they apply to compiled models only.
void refuse_model_flags(const ModelFlags& flags);

/// Runs the model's netlist between the host steps.
using DeviceRun = std::function<sim::RunReport(const sim::RunOptions&)>;
/// `options.netlist` is the folder or the image.
report::ModelReport run_compiled(const ModelFlags& flags, const sim::RunOptions& options,
                                 const DeviceRun& run = sim::run);

}  // namespace ttsim::impl::cli
