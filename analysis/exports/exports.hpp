// Traces in the formats of other tools. What a simulator does not know is the word N/A, as in the original's files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/exports/source.hpp"

namespace ttsim::impl::report {

using Sink = std::function<void(std::string_view)>;

/// ops_perf_results.csv with the columns of version 2.1, as tt-perf-report reads it: a row per op, its time that of one
/// input, a signpost per epoch. Throws Error(Input) for chips that the tool does not know.
std::string ops_csv(ExportSource& source);

/// op_perf.csv and balancer_score.csv of the compiler, beside what the folder has.
void write_op_perf(ExportSource& source, const std::string& folder);

/// The tree perf_results/ of the backend. `shown`: where it will be, as its files name it.
void write_perf_results(ExportSource& source, const std::string& folder, const std::string& shown);

/// Times of a window, in cycles from the start of the run.
struct Window {
    std::int64_t first = 0, end = INT64_MAX;
};

/// A timeline of tt-npe, version 1.0.0. Throws Error(Input) for a trace without single transfers.
struct NpeOptions {
    std::int64_t step_cycles = 0;  ///< 0: as many as give a thousand steps
    Window window;
};
void write_npe(ExportSource& source, const NpeOptions& options, const Sink& sink);

/// db.sqlite and config.json of ttnn-visualizer, in a folder.
void write_visualizer(ExportSource& source, const std::string& folder);

/// runtime_data.yaml, netlist.yaml and temporal_epoch_N/overlay/pipegen.yaml, as the original's debugger reads them.
void write_debuda(ExportSource& source, const std::string& folder, const std::string& shown);

}  // namespace ttsim::impl::report
