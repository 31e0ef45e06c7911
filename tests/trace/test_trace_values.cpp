// Traces with values that no run writes: each is refused with its table, row and column.
#include <catch2/catch.hpp>

#include "analysis/trace/analysis.hpp"
#include "analysis/trace/perf_data.hpp"
#include "base/error.hpp"
#include "tests/trace/small_trace.hpp"
#include "trace/reader.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::trace;

namespace {

/// What a trace is answered with after a statement has changed it.
std::string answer_to(const std::string& sql) {
    const std::string path = test::small_trace("changed.ttperf");
    Database(path, path, Database::Open::Write).run(sql);
    try {
        Reader reader(path);
    } catch (const Error& error) {
        CHECK(error.exit_code() == 2);
        return error.what();
    }
    return "it was taken";
}

}  // namespace

TEST_CASE("a value of another type, range or order is refused with table, row and column") {
    struct Case {
        const char *sql, *table, *column, *why;
    };
    const Case cases[] = {
        {"UPDATE core_load SET end = 99 WHERE core = 0", "core_load", "end", "it lies before the start"},
        {"UPDATE core_load SET start = -5", "core_load", "start", "holds -5"},
        {"UPDATE core_load SET math = 1e300", "core_load", "math", "no integer"},
        {"UPDATE core_load SET math = 'nan'", "core_load", "math", "no integer"},
        {"UPDATE core_load SET math = zeroblob(8)", "core_load", "math", "no integer"},
        {"UPDATE core_load SET math = NULL", "core_load", "math", "holds nothing"},
        {"UPDATE core_load SET math = 281474976710657", "core_load", "math", "0 to 281474976710656 are possible"},
        {"UPDATE core_load SET core = 7", "core_load", "core", "there is no such core"},
        {"UPDATE core_load SET series = '[[1]]'", "core_load", "series", "a list of integers"},
        {"UPDATE core_load SET series = replace(series, ',20,', ',-20,')", "core_load", "series", "a list"},
        {"UPDATE core_load SET series = replace(series, '[0,3,', '[0,5,')", "core_load", "series", "a list"},
        {"UPDATE pattern SET events = '[[0,1e999]]'", "pattern", "events", "a list"},
        {"UPDATE pattern SET events = '[[0],[1]]'", "pattern", "events", "a list"},
        {"UPDATE pattern SET events = '[[[0,1]]]'", "pattern", "events", "a list"},
        {"UPDATE resource SET buckets = '[1.5]'", "resource", "buckets", "a list"},
        {"UPDATE resource SET bytes_per_cycle = 9e999", "resource", "bytes_per_cycle", "holds inf"},
        {"UPDATE resource SET bytes_per_cycle = -1", "resource", "bytes_per_cycle", "holds -1"},
        {"UPDATE run SET clock_mhz = 0", "run", "clock_mhz", "1 to 1000000 are possible"},
        {"UPDATE run SET bucket_cycles = 0", "run", "bucket_cycles", "holds 0"},
        {"UPDATE core SET x = 1000", "core", "x", "0 to 999 are possible"},
        {"UPDATE op SET chip = -1", "op", "chip", "holds -1"},
        {"UPDATE op SET name = zeroblob(3)", "op", "name", "no text"},
        {"UPDATE op SET name = replace(hex(zeroblob(600000)), '00', 'ab')", "op", "name", "1200000 bytes"},
        {"UPDATE flow SET op = 3", "flow", "op", "there is no such op"},
        {"UPDATE flow SET cores = '[0,\"x\"]'", "flow", "cores", "a list"},
        {"UPDATE flow_load SET last_arrival = 3", "flow_load", "last_arrival", "before the first sending"},
        {"UPDATE flow_run SET times = 9", "flow_run", "times", "does not count as far"},
        {"UPDATE flow_run SET shift = 281474976710656", "flow_run", "shift", "too long"},
        {"UPDATE epoch SET same_as = id", "epoch", "same_as", "there is no such epoch, or it repeats one itself"},
        {"INSERT INTO number VALUES (9)", "number", "n", "counted from 0"},
        {"UPDATE op SET tiles = 281474976710656; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT "
         "8000) INSERT INTO op SELECT i, 0, 'o', 'add', 0, 'g', 0, 1, 1, 1, 1, 281474976710656, 0, 0, 0, 0, 0, 0 FROM "
         "n",
         "op", "tiles", "the sum of all is too large"},
    };
    for (const Case& one : cases) {
        INFO(one.sql);
        const std::string answer = answer_to(one.sql);
        CHECK_THAT(answer, Catch::Contains("cannot be read: row ") &&
                               Catch::Contains(std::string("of table '") + one.table + "'") &&
                               Catch::Contains(std::string("as '") + one.column + "'") && Catch::Contains(one.why) &&
                               Catch::Contains(": record the run again"));
    }
}

TEST_CASE("an undamaged trace is accepted, and names that are not UTF-8 are repaired") {
    CHECK(answer_to("") == "it was taken");
    CHECK(answer_to("UPDATE run SET seed = -7; UPDATE epoch SET inputs_per_second = 0") == "it was taken");
    CHECK(answer_to("UPDATE op SET name = CAST(x'6fff70' AS TEXT)") == "it was taken");
    Reader reader((temp_folder() / "changed.ttperf").string());
    CHECK(ops(reader, 0).front().name == "o\xEF\xBF\xBDp");
}
