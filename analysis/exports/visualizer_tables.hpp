// The tables of db.sqlite that ttnn-visualizer opens.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "netlist/device/device.hpp"
#include "trace/database.hpp"

namespace ttsim::impl::report {

/// A new database with all tables.
class VisualizerTables {
public:
    /// Throws Error(Input) for a file that cannot be written or has such tables.
    explicit VisualizerTables(const std::string& file);
    /// Inserts a row of numbers, texts and nulls. Throws Error(Input) for a table that does not exist, and for a row of
    /// another length.
    void insert(const std::string& table, const nlohmann::ordered_json& row);
    void close();  ///< completes the file

private:
    trace::Database database_;
    std::map<std::string, std::unique_ptr<trace::Statement>> inserts_;
};

/// The captured graph of an operation that launches one op of the device, by its name in ops_perf_results.csv.
std::string captured_graph(const std::string& device_operation, std::size_t inputs);

/// Writes cluster_descriptor.yaml, with the chips of a machine and their links.
void write_cluster(const std::string& folder, const Machine& machine);

/// Writes a folder with db.sqlite, config.json and cluster_descriptor.yaml, in place of those of an earlier report.
/// `report`: {"config": {"arch": chip, "device": product, ...}, "tables": {table: [rows]}, "device_operations":
/// [[operation id, name in ops_perf_results.csv, inputs]]}. Throws Error(Input).
void write_visualizer(const std::string& folder, const nlohmann::ordered_json& report);

}  // namespace ttsim::impl::report
