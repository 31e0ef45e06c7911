// Traces in the formats of other tools. Values that a simulator does not have are N/A, as in the original's files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/exports/source.hpp"

namespace ttsim::impl::report {

using Sink = std::function<void(std::string_view)>;

/// ops_perf_results.csv with the columns of version 2.1, for tt-perf-report: a row per op with its time per input, and
/// a signpost per epoch. Throws Error(Input) for chips that the tool does not support.
std::string ops_csv(ExportSource& source);

/// The name of an op in that table, with its category of tt-perf-report first. The captured graphs of ttnn-visualizer
/// have the same names, by which the tool links memory and performance.
std::string op_code(const OpConfig& op, const std::string& name);

/// Writes op_perf.csv and balancer_score.csv, as the compiler does, to a folder that may have other files.
void write_op_perf(ExportSource& source, const std::string& folder);

/// Writes the folder perf_results/ of the backend. `shown`: its final path, which its files contain.
void write_perf_results(ExportSource& source, const std::string& folder, const std::string& shown);

/// A time window, in cycles from the start of the run.
struct Window {
    std::int64_t first = 0, end = INT64_MAX;
};

/// A timeline for tt-npe, version 1.0.0. Throws Error(Input) for a trace without single transfers (level 1).
struct NpeOptions {
    std::int64_t step_cycles = 0;  ///< cycles per step; 0: chosen for a thousand steps
    Window window;
};
void write_npe(ExportSource& source, const NpeOptions& options, const Sink& sink);

/// Writes db.sqlite, config.json and cluster_descriptor.yaml for ttnn-visualizer to a folder.
void write_visualizer(ExportSource& source, const std::string& folder);

/// Writes runtime_data.yaml, netlist.yaml and temporal_epoch_N/overlay/pipegen.yaml for the original's debugger.
void write_debuda(ExportSource& source, const std::string& folder, const std::string& shown);

}  // namespace ttsim::impl::report
