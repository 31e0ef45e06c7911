// The parts of perf_results/, each in its own source file.
#pragma once

#include <map>
#include <nlohmann/json.hpp>

#include "analysis/exports/measures.hpp"

namespace ttsim::impl::report {

using Json = nlohmann::ordered_json;

/// One graph of a launch, which the original calls an epoch.
struct GraphRun {
    std::string graph, program;
    std::int64_t epoch = 0, program_id = 0, local_id = 0, chip = 0, mhz = 0;
    std::vector<const OpMeasure*> ops;  ///< ops with cores that ran
    std::string folder() const;         ///< "device/0000_main/0002_fwd_0"
};

/// Times over all cores of a graph.
struct GraphTimes {
    std::int64_t first_input = 0, last_input = 0, first_unpack = 0;
    std::map<std::int64_t, std::pair<std::int64_t, std::string>> last_pack;      ///< by input: latest cycle, core
    std::map<std::int64_t, std::pair<std::int64_t, std::string>> first_unpacks;  ///< by input: earliest cycle, core
    std::optional<double> cycles_per_input;
    std::int64_t total_runtime() const { return last_pack.at(last_input).first - first_unpack; }
};
std::optional<GraphTimes> graph_times(const GraphRun& run);  ///< no value: no core ran

Json not_known();  ///< "N/A"
Json known_or_not(const std::optional<double>& value);
std::optional<double> per_second(const std::optional<double>& cycles, std::int64_t mhz);
/// Bytes per cycle as GB/s.
std::optional<double> gigabytes(const std::optional<double>& bytes_per_cycle, std::int64_t mhz);
std::string core_name(const CoreMeasure& core);                     ///< "3-1"
std::string core_label(const CoreMeasure& core, const OpMeasure&);  ///< "3-1-gelu"
std::string two_digits(const Json& value);                          ///< text of a table cell; floats with two decimals

Json per_epoch_events(const GraphRun& run);
/// runtime_table.json, .csv, .txt and op_perf_table.json.
void write_runtime_tables(const GraphRun& run, const std::string& folder);
/// perf_postprocess.json.
void write_events(const GraphRun& run, const std::string& folder);
/// analyzer_results/<graph>/ and analyzer_summary.
void write_analyzer_results(const std::vector<GraphRun>& runs, const std::string& folder);
/// graph_descriptor/, queue_descriptor/, metadata/.
void write_descriptors(ExportSource& source, const std::string& folder);

/// A CSV line in the original's form, with a leading and a trailing comma.
std::string outer_comma_line(const std::vector<std::string>& cells);
/// Writes a table as CSV and as text. `outer_commas`: leading and trailing commas in the CSV rows, as in the original.
void write_table(const std::string& folder, const std::string& name, const std::vector<std::string>& titles,
                 const std::vector<std::vector<std::string>>& rows, bool outer_commas);

}  // namespace ttsim::impl::report
