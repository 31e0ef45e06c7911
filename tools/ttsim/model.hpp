// ttsim run of a compiled model: its flags, the run, and its part of the report.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "compiler/host/model_run.hpp"
#include "sim/run.hpp"
#include "tools/common/outputs.hpp"

namespace tt::cli {

struct ModelFlags {
    std::vector<std::string> inputs;  ///< "NAME=FILE"
    ir::ModelRunOptions options;
};
void add_model_flags(CLI::App& command, ModelFlags& flags, Outputs& outputs);
/// Throws CLI::ValidationError when one is given: they are for compiled models only.
void refuse_model_flags(const ModelFlags& flags);

struct ModelReport {
    sim::RunReport device;
    ir::ModelRunReport model;
};
/// `options.netlist` is the folder.
ModelReport run_compiled(const ModelFlags& flags, const sim::RunOptions& options);

/// Host steps and outputs: element type, range, first datums, and how they compare.
std::string model_text(const ModelReport& report);
/// The device's report with the key "model" added.
std::string model_json(const ModelReport& report);

}  // namespace tt::cli
