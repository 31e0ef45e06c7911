// The SQL schema of a trace. docs/trace.md describes each column; a test keeps both in sync.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_kind.hpp"

namespace ttsim::impl::trace {

/// PRAGMA user_version of the file; increases when a table or view changes its meaning.
inline constexpr int schema_version = 5;
/// PRAGMA application_id, which distinguishes a trace from other databases.
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
    std::string_view index;    ///< indexed columns; "": the primary key only, or none
};
inline constexpr std::size_t table_count = 18;
extern const std::array<TableDef, table_count> tables;

struct ColumnDef {
    std::string_view name;
    std::string_view type;  ///< "INTEGER", "TEXT" or "REAL"
};
std::vector<ColumnDef> columns_of(const TableDef& table);

/// SQL that creates all tables and views.
std::string create_schema();
/// SQL that creates the indexes; faster after all rows are inserted.
std::string create_indexes();
/// INSERT with one parameter for each column.
std::string insert_sql(const TableDef& table);

}  // namespace ttsim::impl::trace
