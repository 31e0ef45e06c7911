#include <catch2/catch.hpp>

#include "analysis/trace/perf_resources.hpp"
#include "analysis/trace/perf_rows.hpp"
#include "base/error.hpp"
#include "tests/trace/small_trace.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;
using namespace ttsim::impl::trace;

static PerfData small_data(const std::string& name, const std::string& change = "") {
    const std::string path = small_trace(name);
    if (!change.empty()) Database(path, path, Database::Open::Write).run(change);
    Reader reader(path);
    return read_perf_data(reader);
}

TEST_CASE("an op's row has its kernel, its bandwidth-bound cycles and the two ends of its pipes") {
    const PerfData data = small_data("rows.ttperf");
    const std::vector<OpRow> rows = op_rows(data, 1);
    REQUIRE(rows.size() == 1);
    const OpRow& row = rows.front();
    CHECK(row.est == 80);
    CHECK(row.kernel == 90);
    CHECK(row.bw_kernel == Approx(17));
    CHECK(row.utilization == Approx(80 / 90.0));
    CHECK(row.bw_utilization == Approx(80 / 17.0));
    CHECK(row.problem.empty());  // it is faster than its kernel
    // flow 0: 60 cycles from first to last; chunks are under way for 300, waits add up to 50
    REQUIRE(row.operands.size() == 1);
    CHECK(row.operands[0].rate.name == "dram in0");
    CHECK(row.operands[0].rate.need == Approx(4160 / 90.0));
    CHECK(row.operands[0].rate.got == Approx(4160 / 15.0));
    CHECK(row.operands[0].other == "x");
    CHECK(row.outputs.empty());
}

TEST_CASE("a pipe that is slower than its op is the problem") {
    const PerfData data = small_data("slow.ttperf",
                                     "UPDATE flow_load SET last_arrival = 9000, in_flight = 8000;"
                                     "UPDATE core_load SET wait_dram = 8000 WHERE core = 0");
    const OpRow row = op_rows(data, 0).front();
    CHECK(row.problem == "dram in0");
    CHECK(row.est_lim == Approx(8910 / 4.0 - 50 / 4.0));
    CHECK(row.bw_kernel == Approx((68 - 1 + 8000 - 17) / 3.0));
}

TEST_CASE("a stage has the pace of its slowest op") {
    const PerfData data = small_data("stage.ttperf");
    const std::vector<Stage> all = stages(data, false);
    REQUIRE(all.size() == 2);
    const StageRow row = stage_row(data, all[1]);
    CHECK(row.cycles == Approx(17));
    CHECK(row.speed == Approx(1e9 / 17));
    CHECK(row.inputs_per_second == 1e6);  // as the trace has it
    CHECK(row.utilization == Approx(2 * (80 / 17.0) / 120));
    CHECK(row.matmul_cores == 2);
    CHECK(row.balancer_utilization == 0);
    CHECK(row.dram_need == Approx(4160 / 90.0));
    // the graph runs twice and counts once
    CHECK(overall(all, {stage_row(data, all[0]).use(), row.use()}).cycles == Approx(17));
}

TEST_CASE("graphs of one temporal epoch are one stage, or one each") {
    const PerfData data = small_data("temporal.ttperf",
                                     "UPDATE op SET graph = 'fwd_0_0_temporal_epoch_0';"
                                     "UPDATE epoch SET graphs = 'fwd_0_0_temporal_epoch_0' WHERE id = 0;"
                                     "UPDATE epoch SET graphs = 'fwd_0_1_temporal_epoch_0' WHERE id = 1");
    const std::vector<Stage> temporal = stages(data, false), spatial = stages(data, true);
    REQUIRE(temporal.size() == 1);
    CHECK(temporal[0].launches == std::vector<std::int64_t>{0, 1});
    CHECK(stage_row(data, temporal[0]).ops.size() == 2);
    CHECK(spatial.size() == 2);
    const PerfData again = small_data("again.ttperf", "UPDATE epoch SET graphs = 'fwd_0_temporal_epoch_3'");
    CHECK(stages(again, false).size() == 2);  // the same graph twice is no second chip
}

TEST_CASE("an epoch's resources are those used during it") {
    const PerfData data = small_data("time.ttperf");
    const std::vector<EpochResource> first = epoch_resources(data, 0), second = epoch_resources(data, 1);
    REQUIRE(first.size() == 2);
    CHECK(first[0].resource->kind == "noc");
    CHECK(first[0].users.front().name == "product \"p\"");
    CHECK(first[1].resource->name == "chip 0 dram 0");
    CHECK(first[1].share == Approx(128.0 * 200 / 256 / 200));
    CHECK(first[1].bytes == Approx(16640 * 100.0 / 200));
    CHECK(first[1].users.front().name == "x");
    CHECK(first[1].users.front().bytes == 16640);
    // 56 cycles of the first bucket, 144 of the second
    CHECK(second[1].share == Approx((128 * 56 / 256.0 + 72 * 144 / 256.0) / 200));
    CHECK_THROWS_AS(epoch_resources(data, 7), Error);
}

TEST_CASE("invalid lists are reported") {
    CHECK_THROWS_WITH(small_data("list.ttperf", "UPDATE resource SET buckets = '{}'"),
                      Catch::Contains("of table 'resource' holds '{}' as 'buckets'; a list"));
    CHECK_THROWS_WITH(small_data("word.ttperf", "UPDATE flow SET cores = '[\"x\"]'"),
                      Catch::Contains("of table 'flow' holds '[\"x\"]' as 'cores'; a list"));
}
