// One case of a bench, by what the chips' files say.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "isa/arch.hpp"
#include "tools/validation/kernel_case.hpp"
#include "tools/validation/link_bench.hpp"

using namespace ttsim::impl;

TEST_CASE("an Ethernet case takes longer with acknowledgement and hop by hop") {
    const sim::EthBenchResult one = sim::eth_bench({.bytes = 1024}, chip("wormhole_b0"));
    CHECK(one.gb_per_second == Approx(1024 / one.interval_ns));
    CHECK(one.round_trip_ns > one.arrival_ns);
    const sim::EthBenchCase four{.bytes = 1024, .hops = 4};
    const sim::EthBenchResult relayed = sim::eth_bench(four, chip("wormhole_b0"));
    CHECK(relayed.relayed_ns == Approx(4 * one.relayed_ns));
    CHECK_THAT(sim::eth_text(four, relayed), Catch::Contains("over 4 hops of packet routers"));
    CHECK_THAT(sim::eth_json(four, relayed, "wormhole_b0"), Catch::Contains("\"receiver\": \"keep\""));
    CHECK_THROWS_WITH(sim::eth_bench({}, chip("grayskull")), Catch::Contains("grayskull has no Ethernet cores"));
}

TEST_CASE("a DRAM case must fit the chip") {
    CHECK_THROWS_WITH(sim::dram_bench({.channels = 60}, chip("wormhole_b0")), Catch::Contains("wormhole_b0 has 12"));
    CHECK_THROWS_WITH(sim::dram_bench({.tiles = 1000}, chip("grayskull")), Catch::Contains("grayskull has 120"));
}

TEST_CASE("a single kernel is named as rows name it") {
    const KernelRow row = single_kernel("exp", {"ublock_ct=4"}, "wormhole_b0");
    CHECK(row.shape->ublock_ct == 4);
    const KernelModel& model = kernel_model("wormhole_b0");
    CHECK_THAT(describe_kernel(row, model), Catch::Contains("limited by math"));
    CHECK_THAT(disassemble_kernel(row, model), Catch::StartsWith("; only micro-block"));
    CHECK_THROWS_WITH(single_kernel("exp", {"ublock_cl=4"}, "wormhole_b0"), Catch::Contains("did you mean"));
    CHECK_THROWS_WITH(single_kernel("topk", {}, "wormhole_b0"), Catch::Contains("no kernel model for topk"));
}
