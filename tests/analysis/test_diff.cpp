#include <catch2/catch.hpp>

#include "analysis/trace/diff.hpp"
#include "analysis/trace/op_totals.hpp"
#include "tests/trace/small_trace.hpp"

using namespace ttsim::impl::trace;
using namespace ttsim::impl::test;

/// A small trace after a statement has changed it.
static std::string changed(const std::string& name, const std::string& sql) {
    const std::string path = small_trace(name);
    Database database(path, path, Database::Open::Write);
    database.run(sql);
    database.close();
    return path;
}

TEST_CASE("an op's launches are added up") {
    Reader reader(small_trace("totals.ttperf"));
    const std::vector<OpTotal> totals = op_totals(reader);
    REQUIRE(totals.size() == 1);
    const OpTotal& op = totals.front();
    const OpUse once = ops(reader, 0).front();
    CHECK(op.name == "product \"p\"");
    CHECK(op.launches == 2);
    CHECK(op.inputs == 8);
    CHECK(op.tiles == 2 * once.tiles);
    CHECK(op.kernel_cycles == 90);
    CHECK(op.bw_kernel_cycles == Approx(once.bw_kernel_cycles));
    CHECK(op.own_cycles == Approx(8 * once.bw_kernel_cycles));
    CHECK(op.run_share == Approx(8 * once.bw_kernel_cycles / 500));
    CHECK(op.wait_room_share == Approx(once.wait_room_cycles / once.cycles));
    CHECK(op.limit == once.limit);
}

TEST_CASE("a trace does not differ from itself") {
    Reader one(small_trace("one.ttperf")), other(small_trace("another.ttperf"));
    const RunDiff same = diff(one, other);
    CHECK(same.cycles.cycles() == 0);
    CHECK(same.notes.empty());
    CHECK(same.epochs.size() == 1);
    CHECK(same.epochs.front().before == 400);  // two launches
    CHECK(same.ops.size() == 1);
    CHECK(same.resources.size() == 2);
    for (const auto* list : {&same.epochs, &same.ops, &same.resources})
        for (const Difference& d : *list) {
            CHECK(d.cycles() == 0);
            CHECK_FALSE(d.above(0));
        }
}

TEST_CASE("a diff lists slower, new and removed entries, largest first") {
    Reader before(small_trace("before.ttperf"));
    Reader after(changed("after.ttperf",
                         "UPDATE run SET cycles = 550, device = 'gs_e75'; UPDATE epoch SET cycles = 240 WHERE id = 1;"
                         "UPDATE resource SET busy = 100 WHERE id = 0; UPDATE resource SET name = 'x' WHERE id = 1;"));
    const RunDiff all = diff(before, after);
    CHECK(*all.cycles.change() == Approx(0.1));
    CHECK(all.cycles.above(0.09));
    CHECK_FALSE(all.cycles.above(0.1));
    CHECK(all.epochs.front().cycles() == 40);
    REQUIRE(all.resources.size() == 3);
    CHECK(all.resources[0].cycles() == -520);  // gone
    CHECK_FALSE(all.resources[0].after);
    CHECK(all.resources[1].name == "x");
    CHECK_FALSE(all.resources[1].above(0));  // new: there is nothing it is slower than
    CHECK(all.resources[2].cycles() == -100);
    REQUIRE(all.notes.size() == 1);
    CHECK(all.notes.front() == "the device differs: gs_e150 and gs_e75");
}
