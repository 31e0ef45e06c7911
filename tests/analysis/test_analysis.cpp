#include <catch2/catch.hpp>

#include "analysis/trace/analysis.hpp"
#include "base/error.hpp"
#include "tests/trace/small_trace.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;
using namespace ttsim::impl::trace;

TEST_CASE("an op's numbers are those of its slowest core, per input") {
    Reader reader(small_trace("ops.ttperf"));
    const std::vector<OpUse> all = ops(reader, 0);
    REQUIRE(all.size() == 1);
    const OpUse& op = all.front();
    CHECK(op.inputs == 4);
    CHECK(op.tiles == 32);
    CHECK(op.est_cycles == 80);
    CHECK(op.kernel_cycles == 90);
    // Of the slower core 80 cycles, of which the first input took 20
    CHECK(op.cycles == (80 - 20) / 3);
    CHECK(op.bw_kernel_cycles == Approx((80 - 5 - 7 - 17) / 3.0));  // without source and room
    CHECK(op.limit == Limit::Math);
    CHECK(op.wait_source_cycles == Approx((5 - 1) / 3.0));
    CHECK(op.wait_room_cycles == Approx((7 - 2) / 3.0));
    CHECK(op.math_utilization == Approx((32 + 16) / (80.0 + 40.0)));
    // Core 0 gets both operands; what stays resident is no traffic.
    CHECK(op.in_bytes == 6240);
    CHECK(op.in_bytes_per_cycle_needed() == Approx(6240 / 90.0));
    CHECK(op.in_bytes_per_cycle_got() == Approx(6240 / 20.0));
    CHECK(op.out_bytes_per_cycle_needed() == Approx(8320 / 90.0));
    CHECK(op.out_bytes_per_cycle_got() == Approx(8320 / 20.0));
}

TEST_CASE("the first of several inputs is left out, the only one is not") {
    const std::string path = small_trace("first.ttperf");
    Database(path, path, Database::Open::Write).run("UPDATE core_load SET inputs = 1 WHERE core = 0");
    Reader reader(path);
    CHECK(ops(reader, 0).front().cycles == 80);
    CHECK(ops(reader, 0).front().bw_kernel_cycles == 68);
}

TEST_CASE("an epoch that repeats another has its ops") {
    Reader reader(small_trace("repeat.ttperf"));
    const std::vector<EpochUse> all = epochs(reader);
    REQUIRE(all.size() == 2);
    for (const EpochUse& epoch : all) {
        CHECK(epoch.cores == 2);
        CHECK(epoch.matmul_cores == 2);
        CHECK(epoch.speed_per_second == Approx(1e9 / 17));
        CHECK(epoch.utilization == Approx(2 * (80 / 17.0) / 120));  // as in the screens: test_perf_data.cpp
        CHECK(epoch.math_utilization == Approx(48 / 400.0));
        CHECK(epoch.matmul_utilization == Approx(48 / 400.0));
        CHECK(epoch.limiting_op == "product \"p\"");
        CHECK(epoch.limit == Limit::Math);
    }
    CHECK(all[1].start_cycle == 200);
    CHECK(ops(reader, 1).front().bw_kernel_cycles == ops(reader, 0).front().bw_kernel_cycles);
    const std::vector<EpochOps> with_ops = epochs_with_ops(reader);
    CHECK(with_ops.at(1).epoch.start_cycle == 200);
    CHECK(with_ops.at(1).ops == with_ops.at(0).ops);  // computed once
    CHECK(with_ops.at(0).ops->front().bw_kernel_cycles == ops(reader, 0).front().bw_kernel_cycles);
    CHECK(epoch_with_ops(reader, 1).ops->front().cycles == with_ops.at(1).ops->front().cycles);
}

TEST_CASE("an op is limited by the largest share of its own cycles") {
    const std::string path = small_trace("limits.ttperf");
    const std::vector<std::pair<std::string, Limit>> columns{
        {"unpack_bound", Limit::Unpack}, {"wait_noc", Limit::InputNoc}, {"wait_dram", Limit::InputDram},
        {"wait_output", Limit::Output},  {"wait_dst", Limit::Pack},     {"drain", Limit::Pack},
        {"math_bound", Limit::Math}};
    for (const auto& [column, limit] : columns) {
        Database(path, path, Database::Open::Write).run("UPDATE core_load SET " + column + " = 1000000 WHERE core = 0");
        Reader reader(path);
        CHECK(to_string(ops(reader, 0).front().limit) == to_string(limit));
        Database(path, path, Database::Open::Write).run("UPDATE core_load SET " + column + " = 0 WHERE core = 0");
    }
}

TEST_CASE("an epoch that does not exist is named, with those that do") {
    const std::string path = small_trace("missing.ttperf");
    Reader reader(path);
    CHECK_THROWS_WITH(ops(reader, 2), path + ": error: has no epoch 2; it has epochs 0 to 1");
    CHECK_THROWS_WITH(epoch_with_ops(reader, -1), path + ": error: has no epoch -1; it has epochs 0 to 1");
    Database(path, path, Database::Open::Write)
        .run("DELETE FROM epoch; DELETE FROM core_load; DELETE FROM flow_load; DELETE FROM flow_run");
    Reader empty(path);
    CHECK_THROWS_WITH(ops(empty, 0), path + ": error: has no epoch 0; it has no epochs");
    CHECK(epochs(empty).empty());
}

TEST_CASE("resources come busiest first, with the share of the run and of their busiest bucket") {
    Reader reader(small_trace("resources.ttperf"));
    const std::vector<ResourceUse> all = resources(reader);
    REQUIRE(all.size() == 2);
    CHECK(all[0].kind == "noc");
    CHECK(all[0].utilization == Approx(1.04));
    CHECK(all[1].name == "chip 0 dram 0");
    CHECK(all[1].utilization == Approx(0.4));
    CHECK(all[1].peak_utilization == Approx(0.5));
    CHECK(all[1].queueing_cycles == 40);
}

TEST_CASE("views expand data that the tables store once") {
    const std::string path = small_trace("views.ttperf");
    Database database(path, path, Database::Open::Read);
    database.trust_schema();
    Statement inputs(database,
                     "SELECT input, start, end, first_unpack, last_pack FROM core_input WHERE epoch = 1 ORDER BY 1");
    for (const std::int64_t n : {0, 1, 2}) {
        REQUIRE(inputs.step());
        CHECK(inputs.integer(0) == n);
        CHECK(inputs.integer(1) == 300 + 20 * n);
        CHECK(inputs.integer(2) == 320 + 20 * n);
        CHECK(inputs.integer(3) == 302 + 20 * n);
        CHECK(inputs.integer(4) == 319 + 20 * n);
    }
    REQUIRE(inputs.step());
    CHECK(inputs.integer(0) == 3);
    CHECK(inputs.integer(2) == 380);
    CHECK_FALSE(inputs.step());
    Statement steps(database, "SELECT start, packed FROM step WHERE epoch = 0 AND input = 2 AND step = 1");
    REQUIRE(steps.step());
    CHECK(steps.integer(0) == 150);
    CHECK(steps.integer(1) == 159);
    Statement transfers(database, "SELECT sent, arrived FROM transfer WHERE epoch = 1 AND input = 3 AND chunk = 1");
    REQUIRE(transfers.step());
    CHECK(transfers.integer(0) == 200 + 90 + 60 + 6);
    CHECK(transfers.integer(1) == 200 + 90 + 60 + 12);
}
