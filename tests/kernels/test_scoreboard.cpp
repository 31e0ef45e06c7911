#include <catch2/catch.hpp>

#include "kernels/timing/scoreboard.hpp"

using namespace ttsim::impl;

namespace {

const InstructionSet& wormhole() { return instruction_set("wormhole_b0"); }

/// Adds one instruction to a thread.
void put(KernelStreams& s, KernelThread thread, std::uint32_t word, std::uint32_t repeat = 1, double bytes = 0) {
    StreamItem item;
    item.word = word;
    item.repeat = repeat;
    item.bytes = bytes;
    s.of(thread).push_back(item);
}
void work(KernelStreams& s, KernelThread thread, double clocks, bool ahead = false) {
    StreamItem item;
    item.risc = clocks;
    item.what = "test";
    item.ahead = ahead;
    s.of(thread).push_back(item);
}
std::uint32_t unpack_a() { return wormhole().encode("UNPACR", {{"set_dat_valid", 1}}); }
std::uint32_t unpack_b() { return wormhole().encode("UNPACR", {{"set_dat_valid", 1}, {"unpack_block_selection", 1}}); }
std::uint32_t release(std::uint32_t sides) { return wormhole().encode("SETRWC", {{"clear_ab_vld", sides}}); }
std::uint32_t wait_for(std::uint32_t condition) {
    return wormhole().encode("SEMWAIT", {{"wait_sem_cond", condition}, {"sem_sel", 2}});
}

}  // namespace

TEST_CASE("a thread issues one instruction a clock and an issue rate of two halves that") {
    KernelStreams s;
    put(s, KernelThread::Math, wormhole().encode("ZEROACC"), 10);
    CHECK(run_scoreboard(s, wormhole(), {}).steady == Approx(10));
    put(s, KernelThread::Math, wormhole().encode("SHIFTXB"), 10);
    CHECK(run_scoreboard(s, wormhole(), {}).steady == Approx(30));
}

TEST_CASE("RISC-V work adds to a thread's time, and work ahead overlaps with issued instructions") {
    KernelStreams s;
    work(s, KernelThread::Unpack, 100);
    put(s, KernelThread::Unpack, wormhole().encode("SETADC"), 20);
    CHECK(run_scoreboard(s, wormhole(), {}).steady == Approx(120));
    KernelStreams overlapping;
    work(overlapping, KernelThread::Unpack, 50, true);
    put(overlapping, KernelThread::Unpack, wormhole().encode("SETADC"), 20);
    CHECK(run_scoreboard(overlapping, wormhole(), {}).steady == Approx(50));
}

TEST_CASE("both unpackers share the ports, so two tiles take twice one tile's bytes") {
    for (const bool both : {false, true}) {
        KernelStreams s;
        put(s, KernelThread::Unpack, unpack_a(), 1, 640);
        if (both) put(s, KernelThread::Unpack, unpack_b(), 1, 640);
        put(s, KernelThread::Math, wormhole().encode("SETRWC", {{"clear_ab_vld", both ? 3U : 1U}}));
        // 10 clk at 64 B/clk, and 2 clk of set-up each
        CHECK(run_scoreboard(s, wormhole(), {}, 8).steady == Approx(both ? 24 : 12).margin(1));
    }
}

TEST_CASE("an unpacker stays two banks ahead of the math thread and no more") {
    KernelStreams s;
    put(s, KernelThread::Unpack, unpack_a(), 1, 64);
    put(s, KernelThread::Math, wormhole().encode("MOVA2D"), 100);
    put(s, KernelThread::Math, release(1));
    const ScoreboardResult r = run_scoreboard(s, wormhole(), {}, 10);
    CHECK(r.steady == Approx(101));
    CHECK(r.limit == KernelLimit::Math);
    CHECK(r.busy[0] < 10);
    // The unpacker ends two micro-blocks before the math thread.
    CHECK(r.drain == Approx(0).margin(210));
}

TEST_CASE("math and pack overlap through the two halves of Dst, and take turns with one") {
    KernelStreams s;
    put(s, KernelThread::Math, wait_for(2));
    put(s, KernelThread::Math, wormhole().encode("ZEROACC"), 97);
    put(s, KernelThread::Math, wormhole().encode("SEMPOST", {{"sem_sel", 2}}));
    put(s, KernelThread::Pack, wait_for(1));
    put(s, KernelThread::Pack, wormhole().encode("PACR"), 1, 64 * 58);
    put(s, KernelThread::Pack, wormhole().encode("SEMGET", {{"sem_sel", 2}}));
    CHECK(run_scoreboard(s, wormhole(), {}, 8).steady == Approx(99));
    CHECK(run_scoreboard(s, wormhole(), {}, 8).limit == KernelLimit::Math);
    ScoreboardTiming one_half;
    one_half.dst_halves = 1;
    CHECK(run_scoreboard(s, wormhole(), one_half, 8).steady > 155);
}

TEST_CASE("streams that wait for each other for ever are found") {
    KernelStreams s;
    put(s, KernelThread::Pack, wait_for(1));
    CHECK_THROWS_WITH(run_scoreboard(s, wormhole(), {}), Catch::Contains("pack thread waits forever"));
    KernelStreams empty;
    CHECK(run_scoreboard(empty, wormhole(), {}).steady == 0);
}
