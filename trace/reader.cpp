#include "trace/reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/figures.hpp"
#include "base/read_file.hpp"
#include "trace/check_values.hpp"
#include "trace/schema.hpp"

namespace ttsim::impl::trace {

/// Checks the header. SQLite accepts an empty file as an empty database and reports little about other files.
static const std::string& check_header(const std::string& path) {
    static const std::string magic("SQLite format 3\0", 16);
    std::error_code failed;
    require_file(path);
    std::ifstream in(path, std::ios::binary);
    if (!in) fail_input({path, 0, 0}, "cannot be read");
    std::string head(32, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (!in || head.compare(0, magic.size(), magic) != 0)
        fail_input({path, 0, 0}, "is not a trace; 'ttsim run NETLIST --trace FILE.ttperf' writes one");
    // SQLite reads a truncated last page as if zeros followed.
    const auto number = [&](std::size_t at, std::size_t bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(head[at + i]);
        return value;
    };
    const std::uint64_t page = number(16, 2) == 1 ? 65536 : number(16, 2), expected_size = page * number(28, 4);
    if (const std::uint64_t size = std::filesystem::file_size(path, failed); size < expected_size)
        fail_input({path, 0, 0}, "is cut short: it has {} of {} bytes", size, expected_size);
    return path;
}

Reader::Reader(const std::string& path) : database_(check_header(path), path, Database::Open::Read) {
    check_kind();
    check_schema();
    check_values(database_);
    read_run();
    read_rates();
}

static std::int64_t pragma(Database& database, const std::string& name) {
    Statement query(database, "PRAGMA " + name);
    const std::int64_t value = query.step() ? query.integer(0) : 0;
    query.run();
    return value;
}

void Reader::check_kind() {
    if (pragma(database_, "application_id") != application_id)
        fail_input({path(), 0, 0}, "is a database but not a trace of ttsim");
    const std::int64_t version = pragma(database_, "user_version");
    if (version != schema_version)
        fail_input({path(), 0, 0},
                   "is a trace of version {}; this program reads version {}: record the run again, or read it with the "
                   "ttsim that wrote it",
                   version, schema_version);
}

/// All schema objects (tables, views, indexes, triggers) by name, with type and SQL.
static std::map<std::string, std::string> schema_objects(Database& database) {
    Statement query(database, "SELECT name, type || ' ' || coalesce(sql, '') FROM sqlite_schema");
    std::map<std::string, std::string> objects;
    while (query.step()) objects[query.text(0)] = query.text(1);
    return objects;
}

/// Foreign views, triggers and virtual tables can execute code, so the schema must match exactly before anything is
/// read.
void Reader::check_schema() {
    static const std::map<std::string, std::string> ours = [] {
        Database fresh(":memory:", "schema", Database::Open::Write);
        fresh.run(create_schema() + create_indexes());
        return schema_objects(fresh);
    }();
    const std::map<std::string, std::string> theirs = schema_objects(database_);
    for (const auto& [name, definition] : theirs) {
        const auto own = ours.find(name);
        const std::string type = definition.substr(0, definition.find(' '));
        if (own == ours.end())
            fail_input({path(), 0, 0}, "holds the {} '{}', which is not part of a trace", type, name);
        if (own->second != definition)
            fail_input({path(), 0, 0}, "holds a {} '{}' that is not the one of a trace", type, name);
    }
    for (const auto& [name, definition] : ours)
        if (!theirs.contains(name))
            fail_input({path(), 0, 0}, "lacks the {} '{}' of a trace", definition.substr(0, definition.find(' ')),
                       name);
    database_.trust_schema();
}

std::int64_t Reader::most_repeats() {
    Statement query(database_, "SELECT count(*) FROM number");
    const std::int64_t count = query.step() ? query.integer(0) : 0;
    query.run();
    return count;
}

void Reader::read_run() {
    Statement query(database_,
                    "SELECT ttsim, command, netlist, arch, device, mode, numerics, status, message, seed, clock_mhz, "
                    "level, cycles, bucket_cycles, inputs_count, saved_bytes FROM run");
    if (!query.step()) fail_input({path(), 0, 0}, "holds no run: its table 'run' is empty");
    std::string* const texts[] = {&run_.ttsim, &run_.command,  &run_.netlist, &run_.arch,   &run_.device,
                                  &run_.mode,  &run_.numerics, &run_.status,  &run_.message};
    int column = 0;
    for (std::string* text : texts) *text = query.text(column++);
    std::int64_t* const numbers[] = {&run_.seed, &run_.clock_mhz, &run_.level, &run_.cycles, &run_.bucket_cycles};
    for (std::int64_t* number : numbers)
        *number = query.integer(column++, number == &run_.seed ? INT64_MAX : Statement::largest);
    if (!query.null(column)) run_.inputs_count = query.integer(column);
    run_.saved_bytes = query.integer(column + 1);
    query.run();
}

/// Maximum inputs of an epoch; keeps the sum over all epochs within 64 bits.
static constexpr std::int64_t max_inputs = std::int64_t{1} << 40;

/// Totals of the executes of each graph.
static std::vector<GraphExecutes> graph_executes(Database& database) {
    Statement query(database, "SELECT graphs, inputs, start, cycles, inputs_per_second FROM epoch ORDER BY id");
    std::map<std::string, GraphExecutes> by_name;
    while (query.step()) {
        const std::int64_t inputs = query.integer(1, max_inputs), start = query.integer(2),
                           end = start + query.integer(3);
        const std::string graphs = query.text(0);
        for (std::size_t at = 0; at <= graphs.size();) {
            const std::size_t comma = std::min(graphs.find(',', at), graphs.size());
            GraphExecutes& executes_of_graph = by_name[graphs.substr(at, comma - at)];
            at = comma + 1;
            if (++executes_of_graph.executes == 1) {
                executes_of_graph.first_inputs = inputs;
                executes_of_graph.start = static_cast<std::uint64_t>(start);
                executes_of_graph.first_end = static_cast<std::uint64_t>(end);
            }
            executes_of_graph.inputs += inputs;
            executes_of_graph.last_end = std::max(executes_of_graph.last_end, static_cast<std::uint64_t>(end));
            if (const double rate = query.real(4); rate > 0) executes_of_graph.inputs_per_second = rate;
        }
    }
    std::vector<GraphExecutes> all;
    for (const auto& [name, executes_of_graph] : by_name) all.push_back(executes_of_graph);
    return all;
}

/// Computes the rates. For an incomplete run they stay 0, since they would describe a part of it only.
void Reader::read_rates() {
    if (run_.status != "complete" || run_.cycles <= 0) return;
    const std::vector<GraphExecutes> graphs = graph_executes(database_);
    std::int64_t inputs = 0;
    for (const GraphExecutes& graph : graphs) inputs = std::max(inputs, graph.inputs);
    const double hz = 1e6 * static_cast<double>(run_.clock_mhz);
    run_.inputs_per_second = steady_rate(graphs, hz);
    run_.rate_of_loop = is_loop_rate(graphs);
    run_.end_to_end_per_second = end_to_end_rate(inputs, hz, static_cast<std::uint64_t>(run_.cycles));
}

}  // namespace ttsim::impl::trace
