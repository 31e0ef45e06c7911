#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

#include "analysis/trace/analysis.hpp"
#include "sim/machine/probe.hpp"
#include "tests/netlist/temp_folder.hpp"
#include "tests/sim/chip_loops.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/random_netlist.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;
using ttsim::impl::trace::Database;
using ttsim::impl::trace::Statement;

namespace {

/// x and w from DRAM through three ops on nine cores, re-cut on the way; x has two readers.
std::string three_ops(int inputs, int loops) {
    NetlistText n;
    const Cut four{.grid_r = 2, .grid_c = 1, .m = 1, .n = 2, .rt = 1, .ct = 2};
    n.queue({.name = "x", .cut = {.m = 2, .n = 2, .rt = 1, .ct = 2}, .entries = 2 * inputs});
    n.queue({.name = "w", .cut = {.m = 1, .n = 4, .rt = 2, .ct = 1}, .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "product", .cut = four, .entries = 2 * inputs});
    n.graph("g", inputs);
    n.op({.name = "sum", .type = "add", .inputs = {"x", "w"}, .cut = four});
    n.op({.name = "grown",
          .type = "exp",
          .inputs = {"x"},
          .cut = {.grid_c = 4, .m = 2, .n = 1},
          .row = 2,
          .order = "c"});
    n.op({.name = "product", .type = "multiply", .inputs = {"sum", "grown"}, .cut = four, .col = 1});
    n.program("p", looped(loops, {execute("g", {fifo("x"), ram("w", true)})}, inputs, 2 * 2 * inputs));
    return n.text();
}

/// Three ops behind each other; soon every input is like the one before.
std::string chain(int inputs, int loops) {
    NetlistText n;
    const Cut cut{.m = 2, .n = 2, .rt = 1, .ct = 2};
    n.queue({.name = "x", .cut = cut, .entries = inputs});
    n.queue({.name = "y", .input = "last", .cut = cut, .entries = inputs});
    n.graph("g", inputs);
    n.op({.name = "first", .type = "exp", .inputs = {"x"}, .cut = cut});
    n.op({.name = "second", .type = "add", .inputs = {"first", "x"}, .cut = cut, .col = 1});
    n.op({.name = "last", .type = "gelu", .inputs = {"second"}, .cut = cut, .col = 2});
    n.program("p", looped(loops, {execute("g", {fifo("x")})}, inputs, 2 * inputs));
    return n.text();
}

sim::RunOptions traced(const std::string& name, int level = 1) {
    sim::RunOptions options;
    options.trace.file = (temp_folder() / name).string();
    options.trace.level = level;
    return options;
}

/// The numbers of a query's rows, one after the other.
std::vector<std::int64_t> numbers(const std::string& trace, const std::string& sql, int columns = 1) {
    Database database(trace, trace, Database::Open::Read);
    database.trust_schema();
    Statement query(database, sql);
    std::vector<std::int64_t> all;
    while (query.step())
        for (int i = 0; i < columns; ++i) all.push_back(query.integer(i));
    return all;
}
std::int64_t number(const std::string& trace, const std::string& sql) { return numbers(trace, sql).at(0); }

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

constexpr auto unaccounted =
    " WHERE busy + wait_source + wait_noc + wait_dram + wait_room + wait_output + wait_dst + wait_pack + drain != end "
    "- start";

void check_against_report(const std::string& trace, const sim::RunReport& report) {
    CHECK(number(trace, "SELECT cycles FROM run") == static_cast<std::int64_t>(report.cycles));
    for (const sim::GraphReport& graph : report.graphs)
        for (const sim::OpReport& op : graph.ops) {
            INFO(op.name);
            const std::string of_op = " FROM op_core c JOIN op o ON o.id = c.op WHERE o.name = '" + op.name + "'";
            CHECK(number(trace, "SELECT sum(c.tiles)" + of_op) == op.tiles);
            CHECK(number(trace, "SELECT min(c.start)" + of_op) == static_cast<std::int64_t>(op.first_cycle));
            CHECK(number(trace, "SELECT max(c.end)" + of_op) == static_cast<std::int64_t>(op.last_cycle));
            CHECK(number(trace, "SELECT sum(busy) FROM (SELECT max(c.busy + c.wait_dst) AS busy" + of_op +
                                    " GROUP BY c.epoch)") == static_cast<std::int64_t>(op.busy_cycles));
        }
    for (const sim::GraphReport& graph : report.graphs)
        CHECK(number(trace, "SELECT sum(cycles) FROM epoch WHERE instr(',' || graphs || ',', '," + graph.name +
                                ",')") == static_cast<std::int64_t>(graph.cycles));
    CHECK(number(trace, std::string("SELECT count(*) FROM op_core") + unaccounted) == 0);
    CHECK(number(trace, std::string("SELECT count(*) FROM core_input") + unaccounted) == 0);
    CHECK(number(trace,
                 "SELECT count(*) FROM (SELECT start, lag(end) OVER (PARTITION BY epoch, core ORDER BY input) AS "
                 "before FROM core_input) WHERE start != before") == 0);
    CHECK(number(trace,
                 "SELECT count(*) FROM core_input WHERE first_unpack < start OR last_pack > "
                 "(SELECT cycles FROM run) OR math > end - start") == 0);
    CHECK(numbers(trace, "SELECT sum(tiles), sum(busy), sum(math), sum(steps) FROM core_input", 4) ==
          numbers(trace, "SELECT sum(tiles), sum(busy), sum(math), sum(steps) FROM op_core", 4));
}

}  // namespace

TEST_CASE("the sums of a trace equal those of the report, and every cycle of a core is accounted for") {
    for (const sim::Mode mode : {sim::Mode::Full, sim::Mode::Timing}) {
        const sim::RunOptions options = traced("sums.ttperf");
        const Outcome run = run_text(three_ops(4, 2), mode, options);
        REQUIRE(run.error.empty());
        check_against_report(options.trace.file, run.report);
        CHECK(number(options.trace.file, "SELECT count(*) FROM core_input") == 2 * 4 * 8);
    }
}

TEST_CASE("traces of random netlists account for every cycle and agree with the report") {
    int traces = 0;
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        INFO("seed " << seed);
        const sim::RunOptions options = traced("random.ttperf", 2);
        const RandomNetlist netlist = random_netlist(seed, seed % 2 == 0);
        const Outcome run = run_text(netlist.text, sim::Mode::Timing, options);
        if ((netlist.may_hang && run.exit_code == 3) || run.exit_code == 2) continue;  // too large for its chip
        ++traces;
        REQUIRE(run.error == "");
        check_against_report(options.trace.file, run.report);
    }
    CHECK(traces >= 5);
}

TEST_CASE("tracing does not change the report") {
    const std::string text = three_ops(4, 2);
    const Outcome plain = run_text(text, sim::Mode::Timing);
    for (const int level : {1, 2}) {
        const Outcome with = run_text(text, sim::Mode::Timing, traced("same.ttperf", level));
        CHECK(with.report.cycles == plain.report.cycles);
        CHECK(with.report.graphs.at(0).ops.at(2).busy_cycles == plain.report.graphs.at(0).ops.at(2).busy_cycles);
    }
}

TEST_CASE("the DRAM traffic of flows equals that of the channels") {
    const sim::RunOptions options = traced("bytes.ttperf");
    REQUIRE(run_text(three_ops(4, 1), sim::Mode::Timing, options).error.empty());
    const std::int64_t flows = number(options.trace.file,
                                      "SELECT sum(t.bytes) FROM flow_total t JOIN flow f ON f.id = t.flow WHERE "
                                      "f.place = 'dram'");
    CHECK(flows > 0);
    // The host pops the entries of y; what it pushed before the run was there at once.
    CHECK(number(options.trace.file, "SELECT sum(bytes) FROM resource WHERE kind = 'dram'") ==
          flows + number(options.trace.file, "SELECT sum(bytes) FROM resource WHERE kind = 'pcie'"));
    CHECK(number(options.trace.file,
                 "SELECT count(*) FROM (SELECT r.busy, sum(l.busy) AS sum FROM resource r JOIN load l "
                 "ON l.resource = r.id GROUP BY r.id) WHERE busy != sum") == 0);
    CHECK(number(options.trace.file, "SELECT count(*) FROM load WHERE utilization > 1") == 0);
    CHECK(number(options.trace.file, "SELECT count(*) FROM load WHERE bucket >= 128") == 0);
}

TEST_CASE("steps and transfers of level 2 add up to those of level 1") {
    const sim::RunOptions options = traced("events.ttperf", 2);
    const std::string& trace = options.trace.file;
    REQUIRE(run_text(three_ops(4, 2), sim::Mode::Timing, options).error.empty());
    CHECK(number(trace, "SELECT count(*) FROM step") > 0);
    CHECK(numbers(trace, "SELECT epoch, core, count(*), sum(busy), sum(wait_dst), max(packed) FROM step GROUP BY 1, 2",
                  6) == numbers(trace, "SELECT epoch, core, steps, busy, wait_dst, end FROM op_core ORDER BY 1, 2", 6));
    CHECK(numbers(
              trace,
              "SELECT epoch, flow, count(*), min(sent), max(arrived), sum(arrived - sent) FROM transfer GROUP BY 1, 2",
              6) == numbers(trace,
                            "SELECT epoch, flow, chunks, first_sent, last_arrival, in_flight FROM flow_total "
                            "ORDER BY 1, 2",
                            6));
}

TEST_CASE("a trace is the same, byte by byte, for any number of threads") {
    std::vector<std::string> files;
    for (const unsigned threads : {1U, 3U}) {
        sim::RunOptions options = traced("threads.ttperf", 2);
        options.netlist = write_temp("threads.yaml", three_ops(3, 2));
        options.threads = threads;
        sim::run(options);
        files.push_back(bytes_of(options.trace.file));
    }
    CHECK(files[0].size() > 10000);
    CHECK((files[0] == files[1]));
}

TEST_CASE("inputs and epochs that are skipped are in the trace as if simulated") {
    for (const auto& [text, skips] :
         {std::pair(chain(400, 1), 300), std::pair(chain(5, 40), 100), std::pair(three_ops(16, 6), 0),
          std::pair(separate_chips(2, 200, 4), 200), std::pair(chain_over_chips(3, 200, 12, 3), 900)}) {
        std::vector<std::vector<std::int64_t>> seen[2];
        std::int64_t skipped = 0;
        for (const bool extrapolate : {true, false}) {
            sim::RunOptions options = traced("skipped.ttperf", 2);
            options.extrapolate = extrapolate;
            const Outcome run = run_text(text, sim::Mode::Timing, options);
            REQUIRE(run.error.empty());
            check_against_report(options.trace.file, run.report);
            if (extrapolate) skipped = run.report.inputs_skipped;
            const std::string& trace = options.trace.file;
            auto& all = seen[extrapolate ? 0 : 1];
            all.push_back(numbers(trace, "SELECT id, inputs, start, cycles FROM epoch ORDER BY id", 4));
            all.push_back(numbers(trace, "SELECT * FROM core_input ORDER BY epoch, core, input", 21));
            all.push_back(numbers(trace, "SELECT * FROM step ORDER BY epoch, core, input, step", 8));
            all.push_back(numbers(trace, "SELECT * FROM transfer ORDER BY epoch, flow, input, chunk", 6));
            all.push_back(numbers(trace, "SELECT * FROM flow_total ORDER BY epoch, flow", 11));
            all.push_back(numbers(trace, "SELECT id, transfers, bytes, busy, queueing FROM resource ORDER BY id", 5));
        }
        CHECK(skipped >= skips);
        for (std::size_t i = 0; i < seen[0].size(); ++i) {
            INFO("query " << i << ", skipped " << skipped);
            CHECK((seen[0][i] == seen[1][i]));
        }
    }
}

TEST_CASE("a run that hangs leaves a trace up to the hang") {
    const sim::RunOptions options = traced("hang.ttperf");
    const Outcome run = run_text(fork_and_join(2), sim::Mode::Timing, options);
    REQUIRE(run.exit_code == 3);
    CHECK(run.error.find(options.trace.file + ": contains the run so far") != std::string::npos);
    trace::Reader reader(options.trace.file);
    CHECK(reader.run().status == "hang");
    CHECK(reader.run().message.find("nothing can move") == 0);
    CHECK(number(options.trace.file, "SELECT sum(tiles) FROM op_core") > 0);
    CHECK(number(options.trace.file, std::string("SELECT count(*) FROM op_core") + unaccounted) == 0);
    CHECK(trace::epochs(reader).at(0).status == "hang");
}

TEST_CASE("a trace that cannot be written is refused before the run") {
    sim::RunOptions options;
    options.trace.file = (temp_folder() / "no_folder/a.ttperf").string();
    const Outcome run = run_text(three_ops(1, 1), sim::Mode::Timing, options);
    CHECK(run.exit_code == 2);
    CHECK(run.error == options.trace.file + ": error: cannot be written: No such file or directory");
    options.trace.file = (temp_folder() / "functional.ttperf").string();
    CHECK(run_text(three_ops(1, 1), sim::Mode::Functional, options).error ==
          options.trace.file + ": error: cannot be written: functional mode has no clock; use full or timing");
    CHECK_FALSE(std::filesystem::exists(options.trace.file));
}

// --- the counters themselves ---------------------------------------------------------------------------------------

namespace {

struct Row {
    std::int64_t input = 0;
    sim::Cycle start = 0, length = 0;
    bool same_as(const Row& other) const { return length == other.length; }
    void move_by(sim::Cycle cycles) { start += cycles; }
    friend bool operator==(const Row&, const Row&) = default;
};

std::vector<Row> expanded(const sim::Series<Row>& series) {
    std::vector<Row> rows;
    for (const auto& repeated : series.rows())
        for (std::int64_t n = 0; n < repeated.times; ++n) {
            Row row = repeated.row;
            row.input += n * repeated.every;
            row.start = repeated.start(n);
            rows.push_back(row);
        }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.input < b.input; });
    return rows;
}

}  // namespace

TEST_CASE("a series holds the appended values, however they repeat") {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        sim::Series<Row> series;
        std::vector<Row> rows;
        sim::Cycle start = random() % 100;
        const auto append = [&](sim::Cycle length) {
            Row row{static_cast<std::int64_t>(rows.size()), start, length};
            start += length;
            rows.push_back(row);
            series.append(std::move(row));
        };
        for (int part = 0; part < 4; ++part) {
            const std::size_t period = 1 + random() % 10, count = random() % 40;
            std::vector<sim::Cycle> lengths;
            for (std::size_t i = 0; i < period; ++i) lengths.push_back(1 + random() % 3);
            for (std::size_t i = 0; i < count; ++i) append(lengths[i % period]);
        }
        series.close();
        CHECK((expanded(series) == rows));
    }
}

TEST_CASE("a series that is repeated goes on as if the rows had been appended") {
    std::mt19937 random(6);
    for (int round = 0; round < 300; ++round) {
        sim::Series<Row> series;
        std::vector<Row> rows;
        sim::Cycle start = 0;
        const auto append = [&](sim::Cycle length) {
            Row row{static_cast<std::int64_t>(rows.size()), start, length};
            start += length;
            rows.push_back(row);
            series.append(std::move(row));
        };
        const std::size_t period = 1 + random() % 11, before = period + random() % 40;
        std::vector<sim::Cycle> lengths;
        for (std::size_t i = 0; i < period; ++i) lengths.push_back(1 + random() % 4);
        for (std::size_t i = 0; i < random() % 5; ++i) append(7);
        for (std::size_t i = 0; i < before; ++i) append(lengths[i % period]);
        const sim::Cycle cycles = std::accumulate(lengths.begin(), lengths.end(), sim::Cycle{0});
        sim::Snapshot from, to;
        to.now = cycles;
        const std::uint64_t periods = 1 + random() % 5;
        series.repeat(period, sim::StateWalk(from, to, periods));
        for (std::uint64_t n = 0; n < periods * period; ++n) {
            const sim::Cycle length = rows[rows.size() - period].length;
            rows.push_back({static_cast<std::int64_t>(rows.size()), start, length});
            start += length;
        }
        for (std::size_t i = 0; i < random() % 30; ++i) append(rows[rows.size() - period].length);
        append(9);
        series.close();
        CHECK((expanded(series) == rows));
    }
}

TEST_CASE("a load keeps every busy cycle in the bucket it falls into") {
    std::mt19937 random(7);
    sim::Load load;
    std::vector<bool> busy(3'000'000);
    sim::Cycle free = 0;
    for (int n = 0; n < 2000; ++n) {
        const sim::Cycle start = free + random() % 1000, length = random() % 500;
        std::fill(busy.begin() + static_cast<std::ptrdiff_t>(start),
                  busy.begin() + static_cast<std::ptrdiff_t>(start + length), true);
        load.add(start, length, 32 * length, 3);
        free = start + length;
    }
    CHECK(load.transfers == 2000);
    CHECK(load.queueing == 6000);
    const std::vector<sim::Cycle> buckets = load.busy_in(load.shift(), free);
    CHECK(buckets.size() <= sim::Load::max_buckets);
    const sim::Cycle width = sim::Cycle{1} << load.shift();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const auto first = busy.begin() + static_cast<std::ptrdiff_t>(i * width);
        const auto last =
            busy.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>((i + 1) * width, busy.size()));
        CHECK(buckets[i] == static_cast<sim::Cycle>(std::count(first, last, true)));
    }
}
