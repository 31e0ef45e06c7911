#include <catch2/catch.hpp>

#include "sim/noc/replay.hpp"
#include "tests/sim/noc/noc_machine.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::noc;

namespace {

std::string event(const std::string& fields, int x = 1, int y = 1, const char* proc = "NCRISC") {
    return fmt::format(R"({{"proc":"{}","sx":{},"sy":{},"noc":"NOC_0","vc":-1,{}}})", proc, x, y, fields);
}

std::string call(const std::string& type, int time, const std::string& more = "") {
    return event(fmt::format(R"("type":"{}","timestamp":{}{})", type, time, more));
}
const std::string to_column = R"(,"dx":1,"dy":3,"num_bytes":1024)";

Trace trace(const std::vector<std::string>& events) {
    return std::get<Trace>(
        parse_traffic("[" + fmt::format("{}", fmt::join(events, ",\n")) + "]", "t.json", wormhole()));
}

ReplayResult play(const std::vector<std::string>& events, Loop loop = Loop::Closed, Constants c = plain_constants()) {
    return replay(trace(events), wormhole(), c, loop);
}

constexpr double one_read = 120 + 20 + 33;

}  // namespace

TEST_CASE("A read barrier ends when the reads before it are complete") {
    const ReplayResult r =
        play({call("READ", 1000, to_column), call("READ_BARRIER_START", 1010), call("READ_BARRIER_END", 1100)});
    CHECK(r.total_cycles == Approx(one_read));
    CHECK(r.golden_cycles == 100.0);
    CHECK(r.barriers.count == 1);
    CHECK(r.barriers.recorded == 90);
    CHECK(r.barriers.predicted == Approx(one_read - 10));
    CHECK(r.barriers.mean_error == Approx(100 * (one_read - 100) / 90));
    REQUIRE(r.barrier_times.size() == 1);
    CHECK(r.barrier_times[0].core == NocCoord{1, 1});
}

TEST_CASE("Closed loop: events after a barrier keep their gap to its predicted end; open loop: their recorded time") {
    const std::vector<std::string> events = {call("READ", 0, to_column),      call("READ_BARRIER_START", 10),
                                             call("READ_BARRIER_END", 500),   call("READ", 540, to_column),
                                             call("READ_BARRIER_START", 550), call("READ_BARRIER_END", 900)};
    CHECK(play(events).total_cycles == Approx(one_read + 40 + one_read));
    CHECK(play(events, Loop::Open).total_cycles == Approx(540 + one_read));
    CHECK(play(events).barriers.predicted == Approx(2 * (one_read - 10)));
    CHECK(play(events, Loop::Open).barriers.predicted == Approx(2 * (one_read - 10)));
}

TEST_CASE("Recorded ends of barriers and zones are not inputs") {
    const auto events = [](int end) {
        return std::vector<std::string>{
            call("READ", 0, to_column), call("READ_BARRIER_START", 10), call("READ_BARRIER_END", end),
            event(fmt::format(R"("zone":"K","zone_phase":"end","timestamp":{})", end + 70))};
    };
    for (const Loop loop : {Loop::Closed, Loop::Open}) {
        CHECK(play(events(200), loop).total_cycles == play(events(9000), loop).total_cycles);
        CHECK(play(events(200), loop).golden_cycles == 270.0);
    }
}

TEST_CASE("A barrier with nothing to wait for takes its markers' time") {
    Constants c = plain_constants();
    c.trace_barrier = 84;
    CHECK(play({call("WRITE_BARRIER_START", 0), call("WRITE_BARRIER_END", 77)}, Loop::Closed, c).barriers.predicted ==
          84);
}

TEST_CASE("An end of a barrier without its start takes its markers' time from the event before") {
    Constants c = plain_constants();
    c.trace_barrier = 84;
    const ReplayResult r = play(
        {call("READ", 0, to_column), call("READ_BARRIER_END", 77), call("READ_BARRIER_END", 100)}, Loop::Closed, c);
    CHECK(r.barriers.predicted == Approx(one_read + 84));
    CHECK(r.total_cycles == Approx(one_read + 84));
}

TEST_CASE("A read barrier does not wait for writes, a write barrier not for reads, a full barrier for both") {
    const std::string read_far = R"(,"dx":4,"dy":8,"num_bytes":8192)", write_near = R"(,"dx":1,"dy":2,"num_bytes":32)";
    const auto with = [&](const std::string& kind) {
        return play({call("READ", 0, read_far), call("WRITE", 1, write_near), call(kind + "_BARRIER_START", 2),
                     call(kind + "_BARRIER_END", 3)})
            .barriers.predicted;
    };
    CHECK(with("WRITE") == Approx(120 + 20 + 2 - 1));
    CHECK(with("READ") == Approx(220 + 20 + 257 - 2));
    // one marker only: what follows waits
    const ReplayResult full = play({call("READ", 0, read_far), call("FULL_BARRIER", 5), call("READ", 6, to_column),
                                    call("READ_BARRIER_START", 7), call("READ_BARRIER_END", 8)});
    CHECK(full.total_cycles == Approx(220 + 20 + 257 + one_read));
}

TEST_CASE("A flush waits until writes have left, an atomic barrier for semaphore increments") {
    const std::string big = R"(,"dx":1,"dy":2,"num_bytes":8192)";
    const ReplayResult flushed = play({call("WRITE", 0, big), call("WRITE_FLUSH", 1), call("READ", 2, to_column),
                                       call("READ_BARRIER_START", 3), call("READ_BARRIER_END", 4)});
    CHECK(flushed.total_cycles == Approx(257 + one_read));
    const ReplayResult atomic =
        play({call("SEMAPHORE_INC", 0, R"(,"dx":1,"dy":2)"), call("ATOMIC_BARRIER", 1), call("READ", 2, to_column),
              call("READ_BARRIER_START", 3), call("READ_BARRIER_END", 4)});
    CHECK(atomic.total_cycles == Approx(140 + one_read));
}

TEST_CASE("Calls with state go where the last call set it") {
    const ReplayResult r = play({call("READ_SET_STATE", 0, to_column), call("READ_WITH_STATE", 10),
                                 call("READ_WITH_STATE_AND_TRID", 20, R"(,"dx":-1,"dy":-1,"num_bytes":0)"),
                                 call("READ_BARRIER_START", 30), call("READ_BARRIER_END", 40)});
    CHECK(r.packets == 2);
    CHECK(r.total_cycles == Approx(10 + 120 + 20 + 2 * 33));
    const ReplayResult writes =
        play({call("WRITE_WITH_TRID_SET_STATE", 0, R"(,"dx":1,"dy":2,"num_bytes":32)"),
              call("WRITE_WITH_TRID_WITH_STATE", 10), call("WRITE_BARRIER_START", 20), call("WRITE_BARRIER_END", 30)});
    CHECK(writes.total_cycles == Approx(10 + 140 + 2));
}

TEST_CASE("Processors of one core are separate, their events in the order of time") {
    const Trace t = trace({event(R"("type":"READ","timestamp":50,"dx":1,"dy":2,"num_bytes":64)", 1, 1, "BRISC"),
                           call("READ", 40, to_column), call("READ", 30, to_column),
                           event(R"("zone":"NCRISC-KERNEL","zone_phase":"begin","timestamp":20)")});
    REQUIRE(t.processes.size() == 2);
    CHECK(t.processes[0].name == "BRISC");
    CHECK(t.processes[1].events[1].time == 10);
    CHECK(t.processes[1].events[2].time == 20);
    CHECK(t.recorded == 30);
}

TEST_CASE("A multicast's corners may be given either way round") {
    const std::string a = R"(,"num_bytes":320,"mcast_start_x":2,"mcast_start_y":1,"mcast_end_x":4,"mcast_end_y":3)";
    const std::string b = R"(,"num_bytes":320,"mcast_start_x":4,"mcast_start_y":3,"mcast_end_x":2,"mcast_end_y":1)";
    const auto total = [](const std::string& corners) {
        return play({call("WRITE_MULTICAST", 0, corners), call("WRITE_BARRIER_START", 1), call("WRITE_BARRIER_END", 2)})
            .total_cycles;
    };
    CHECK(total(a) == total(b));
    CHECK(total(a) > 200);
}

TEST_CASE("An empty trace takes no time") {
    const ReplayResult r = play({});
    CHECK(r.total_cycles == 0);
    CHECK(r.golden_cycles == 0.0);
}

TEST_CASE("Phases of a workload follow each other; a transfer keeps its rate and its offset") {
    const auto workload = [](const std::string& phases) {
        return std::get<Workload>(
            parse_traffic(R"({"golden_result":{"cycles":7},"phases":[)" + phases + "]}", "w.json", wormhole()));
    };
    const auto transfer = [](int packets, double rate, double offset) {
        return fmt::format(
            R"({{"transfers":[{{"packet_size":320,"num_packets":{},"src_x":1,"src_y":1,"dst_x":1,"dst_y":2,
            "noc_type":"NOC_0","injection_rate":{},"phase_cycle_offset":{}}}]}})",
            packets, rate, offset);
    };
    Constants c = plain_constants();
    c.issue_write = 5;
    const auto total = [&](const std::string& phases) { return replay(workload(phases), wormhole(), c).total_cycles; };
    CHECK(total(transfer(1, 0, 0)) == Approx(11 + 20));
    CHECK(total(transfer(4, 0, 0)) == Approx(44 + 20));
    CHECK(total(transfer(4, 3.2, 0)) == Approx(300 + 11 + 20));
    CHECK(total(transfer(1, 0, 50) + "," + transfer(1, 0, 0)) == Approx(50 + 31 + 31));
    CHECK(total(R"({"transfers":[]})") == 0);
    CHECK(replay(workload(transfer(1, 0, 0)), wormhole(), c).golden_cycles == 7.0);
}

TEST_CASE("The traffic of several chips is replayed chip by chip, each by its own clock") {
    const auto on = [](int device, const std::string& type, int time, const std::string& more = "") {
        return call(type, time, more + fmt::format(R"(,"src_device_id":{},"dst_device_id":-1)", device));
    };
    const std::vector<std::string> one = {on(4, "READ", 1000, to_column), on(4, "READ_BARRIER_START", 1010),
                                          on(4, "READ_BARRIER_END", 1100)};
    std::vector<std::string> two = one;  // the other chip began far away, and ends later
    two.insert(two.begin(), on(7, "READ", 900000, to_column));
    two.push_back(on(7, "READ_BARRIER_START", 900050));
    two.push_back(call("READ_BARRIER_END", 900400));  // names none: of the chip before
    const ReplayResult alone = play(one), both = play(two);
    CHECK(alone.chips.empty());
    REQUIRE(both.chips.size() == 2);
    CHECK(both.chips[0].device == 7);
    CHECK(both.chips[0].golden_cycles == 400);
    CHECK(both.chips[1].total_cycles == alone.total_cycles);
    CHECK(both.total_cycles == std::max(both.chips[0].total_cycles, alone.total_cycles));
    CHECK(both.golden_cycles == 400.0);
    CHECK(both.barriers.count == 2);
    CHECK(both.barriers.recorded == alone.barriers.recorded + 350);
    CHECK(both.packets == 2 * alone.packets);
    REQUIRE(both.barrier_times.size() == 2);
    CHECK(both.barrier_times[1].chip == 1);
}
