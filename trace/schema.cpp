#include "trace/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ttsim::impl::trace {

const std::array<TableDef, table_count> tables{{
    {Table::Run, "run",
     "ttsim TEXT, command TEXT, netlist TEXT, arch TEXT, device TEXT, mode TEXT, numerics TEXT, seed INTEGER, "
     "inputs_count INTEGER, clock_mhz INTEGER, level INTEGER, status TEXT, message TEXT, cycles INTEGER, "
     "inputs_skipped INTEGER, bucket_cycles INTEGER, saved_bytes INTEGER",
     ""},
    {Table::File, "file", "kind TEXT, name TEXT, text TEXT", ""},
    {Table::Parameter, "parameter", "name TEXT, value INTEGER, why TEXT", ""},
    {Table::Program, "program", "id INTEGER PRIMARY KEY, name TEXT", ""},
    {Table::Chip, "chip",
     "id INTEGER PRIMARY KEY, arch TEXT, clock_mhz INTEGER, grid_x INTEGER, grid_y INTEGER, workers INTEGER, "
     "harvested_rows TEXT",
     ""},
    {Table::Queue, "queue",
     "id INTEGER PRIMARY KEY, name TEXT, type TEXT, place TEXT, chip INTEGER, entries INTEGER, format TEXT, "
     "entry_bytes INTEGER, buffers TEXT",
     ""},
    {Table::Op, "op",
     "id INTEGER PRIMARY KEY, plan INTEGER, name TEXT, type TEXT, matmul INTEGER, graph TEXT, chip INTEGER, "
     "grid_r INTEGER, grid_c INTEGER, slices INTEGER, steps INTEGER, tiles INTEGER, unpack INTEGER, math INTEGER, "
     "pack INTEGER, out_bytes INTEGER, est INTEGER, kernel INTEGER",
     "plan"},
    {Table::Core, "core", "id INTEGER PRIMARY KEY, op INTEGER, n INTEGER, x INTEGER, y INTEGER", ""},
    {Table::Flow, "flow",
     "id INTEGER PRIMARY KEY, plan INTEGER, kind TEXT, op INTEGER, operand INTEGER, from_op INTEGER, queue INTEGER, "
     "place TEXT, cores TEXT, chunks INTEGER, bytes INTEGER",
     "plan"},
    {Table::Epoch, "epoch",
     "id INTEGER PRIMARY KEY, plan INTEGER, graphs TEXT, chips TEXT, inputs INTEGER, start INTEGER, cycles INTEGER, "
     "inputs_per_second REAL, status TEXT, same_as INTEGER, epoch_type TEXT",
     ""},
    {Table::CoreLoad, "core_load",
     "epoch INTEGER, core INTEGER, inputs INTEGER, start INTEGER, end INTEGER, tiles INTEGER, steps INTEGER, "
     "math INTEGER, math_bound INTEGER, unpack_bound INTEGER, wait_source INTEGER, wait_noc INTEGER, "
     "wait_dram INTEGER, wait_room INTEGER, wait_output INTEGER, wait_dst INTEGER, wait_pack INTEGER, "
     "drain INTEGER, series TEXT",
     "epoch"},
    {Table::FlowLoad, "flow_load",
     "epoch INTEGER, flow INTEGER, chunks INTEGER, bytes INTEGER, first_sent INTEGER, last_arrival INTEGER, "
     "in_flight INTEGER, wait_source INTEGER, wait_room INTEGER, wait_block INTEGER, wait_lockstep INTEGER",
     "epoch"},
    {Table::FlowRun, "flow_run",
     "epoch INTEGER, flow INTEGER, input INTEGER, times INTEGER, every INTEGER, shift INTEGER, start INTEGER, "
     "pattern INTEGER",
     "epoch"},
    {Table::Pattern, "pattern", "id INTEGER PRIMARY KEY, events TEXT", ""},
    {Table::Route, "route",
     "id INTEGER PRIMARY KEY, chip INTEGER, noc INTEGER, from_x INTEGER, from_y INTEGER, ends TEXT, "
     "links TEXT",
     ""},
    {Table::FlowRoute, "flow_route",
     "flow INTEGER, chunk INTEGER, times INTEGER, leg INTEGER, route INTEGER, bytes INTEGER", "flow"},
    {Table::Resource, "resource",
     "id INTEGER PRIMARY KEY, kind TEXT, name TEXT, chip INTEGER, noc INTEGER, x INTEGER, y INTEGER, "
     "direction TEXT, channel INTEGER, to_chip INTEGER, bytes_per_cycle REAL, transfers INTEGER, bytes INTEGER, "
     "busy INTEGER, queueing INTEGER, buckets TEXT",
     ""},
    {Table::Number, "number", "n INTEGER PRIMARY KEY", ""},
}};

// Repeated rows are stored once (`times`, `shift`), in cycles since the start of the epoch. An epoch that repeats an
// earlier one of the same plan has no rows (`same_as`). The views expand both.
static constexpr std::string_view views = R"(
CREATE VIEW op_core AS
  SELECT e.id AS epoch, c.op AS op, l.core AS core, l.inputs, e.start + l.start AS start, e.start + l.end AS end,
         l.math_bound + l.unpack_bound AS busy, l.math_bound, l.unpack_bound, l.wait_source, l.wait_noc, l.wait_dram,
         l.wait_room, l.wait_output, l.wait_dst, l.wait_pack, l.drain, l.tiles, l.steps, l.math,
         CASE WHEN l.end > l.start THEN 1.0 * l.math / (l.end - l.start) END AS math_utilization
  FROM epoch e JOIN core_load l ON l.epoch = coalesce(e.same_as, e.id) JOIN core c ON c.id = l.core;
CREATE VIEW core_run AS
  SELECT e.id AS epoch, l.core AS core, json_extract(s.value, '$[0]') AS input,
         json_extract(s.value, '$[1]') AS times, json_extract(s.value, '$[2]') AS every,
         json_extract(s.value, '$[3]') AS shift, e.start + json_extract(s.value, '$[4]') AS start,
         json_extract(s.value, '$[5]') AS length, json_extract(s.value, '$[6]') AS to_first_unpack,
         json_extract(s.value, '$[7]') AS to_last_pack, json_extract(s.value, '$[8]') AS tiles,
         json_extract(s.value, '$[9]') AS steps, json_extract(s.value, '$[10]') AS math,
         json_extract(s.value, '$[11]') AS math_bound, json_extract(s.value, '$[12]') AS unpack_bound,
         json_extract(s.value, '$[13]') AS wait_source, json_extract(s.value, '$[14]') AS wait_noc,
         json_extract(s.value, '$[15]') AS wait_dram, json_extract(s.value, '$[16]') AS wait_room,
         json_extract(s.value, '$[17]') AS wait_output, json_extract(s.value, '$[18]') AS wait_dst,
         json_extract(s.value, '$[19]') AS wait_pack,
         json_extract(s.value, '$[20]') AS drain, json_extract(s.value, '$[21]') AS pattern
  FROM epoch e JOIN core_load l ON l.epoch = coalesce(e.same_as, e.id) JOIN json_each(l.series) s;
CREATE VIEW core_input AS
  SELECT r.epoch, r.core, r.input + n.n * r.every AS input, r.start + n.n * r.shift AS start,
         r.start + n.n * r.shift + r.length AS end, r.start + n.n * r.shift + r.to_first_unpack AS first_unpack,
         r.start + n.n * r.shift + r.to_last_pack AS last_pack, r.math_bound + r.unpack_bound AS busy, r.math_bound,
         r.unpack_bound, r.wait_source, r.wait_noc, r.wait_dram, r.wait_room, r.wait_output,
         r.wait_dst, r.wait_pack, r.drain,
         r.tiles, r.steps, r.math, CASE WHEN r.length > 0 THEN 1.0 * r.math / r.length END AS math_utilization
  FROM core_run r JOIN number n ON n.n < r.times;
CREATE VIEW step AS
  SELECT r.epoch, r.core, r.input + n.n * r.every AS input, s.key AS step,
         r.start + n.n * r.shift + json_extract(s.value, '$[0]') AS start,
         json_extract(s.value, '$[1]') AS busy, json_extract(s.value, '$[2]') AS wait_dst,
         r.start + n.n * r.shift + json_extract(s.value, '$[3]') AS packed
  FROM core_run r JOIN number n ON n.n < r.times JOIN pattern p ON p.id = r.pattern JOIN json_each(p.events) s;
CREATE VIEW transfer AS
  SELECT e.id AS epoch, r.flow AS flow, r.input + n.n * r.every AS input, s.key AS chunk,
         e.start + r.start + n.n * r.shift + json_extract(s.value, '$[0]') AS sent,
         e.start + r.start + n.n * r.shift + json_extract(s.value, '$[1]') AS arrived
  FROM epoch e JOIN flow_run r ON r.epoch = coalesce(e.same_as, e.id) JOIN number n ON n.n < r.times
  JOIN pattern p ON p.id = r.pattern JOIN json_each(p.events) s;
CREATE VIEW flow_total AS
  SELECT e.id AS epoch, f.flow AS flow, f.chunks, f.bytes, e.start + f.first_sent AS first_sent,
         e.start + f.last_arrival AS last_arrival, f.in_flight, f.wait_source, f.wait_room,
         f.wait_block, f.wait_lockstep
  FROM epoch e JOIN flow_load f ON f.epoch = coalesce(e.same_as, e.id);
CREATE VIEW load AS
  SELECT r.id AS resource, b.key AS bucket, b.key * run.bucket_cycles AS start, b.value AS busy,
         1.0 * b.value / run.bucket_cycles AS utilization
  FROM run, resource r JOIN json_each(r.buckets) b;
)";

std::vector<ColumnDef> columns_of(const TableDef& table) {
    std::vector<ColumnDef> columns;
    for (std::size_t at = 0; at < table.columns.size();) {
        const std::size_t end = std::min(table.columns.find(", ", at), table.columns.size());
        const std::string_view definition = table.columns.substr(at, end - at);
        const std::string_view type = definition.substr(definition.find(' ') + 1);  // before "PRIMARY KEY"
        columns.push_back({definition.substr(0, definition.find(' ')), type.substr(0, type.find(' '))});
        at = end + 2;
    }
    return columns;
}

std::string create_schema() {
    std::string sql =
        fmt::format("PRAGMA application_id = {};\nPRAGMA user_version = {};\n", application_id, schema_version);
    for (const TableDef& table : tables) sql += fmt::format("CREATE TABLE {} ({});\n", table.name, table.columns);
    return sql.append(views);
}

std::string create_indexes() {
    std::string sql;
    for (const TableDef& table : tables)
        if (!table.index.empty()) sql += fmt::format("CREATE INDEX {0}_index ON {0} ({1});\n", table.name, table.index);
    return sql;
}

std::string insert_sql(const TableDef& table) {
    const auto commas = std::count(table.columns.begin(), table.columns.end(), ',');
    std::string marks = "?";
    for (long i = 0; i < commas; ++i) marks += ",?";
    return fmt::format("INSERT INTO {} VALUES ({})", table.name, marks);
}

}  // namespace ttsim::impl::trace
