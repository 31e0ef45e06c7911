// Execution of 'ttsim run' for a compiled model.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "analysis/report/model_report.hpp"

namespace ttsim::impl::cli {

/// Runs the model's netlist between the host steps.
using DeviceRun = std::function<sim::RunReport(const sim::RunOptions&)>;
/// `options.netlist` is the folder or the image. `given`: what the command line sets.
report::ModelReport run_compiled(const ir::ModelRunValues& given, const sim::RunOptions& options,
                                 const DeviceRun& run = sim::run);

}  // namespace ttsim::impl::cli
