#include <catch2/catch.hpp>

#include "isa/arch.hpp"
#include "sim/memory/memory_constants.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;

TEST_CASE("a DRAM channel loses refreshes, page changes and, on tiny writes, a merge") {
    const DramTiming& d = memory_constants("wormhole_b0").dram;
    const ChipTiming& measured = chip("wormhole_b0").timing;  // its figures of one channel
    CHECK(d.rate(false, 8192) == Approx(measured.dram_read_bytes).epsilon(0.01));
    CHECK(d.rate(true, 8192) == Approx(measured.dram_write_bytes).epsilon(0.01));
    CHECK(d.rate(true, 8192) < d.rate(false, 8192));
    CHECK(d.busy(true, 32) == 65);
    CHECK(d.busy(false, 32) == d.request);
    CHECK(d.busy(false, 0) == d.request);
    // Only the vendor's rate of loads is public of Grayskull; channels alone exceed it as much as on Wormhole.
    const MemoryConstants &here = memory_constants("grayskull"), &there = memory_constants("wormhole_b0");
    CHECK(here.dram.rate(false, 8192) / here.epoch.rate ==
          Approx(there.dram.rate(false, 8192) / there.epoch.rate).epsilon(0.01));
    CHECK(memory_constants("wormhole").chip == "wormhole_b0");
}

TEST_CASE("an Ethernet link is limited by its cores for small messages and by the wire for large ones") {
    const EthTiming& e = *memory_constants("wormhole_b0").eth;
    const auto interval = [&](EthReceiver r, bool both, std::uint64_t bytes) { return e.interval(r, both, bytes); };
    CHECK(interval(EthReceiver::Keep, false, 16) == Approx(e.loop + e.send));
    CHECK(interval(EthReceiver::Keep, true, 16) == Approx(e.loop + e.send + e.receive));
    CHECK(interval(EthReceiver::Forward, false, 16) == Approx(e.loop + e.receive + e.forward));
    CHECK(interval(EthReceiver::Keep, false, 8192) == Approx((8192 + 6 * 50) / 12.5));
    CHECK(interval(EthReceiver::Keep, true, 8192) > interval(EthReceiver::Keep, false, 8192));
    CHECK(interval(EthReceiver::ForwardFlushed, false, 16) > interval(EthReceiver::Forward, false, 16));
    CHECK(e.wire(0) == Approx(4));  // a packet of nothing is a packet
    CHECK(e.wire(1500) + 4 < e.wire(1501));
    CHECK(e.round_trip(EthReceiver::Forward, 64) > e.round_trip(EthReceiver::Keep, 64));
    CHECK(e.arrival(8192) - e.arrival(4096) == Approx(e.wire(8192) - e.wire(4096)));
}
