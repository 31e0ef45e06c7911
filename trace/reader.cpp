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

/// SQLite itself would take an empty file for an empty database and say little about others.
static const std::string& checked(const std::string& path) {
    static const std::string magic("SQLite format 3\0", 16);
    std::error_code failed;
    require_file(path);
    std::ifstream in(path, std::ios::binary);
    if (!in) fail_input({path, 0, 0}, "cannot be read");
    std::string head(32, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (!in || head.compare(0, magic.size(), magic) != 0)
        fail_input({path, 0, 0}, "is not a trace; 'ttsim run NETLIST --trace FILE.ttperf' writes one");
    // SQLite takes a cut last page for one that ends in zeros.
    const auto number = [&](std::size_t at, std::size_t bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(head[at + i]);
        return value;
    };
    const std::uint64_t page = number(16, 2) == 1 ? 65536 : number(16, 2), whole = page * number(28, 4);
    if (const std::uint64_t size = std::filesystem::file_size(path, failed); size < whole)
        fail_input({path, 0, 0}, "is cut short: it has {} of {} bytes", size, whole);
    return path;
}

Reader::Reader(const std::string& path) : database_(checked(path), path, Database::Open::Read) {
    check_kind();
    check_schema();
    check_values(database_);
    read_run();
    read_rates();
}

static std::int64_t pragma(Database& database, const std::string& name) {
    Statement query(database, "PRAGMA " + name);
    const std::int64_t value = query.step() ? query.whole(0) : 0;
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

/// What makes up a database: for each thing in it, by name, what it is and how it was made.
static std::map<std::string, std::string> things_in(Database& database) {
    Statement query(database, "SELECT name, type || ' ' || coalesce(sql, '') FROM sqlite_schema");
    std::map<std::string, std::string> things;
    while (query.step()) things[query.text(0)] = query.text(1);
    return things;
}

/// Views, triggers and virtual tables of others are programs: nothing is read before all is known to be ours.
void Reader::check_schema() {
    static const std::map<std::string, std::string> ours = [] {
        Database fresh(":memory:", "schema", Database::Open::Write);
        fresh.run(create_schema() + create_indexes());
        return things_in(fresh);
    }();
    const std::map<std::string, std::string> theirs = things_in(database_);
    for (const auto& [name, made] : theirs) {
        const auto own = ours.find(name);
        const std::string type = made.substr(0, made.find(' '));
        if (own == ours.end()) fail_input({path(), 0, 0}, "holds the {} '{}', which is no part of a trace", type, name);
        if (own->second != made)
            fail_input({path(), 0, 0}, "holds a {} '{}' that is not the one of a trace", type, name);
    }
    for (const auto& [name, made] : ours)
        if (!theirs.contains(name))
            fail_input({path(), 0, 0}, "lacks the {} '{}' of a trace", made.substr(0, made.find(' ')), name);
    database_.trust_schema();
}

std::int64_t Reader::most_repeats() {
    Statement query(database_, "SELECT count(*) FROM number");
    const std::int64_t count = query.step() ? query.whole(0) : 0;
    query.run();
    return count;
}

void Reader::read_run() {
    Statement query(database_,
                    "SELECT ttsim, command, netlist, arch, device, mode, numerics, status, message, seed, clock_mhz, "
                    "level, cycles, bucket_cycles, inputs_count FROM run");
    if (!query.step()) fail_input({path(), 0, 0}, "holds no run: its table 'run' is empty");
    std::string* const texts[] = {&run_.ttsim, &run_.command,  &run_.netlist, &run_.arch,   &run_.device,
                                  &run_.mode,  &run_.numerics, &run_.status,  &run_.message};
    int column = 0;
    for (std::string* text : texts) *text = query.text(column++);
    std::int64_t* const numbers[] = {&run_.seed, &run_.clock_mhz, &run_.level, &run_.cycles, &run_.bucket_cycles};
    for (std::int64_t* number : numbers)
        *number = query.whole(column++, number == &run_.seed ? INT64_MAX : Statement::largest);
    if (!query.null(column)) run_.inputs_count = query.whole(column);
    query.run();
}

/// Of an epoch; the sum over all stays an integer.
static constexpr std::int64_t most_inputs = std::int64_t{1} << 40;

/// Executes of each graph, in the order in which they first began.
static std::vector<GraphPace> graph_paces(Database& database) {
    Statement query(database, "SELECT graphs, inputs, start, cycles, inputs_per_second FROM epoch ORDER BY id");
    std::map<std::string, GraphPace> paces;
    while (query.step()) {
        const std::int64_t inputs = query.whole(1, most_inputs), start = query.whole(2), end = start + query.whole(3);
        const std::string graphs = query.text(0);
        for (std::size_t at = 0; at <= graphs.size();) {
            const std::size_t comma = std::min(graphs.find(',', at), graphs.size());
            GraphPace& pace = paces[graphs.substr(at, comma - at)];
            at = comma + 1;
            if (++pace.executes == 1) {
                pace.first_inputs = inputs;
                pace.start = static_cast<std::uint64_t>(start);
                pace.first_end = static_cast<std::uint64_t>(end);
            }
            pace.inputs += inputs;
            pace.last_end = std::max(pace.last_end, static_cast<std::uint64_t>(end));
            if (const double rate = query.real(4); rate > 0) pace.inputs_per_second = rate;
        }
    }
    std::vector<GraphPace> all;
    for (const auto& [name, pace] : paces) all.push_back(pace);
    return all;
}

/// Of a run that ended early they would be those of a part of it.
void Reader::read_rates() {
    if (run_.status != "complete" || run_.cycles <= 0) return;
    const std::vector<GraphPace> graphs = graph_paces(database_);
    std::int64_t inputs = 0;
    for (const GraphPace& graph : graphs) inputs = std::max(inputs, graph.inputs);
    const double hz = 1e6 * static_cast<double>(run_.clock_mhz);
    run_.inputs_per_second = steady_rate(graphs, hz);
    run_.end_to_end_per_second = end_to_end_rate(inputs, hz, static_cast<std::uint64_t>(run_.cycles));
}

}  // namespace ttsim::impl::trace
