// The tables of a trace. docs/trace.md says what each column means; a test holds the two together.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_kind.hpp"

namespace ttsim::impl::trace {

/// Changes whenever a table or view changes its meaning. PRAGMA user_version of the file.
inline constexpr int schema_version = 4;
/// PRAGMA application_id, which tells a trace from other databases.
inline constexpr std::int32_t application_id = trace_application_id;

enum class Table : std::uint8_t {
    Run,
    File,
    Parameter,
    Program,
    Chip,
    Queue,
    Op,
    Core,
    Flow,
    Epoch,
    CoreLoad,
    FlowLoad,
    FlowRun,
    Pattern,
    Route,
    FlowRoute,
    Resource,
    Number,
};

struct TableDef {
    Table table;
    std::string_view name;
    std::string_view columns;  ///< as in CREATE TABLE
    std::string_view index;    ///< columns rows are found by, "" = the primary key or none
};
inline constexpr std::size_t table_count = 18;
extern const std::array<TableDef, table_count> tables;

struct ColumnDef {
    std::string_view name;
    std::string_view type;  ///< "INTEGER", "TEXT" or "REAL"
};
std::vector<ColumnDef> columns_of(const TableDef& table);

/// Statements that make all tables and views.
std::string create_schema();
/// Statements for the indexes, cheapest once all rows are there.
std::string create_indexes();
/// INSERT with one parameter for each column.
std::string insert_sql(const TableDef& table);

}  // namespace ttsim::impl::trace
