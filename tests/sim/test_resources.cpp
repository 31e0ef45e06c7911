#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "netlist/device/device.hpp"
#include "sim/machine/chip.hpp"
#include "sim/noc/constants.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;

namespace {

const ChipParams& wormhole() { return chip("wormhole_b0"); }

/// Clocks a core's write takes at its interface, alone: flits, a header and a gap per packet.
Cycle leaves(std::uint64_t bytes) {
    const noc::Constants& c = noc::constants(wormhole());
    const double packets = std::ceil(static_cast<double>(bytes) / c.packet_bytes);
    const double flits = std::ceil(static_cast<double>(bytes) / 32) + packets * (1 + c.packet_gap);
    return static_cast<Cycle>(std::ceil(flits * c.write_flit));
}

/// And on a link.
Cycle passes(std::uint64_t bytes) {
    const double packets = std::ceil(static_cast<double>(bytes) / 8192);
    return static_cast<Cycle>(
        std::ceil(std::ceil(static_cast<double>(bytes) / 32) + packets * (1 + noc::constants(wormhole()).packet_gap)));
}

}  // namespace

TEST_CASE("a server passes one transfer after the other, in the free time from when each is ready") {
    Server server;
    CHECK(server.reserve(0, 0, 5, 100) == 5);
    CHECK(server.reserve(0, 0, 10, 200) == 15);  // waits until 5
    CHECK(server.reserve(0, 40, 10) == 50);      // data that comes late
    CHECK(server.reserve(0, 0, 10) == 25);       // does not keep others waiting
    CHECK(server.reserve(0, 20, 20) == 55);      // 25 to 40, and what is left after 50
    CHECK(server.reserve(0, 0, 1) == 56);        // nothing is free before
    CHECK(server.reserve(0, 70, 0) == 70);       // nothing to move
    CHECK(server.reserve(0, 60, 4) == 64);
    CHECK(server.reserve(0, 56, 4) == 60);  // fits exactly
    CHECK(server.reserve(60, 60, 3) == 67);
    CHECK(server.busy() == 67);
    CHECK(server.bytes() == 300);
}

TEST_CASE("whatever the order of questions, a server works whenever it has work, and never twice at once") {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        Server server;
        std::vector<bool> taken(4000, false);
        Cycle now = 0;
        for (int i = 0; i < 60; ++i) {
            now += random() % 20;
            const Cycle ready = now + random() % 300, length = 1 + random() % 40;
            Cycle at = ready;
            for (Cycle left = length; left > 0; ++at)
                if (!taken[at]) {
                    taken[at] = true;
                    --left;
                }
            REQUIRE(server.reserve(now, ready, length) == at);
        }
    }
}

TEST_CASE("NoC 0 goes right then down, NoC 1 up then left, both round the edges") {
    const auto alone = [](int which, NocCoord from, NocCoord to, std::uint64_t bytes, Cycle ready) {
        return Noc(wormhole()).send(which, from, to, bytes, 0, ready);
    };
    // niu 5 + 9 a hop + niu 5 + the flits at the source's pace
    CHECK(alone(0, {1, 1}, {3, 1}, 64, 0) == 5 + 2 * 9 + 5 + leaves(64));
    CHECK(alone(1, {1, 1}, {3, 1}, 64, 0) == 5 + 8 * 9 + 5 + leaves(64));   // left from 1 over 0 and 9 to 3
    CHECK(alone(0, {1, 2}, {1, 1}, 64, 0) == 5 + 11 * 9 + 5 + leaves(64));  // down from 2 over 11 to 1
    CHECK(alone(1, {1, 2}, {1, 1}, 64, 0) == 5 + 9 + 5 + leaves(64));
    CHECK(alone(0, {9, 11}, {1, 1}, 32, 100) == 100 + 5 + 4 * 9 + 5 + leaves(32));
    CHECK(alone(1, {1, 1}, {9, 11}, 32, 100) == 100 + 5 + 4 * 9 + 5 + leaves(32));
    CHECK(alone(0, {4, 4}, {4, 4}, 32, 7) == 7 + 5 + 5 + leaves(32));  // a core to itself
    CHECK(alone(0, {1, 1}, {2, 1}, 20000, 0) == 19 + leaves(20000));   // three packets
    CHECK(leaves(20000) > (625 + 3) * 102 / 100);
    CHECK(alone(0, {1, 1}, {2, 1}, 0, 0) == 19);
    // DRAM answers more slowly than a core writes
    CHECK(alone(0, {0, 1}, {1, 1}, 8192, 0) > alone(0, {9, 1}, {1, 1}, 8192, 0));
}

TEST_CASE("transfers queue on a link or port they share and on no other") {
    Noc noc(wormhole());
    const std::uint64_t bytes = 3168;
    const NocCoord a{1, 1}, b{3, 1}, c{2, 1}, d{4, 1}, e{1, 2}, f{7, 7}, g{8, 7};
    const Cycle link = passes(bytes), out = leaves(bytes);
    CHECK(noc.send(0, a, b, bytes, 0, 0) == 5 + 18 + 5 + out);
    // the link between is taken from 14 on: nine flits pass before
    CHECK(noc.send(0, c, d, bytes, 0, 0) == 14 + link + link - 9 + 9 + 9 + 5);
    CHECK(noc.send(0, a, e, bytes, 0, 0) == 5 + 9 + 5 + 2 * out);  // a link of its own, the port they share
    CHECK(noc.send(0, f, g, bytes, 0, 0) == 5 + 9 + 5 + out);
}

TEST_CASE("a transfer with late data yields a link to transfers that are ready") {
    Noc noc(wormhole());
    const std::uint64_t bytes = 3168;
    const NocCoord a{1, 1}, b{3, 1}, c{2, 1}, d{4, 1};
    CHECK(noc.send(0, a, b, bytes, 0, 1000) == 1000 + 5 + 18 + 5 + leaves(bytes));
    CHECK(noc.send(0, c, d, bytes, 0, 0) == 5 + 18 + 5 + leaves(bytes));
    // ready at 950: some flits pass before the first, the rest behind
    CHECK(noc.send(0, c, d, bytes, 0, 950) == 955 + 2 * passes(bytes) + 9 + 9 + 5);
}

TEST_CASE("NoC 0 turns once: a transfer right and down contends on both legs") {
    Noc noc(wormhole());
    const NocCoord a{3, 3}, b{3, 5}, c{1, 4};
    const Cycle first = noc.send(0, a, b, 3168, 0, 0);  // takes the link down from (3, 4) from 14 on
    CHECK(first == 28 + leaves(3168));
    // (1, 4) -> (3, 5): two links right, head at 23, then that link down
    CHECK(noc.send(0, c, b, 32, 0, 0) == 14 + passes(3168) + passes(32) + 9 + 5);
}

TEST_CASE("both NoCs of a core share its L1") {
    const std::uint64_t bytes = 31680;
    const NocCoord a{1, 1}, b{3, 1}, c{9, 1};
    Noc noc(wormhole());
    const Cycle first = noc.send(0, a, b, bytes, 0, 0);
    CHECK(first == 28 + leaves(bytes));
    const double both = 2 * 990 / noc::constants(wormhole()).l1_flits;  // clocks its L1 takes for both
    CHECK(static_cast<double>(noc.send(1, a, c, bytes, 0, 0)) == Approx(both + 28).epsilon(0.01));
    CHECK(both > 1.1 * static_cast<double>(leaves(bytes)));
}

TEST_CASE("a core of the largest grid has an L1 of its own") {
    ChipParams large = wormhole();
    large.grid_x = large.grid_y = 64;
    large.worker_x = large.worker_y = {62, 63};
    Noc noc(large);
    const std::uint64_t bytes = 31680;
    const NocCoord corner{63, 63}, left{62, 63};
    const Cycle latency = noc.send(0, corner, left, 0, 0, 0);
    CHECK(noc.send(0, corner, left, bytes, 0, 0) == latency + leaves(bytes));
}

TEST_CASE("a multicast reserves its tree and goes as one") {
    const noc::Constants& c = noc::constants(wormhole());
    const NocEnd row({2, 1}, {4, 1});
    const NocCoord a{1, 1}, b{1, 2};
    Noc noc(wormhole());
    const auto reserved = static_cast<Cycle>(c.multicast_setup) + 2 * 27;  // three links to the farthest
    CHECK(noc.send(0, a, row, 3168, 0, 0) == reserved + leaves(3168) + 5 + 27 + 5);
    // its ejection ports and links are taken, those of other rows are not
    CHECK(noc.send(0, a, row, 3168, 0, 0) == 2 * (reserved + leaves(3168)) + 5 + 27 + 5);
    CHECK(noc.send(0, b, NocEnd({2, 2}, {4, 2}), 3168, 0, 0) == reserved + leaves(3168) + 5 + 27 + 5);
    // no multicast reaches Ethernet cores: the last of them counts
    const NocCoord eth{3, 0};
    CHECK(noc.send(0, NocCoord{9, 7}, NocEnd({2, 0}, eth), 32, 0, 0) ==
          Noc(wormhole()).send(0, NocCoord{9, 7}, eth, 32, 0, 0));
}

TEST_CASE("a DRAM channel serves reads and writes one by one, reads with their latency") {
    MachineOptions options;
    const Machine machine = make_machine("wormhole_b0", options);
    Clock clock;
    Chip chip(machine.chips.front(), clock);
    const MemoryConstants& c = memory_constants("wormhole_b0");
    const auto latency = static_cast<Cycle>(c.access.dram_read);
    const auto length = static_cast<Cycle>(std::ceil(2080 / c.dram.rate(false, 2080)));
    const BufferAddress first{0, 0}, second_memory{0, std::uint64_t{3} << 29};
    CHECK(chip.dram_read(first, 2080, 0) == length + latency);
    CHECK(chip.dram_read(first, 2080, 0) == 2 * length + latency);
    CHECK(chip.dram_read({1, 0}, 2080, 0) == length + latency);         // another channel
    CHECK(chip.dram_read(second_memory, 2080, 0) == length + latency);  // the other memory of the first
    const Cycle write = chip.dram_write({2, 0}, 2080, 0);
    CHECK((write >= length && write <= length + 8));         // a little slower, and its latency is not waited for
    CHECK(chip.dram_write({3, 0}, 2048, 0, 64) == 32 * 65);  // rows of one tile, each merged into what is there
    CHECK(chip.dram_write({4, 0}, 0, 7) == 7);
}

TEST_CASE("the host link works both ways at once, and slower with untilized rows") {
    const Machine machine = make_machine("grayskull", MachineOptions{});
    Clock clock;
    Chip chip(machine.chips.front(), clock);
    const PcieTiming& t = memory_constants("grayskull").pcie;
    const std::uint64_t bytes = 100000;
    const auto clocks = [&](double rate, double latency) {
        return static_cast<Cycle>(std::ceil(static_cast<double>(bytes) / rate) + latency);
    };
    CHECK(chip.host_read(bytes, 0) == clocks(t.read_bytes, t.read_latency));
    CHECK(chip.host_write(bytes, 0, false) == clocks(t.write_bytes, t.write_latency));
    CHECK(chip.host_push(bytes, 0) > clocks(t.push_bytes, t.push_latency));  // behind the read
    Chip other(machine.chips.front(), clock);
    CHECK(other.host_write(bytes, 0, true) == clocks(t.untilized_bytes, t.write_latency));
    CHECK(other.host_push(bytes, 0) == clocks(t.push_bytes, t.push_latency));
}

TEST_CASE("chips of one board share its host link, each card has its own") {
    Clock clock;
    const Machine board_of_two = make_machine("wormhole_b0", {.device = "wh_n300", .chips = 2});
    Board board(board_of_two, clock);
    CHECK((board.host_chip(0) == 0 && board.host_chip(1) == 0));
    Machine two_cards = board_of_two;
    two_cards.chips[1].mmio = true;
    Board cards(two_cards, clock);
    CHECK((cards.host_chip(0) == 0 && cards.host_chip(1) == 1));
    Board peers(make_machine("grayskull", {.chips = 2}), clock);
    CHECK((peers.host_chip(0) == 0 && peers.host_chip(1) == 1));
}

TEST_CASE("an epoch loads once per core, its kernels where others ran before") {
    const Machine machine = make_machine("wormhole_b0", MachineOptions{});
    Clock clock;
    Chip chip(machine.chips.front(), clock);
    const MemoryConstants& c = memory_constants("wormhole_b0");
    const auto clocks = [&](double bytes) {
        return static_cast<Cycle>(std::ceil(bytes / c.epoch.rate + c.epoch.commands * c.access.pointer_poll));
    };
    const int a = 0, b = 0;
    CHECK(chip.load_epoch({{{1, 1}, &a}}) == clocks(c.epoch.blob + c.epoch.kernels));
    CHECK(chip.load_epoch({{{1, 1}, &a}}) == clocks(c.epoch.blob));
    CHECK(chip.load_epoch({{{1, 1}, &b}}) == clocks(c.epoch.blob + c.epoch.kernels));
    // Rows 2, 9 and 10 read through the same channel, row 1 west of column 5 through another.
    CHECK(chip.load_epoch({{{1, 2}, &a}, {{9, 10}, &a}, {{2, 1}, &a}}) == clocks(2 * (c.epoch.blob + c.epoch.kernels)));
    // A full chip: 24 cores at the busiest channel, as the compiler's estimate has it.
    Chip full(machine.chips.front(), clock);
    std::vector<std::pair<NocCoord, const void*>> all;
    for (const int y : machine.chips.front().params.worker_y)
        for (const int x : machine.chips.front().params.worker_x) all.push_back({{x, y}, &a});
    CHECK(static_cast<double>(full.load_epoch(all)) == Approx(full.timing().epoch_load).epsilon(0.01));
}

TEST_CASE("data for another chip crosses a link whose directions are separate") {
    MachineOptions options;
    options.chips = 2;
    const Machine machine = make_machine("wormhole_b0", options);
    Clock clock;
    Board board(machine, clock);
    const EthTiming& eth = *memory_constants("wormhole_b0").eth;
    const NocCoord a = machine.chips[0].worker(0, 0), b = machine.chips[1].worker(0, 0);
    const std::uint64_t bytes = 12100;
    const auto length = static_cast<Cycle>(eth.wire(bytes)), wire = static_cast<Cycle>(eth.arrival(bytes));
    const Cycle alone = board.send(0, a, 1, b, bytes, 0, 0, 0);
    CHECK(alone > wire);
    CHECK(alone < wire + 1500);                                   // the two NoCs around it
    const Cycle second = board.send(0, a, 1, b, bytes, 0, 0, 0);  // same link
    CHECK(second >= alone + length);
    CHECK(board.send(1, b, 0, a, bytes, 0, 0, 0) < second);  // the way back is free
    Clock other;
    Board idle(machine, other);
    CHECK(idle.send(0, a, 1, b, bytes, 0, 0, 0) == alone);
    const NocCoord c = machine.chips[0].worker(7, 7), d = machine.chips[1].worker(7, 7);
    CHECK(idle.send(0, c, 1, d, bytes, 0, 1, 0) < alone + length / 2);  // lane 1 takes the second link
}
