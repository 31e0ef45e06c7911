#include <catch2/catch.hpp>

#include "netlist/device.hpp"
#include "sim/machine/chip.hpp"
#include "tests/sim/fresh_systemc.hpp"

using namespace tt;
using namespace tt::sim;

namespace {

ChipParams small_chip() {
    ChipParams chip;
    chip.grid_x = 13;
    chip.grid_y = 12;
    chip.timing.noc_hop = 9;
    chip.timing.noc_niu = 5;
    chip.timing.noc_link_bytes = 32;
    return chip;
}

}  // namespace

TEST_CASE("a server passes one transfer after the other, a started cycle counting whole") {
    Server server(22.3);
    CHECK(server.pass(0, 100) == 5);   // 4.48 cycles
    CHECK(server.pass(0, 223) == 15);  // waits until 5, takes 10
    CHECK(server.pass(20, 1) == 21);   // idle from 15 to 20
    CHECK(server.pass(10, 0) == 21);   // nothing to move, but its turn comes late
    CHECK(server.busy() == 16);
    CHECK(server.bytes() == 324);
}

TEST_CASE("NoC 0 goes right then down, NoC 1 up then left, both round the edges") {
    // niu 5 + 9 a hop + niu 5 + bytes / 32
    CHECK(Noc(small_chip()).send(0, {1, 1}, {3, 1}, 64, 0) == 5 + 2 * 9 + 5 + 2);
    CHECK(Noc(small_chip()).send(1, {1, 1}, {3, 1}, 64, 0) == 5 + 11 * 9 + 5 + 2);  // left from 1 over 0 and 12 to 3
    CHECK(Noc(small_chip()).send(0, {1, 1}, {1, 0}, 64, 0) == 5 + 11 * 9 + 5 + 2);  // down from 1 over 11 to 0
    CHECK(Noc(small_chip()).send(1, {1, 1}, {1, 0}, 64, 0) == 5 + 9 + 5 + 2);
    CHECK(Noc(small_chip()).send(0, {12, 11}, {0, 0}, 32, 100) == 100 + 5 + 2 * 9 + 5 + 1);
    CHECK(Noc(small_chip()).send(1, {0, 0}, {12, 11}, 32, 100) == 100 + 5 + 2 * 9 + 5 + 1);
    CHECK(Noc(small_chip()).send(0, {4, 4}, {4, 4}, 32, 7) == 7 + 5 + 5 + 1);  // a core to itself
}

TEST_CASE("transfers queue on a link they share and on no other") {
    Noc noc(small_chip());
    const std::uint64_t bytes = 3200;  // 100 cycles
    CHECK(noc.send(0, {1, 1}, {2, 1}, bytes, 0) == 5 + 9 + 5 + 100);
    CHECK(noc.send(0, {1, 1}, {2, 1}, bytes, 0) == 105 + 9 + 5 + 100);  // the head waits until the link is free at 105
    CHECK(noc.send(0, {2, 1}, {3, 1}, bytes, 0) == 119);                // the next link to the right is idle
    CHECK(noc.send(1, {2, 1}, {1, 1}, bytes, 0) == 119);                // the other NoC has links of its own
    CHECK(noc.send(0, {1, 1}, {1, 2}, bytes, 0) == 119);                // as has the way down
    // Three hops: it waits behind the second transfer at the first link, then behind nobody.
    CHECK(noc.send(0, {1, 1}, {4, 1}, 32, 0) == 205 + 3 * 9 + 5 + 1);
    CHECK(noc.busiest_link() == 224);
}

TEST_CASE("NoC 0 turns once: a transfer right and down meets others on both legs") {
    Noc noc(small_chip());
    CHECK(noc.send(0, {3, 3}, {3, 4}, 3200, 0) == 119);  // the link down from (3, 3), busy until 105
    // (1, 3) -> (3, 4): two links right (head at 23), then that link down
    CHECK(noc.send(0, {1, 3}, {3, 4}, 32, 0) == 105 + 9 + 5 + 1);
    // (3, 2) -> (3, 4) passes the link down from (3, 2) first, head at 14, then waits until 106
    CHECK(noc.send(0, {3, 2}, {3, 4}, 32, 0) == 106 + 9 + 5 + 1);
}

TEST_CASE("a DRAM channel serves reads and writes one by one, reads with its latency") {
    tt::test::fresh_systemc();
    MachineOptions options;
    const Machine machine = make_machine("wormhole_b0", options);
    Clock clock("clock");
    Chip chip("chip", machine.chips.front(), clock);
    const auto latency = static_cast<Cycle>(machine.chips.front().params.timing.dram_latency);
    const double rate = machine.chips.front().params.timing.dram_read_bytes;
    const Cycle length = cycles_to_move(Bytes(2080), BytesPerCycle{rate}).value();
    CHECK(chip.dram(0, false, 2080, 0) == length + latency);
    CHECK(chip.dram(0, false, 2080, 0) == 2 * length + latency);
    CHECK(chip.dram(1, false, 2080, 0) == length + latency);  // another channel
    const Cycle write = chip.dram(2, true, 2080, 0);
    CHECK((write >= length && write <= length + 4));  // a little slower, and nobody waits for its latency
}

TEST_CASE("data for another chip crosses a link whose directions are separate") {
    tt::test::fresh_systemc();
    MachineOptions options;
    options.chips = 2;
    const Machine machine = make_machine("wormhole_b0", options);
    Clock clock("clock");
    Board board("board", machine, clock);
    const ChipTiming& timing = machine.chips.front().params.timing;
    const NocCoord a = machine.chips[0].worker(0, 0), b = machine.chips[1].worker(0, 0);
    const std::uint64_t bytes = 12100;
    const auto wire =
        cycles_to_move(Bytes(bytes), BytesPerCycle{timing.eth_bytes}).value() + static_cast<Cycle>(timing.eth_latency);
    const Cycle alone = board.send(0, a, 1, b, bytes, 0, 0, 0);
    CHECK(alone > wire);
    CHECK(alone < wire + 1500);                                   // the two NoCs around it
    const Cycle second = board.send(0, a, 1, b, bytes, 0, 0, 0);  // same link
    CHECK(second >= alone + wire - static_cast<Cycle>(timing.eth_latency));
    CHECK(board.send(1, b, 0, a, bytes, 0, 0, 0) < second);  // the way back is free
    tt::test::fresh_systemc();
    Clock other("clock");
    Board idle("board", machine, other);
    CHECK(idle.send(0, a, 1, b, bytes, 0, 0, 0) == alone);
    const NocCoord c = machine.chips[0].worker(7, 7), d = machine.chips[1].worker(7, 7);
    CHECK(idle.send(0, c, 1, d, bytes, 0, 1, 0) < alone + wire / 2);  // lane 1 takes the second link
}
