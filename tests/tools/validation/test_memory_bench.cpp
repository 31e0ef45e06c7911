#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

#include "sim/memory/memory_constants.hpp"
#include "tests/folders.hpp"
#include "tests/skip.hpp"
#include "tools/validation/dram_bench.hpp"
#include "tools/validation/memory_rows.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;

namespace {

double rate(const char* chip_name, DramBenchCase what) {
    return dram_bench(what, chip(chip_name), memory_constants(chip_name)).bytes_per_clock;
}

std::string eth_refusal(const std::string& rows) {
    try {
        predict_eth_rows(parse_csv("arch,test,direction,packet_bytes,unit\n" + rows, "rows.csv", eth_columns()),
                         "wormhole_b0");
    } catch (const Error& e) {
        CHECK(e.exit_code() == 2);
        return e.what();
    }
    return "";
}

std::string dram_refusal(const std::string& row) {
    const std::string columns = "arch,n_dram_channels,n_tensix_tiles,pairing,direction,vc_alloc,noc,GBps\n";
    try {
        predict_dram_rows(parse_csv(columns + row, "rows.csv", dram_columns()), "wormhole_b0");
    } catch (const Error& e) {
        CHECK(e.exit_code() == 2);
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("one channel serves few and many tiles alike, until writers choose virtual channels freely") {
    DramBenchCase c;
    const double one = rate("wormhole_b0", c);
    CHECK(one == Approx(22.3).epsilon(0.02));
    c.tiles = 48;
    CHECK(rate("wormhole_b0", c) == Approx(one).epsilon(0.02));
    c.tiles = 12;
    c.write = true;
    CHECK(rate("wormhole_b0", c) == Approx(21.9).epsilon(0.02));
    c.static_vc = false;
    CHECK(rate("wormhole_b0", c) < 12);
    c.tiles = 1;
    CHECK(rate("wormhole_b0", c) == Approx(21.9).epsilon(0.05));
}

TEST_CASE("all channels give their sum to tiles chosen with care, less to tiles drawn at random") {
    DramBenchCase c;
    c.channels = 12;
    c.tiles = 12;
    c.pairing = Pairing::Separate;
    CHECK(rate("wormhole_b0", c) == Approx(12 * 22.3).epsilon(0.02));
    c.write = true;
    c.noc = 1;
    CHECK(rate("wormhole_b0", c) == Approx(12 * 21.9).epsilon(0.02));
    c.write = false;
    c.pairing = Pairing::Random;
    c.noc = 0;
    const double right_then_down = rate("wormhole_b0", c);
    c.noc = 1;  // all answers climb the two DRAM columns
    const double up_then_left = rate("wormhole_b0", c);
    CHECK(right_then_down < 240);
    CHECK(up_then_left < 0.75 * right_then_down);
}

TEST_CASE("the same case gives the same bandwidth, another seed another one") {
    DramBenchCase c;
    c.channels = 12;
    c.tiles = 24;
    const double first = rate("wormhole_b0", c);
    CHECK(rate("wormhole_b0", c) == first);
    c.seed = 2;
    CHECK(rate("wormhole_b0", c) != first);
}

TEST_CASE("rows without a model get a reason, wrong rows a message with their line") {
    const CsvFile file = parse_csv(
        "arch,test,direction,packet_bytes,expected,unit\n"
        "grayskull,erisc_bw,uni,64,1,GB/s\nwormhole_b0,erisc_jitter,uni,64,1,ns\n"
        "wormhole_b0,erisc_latency,bi,64,900,ns\nwormhole_b0,1d_fabric_mean,num_hops=4,64,,ns\n",
        "rows.csv", eth_columns());
    const BenchRows rows = predict_eth_rows(file, "wormhole_b0");
    CHECK(rows.predictions[0].reason == "arch is grayskull, predicted is wormhole_b0");
    CHECK(rows.predictions[1].reason == "no model of the test 'erisc_jitter'");
    CHECK(rows.predictions[2].reason == "no model of latency with traffic in both directions");
    REQUIRE(rows.predictions[3].predicted);
    CHECK(bench_csv(rows, "predicted").find("64,1,ns,,no model of the test 'erisc_jitter'\n") != std::string::npos);
    CHECK(predict_eth_rows(file, "grayskull").predictions[0].reason == "grayskull has no Ethernet cores");

    CHECK_THAT(eth_refusal("wormhole_b1,erisc_bw,uni,64,\n"),
               Catch::Contains("rows.csv:2: error: 'arch' is 'wormhole_b1'"));
    CHECK_THAT(eth_refusal("wormhole_b0,erisc_bw,uni,-64,\n"), Catch::Contains("an integer in 1..1048576 is wanted"));
    CHECK_THAT(eth_refusal("wormhole_b0,erisc_bw,both,64,\n"),
               Catch::Contains("'direction' is 'both'; known: uni, bi"));
    CHECK_THAT(eth_refusal("wormhole_b0,erisc_bw,uni,64,ns\n"), Catch::Contains("'unit' is 'ns'; GB/s is wanted"));
    CHECK_THAT(eth_refusal("wormhole_b0,1d_fabric_mean,far,64,\n"), Catch::Contains("num_hops=N"));
    CHECK_THAT(dram_refusal("wormhole_b0,13,1,randomly,read,Static,0,1\n"),
               Catch::Contains("'n_dram_channels' is '13'; an integer in 1..12"));
    CHECK_THAT(dram_refusal("wormhole_b0,1,-4,randomly,read,Static,0,1\n"),
               Catch::Contains("'n_tensix_tiles' is '-4'"));
    CHECK_THAT(dram_refusal("wormhole_b0,1,1,somehow,read,Static,0,1\n"), Catch::Contains("'pairing' is 'somehow'"));
    CHECK_THAT(dram_refusal("wormhole_b0,1,1,randomly,read,Static,2,0\n"), Catch::Contains("'GBps' is '0'"));
}

TEST_CASE("measured DRAM and Ethernet rows are predicted within their bounds") {
    const std::filesystem::path folder = ttsim::impl::test::shared_folder() / "silicon";
    if (ttsim::impl::test::skip_without(folder)) return;
    const auto dram = bench_errors(
        predict_dram_rows(read_csv(folder / "dram_bandwidth_one_channel.csv", dram_columns()), "wormhole_b0"));
    REQUIRE_FALSE(dram.empty());
    INFO("DRAM: mean error " << dram.back().mean << " %");
    CHECK(dram.back().mean < 3);
    for (const PredictionErrors& e :
         bench_errors(predict_eth_rows(read_csv(folder / "ethernet_link.csv", eth_columns()), "wormhole_b0"))) {
        INFO(e.group << ": mean error " << e.mean << " %, worst " << e.worst << " %");
        CHECK(e.mean < 5);
        CHECK(e.worst < 10);
    }
}
