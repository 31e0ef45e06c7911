// The tables of db.sqlite that ttnn-visualizer opens.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

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

/// Writes a folder with db.sqlite and config.json, in place of those of an earlier report. `report`: {"config": object,
/// "tables": {table: [rows]}}. Throws Error(Input).
void write_visualizer(const std::string& folder, const nlohmann::ordered_json& report);

}  // namespace ttsim::impl::report
