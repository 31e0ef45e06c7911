#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>

#include "netlist/device/cluster.hpp"
#include "tests/folders.hpp"
#include "tests/netlist/temp_folder.hpp"
#include "tests/skip.hpp"

using namespace ttsim::impl;
namespace fs = std::filesystem;

namespace {

std::string write_cluster(const std::string& text) { return write_temp("c.yaml", text); }

Cluster read_text(const std::string& text) { return read_cluster(write_cluster(text), chip("wormhole_b0")); }

std::string refused(const std::string& text) {
    try {
        (void)read_text(text);
        return "";
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        return error.what();
    }
}

const std::string two = "chips: {0: [0,0,0,0], 1: 1-0}\n";
const std::string host = "chips_with_mmio: [0]\n";

}  // namespace

TEST_CASE("a cluster gives chips in order, links and host chips") {
    const Cluster c = read_text(
        "chips: {3: 3-5, 0: [1,2,0,0]}\n"
        "ethernet_connections: [[{chip: 3, chan: 15}, {chip: 0, chan: 2}]]\n"
        "chips_with_mmio: [0: 1, 3]\n"
        "harvesting: {0: {noc_translation: True, harvest_mask: 33}}\n");
    CHECK(c.chips == std::vector<std::int64_t>{0, 3});
    CHECK(c.links == std::vector<EthLink>{{3, 15, 0, 2}});
    CHECK(c.mmio == std::set<std::int64_t>{0, 3});
    CHECK(c.harvested.at(0) == std::vector<int>{1, 7});  // Tensix rows 0 and 5
}

TEST_CASE("a link given from both sides counts once") {
    const Cluster c = read_text(two +
                                "ethernet_connections: [[{chip: 0, chan: 8}, {chip: 1, chan: 0}], "
                                "[{chip: 1, chan: 0}, {chip: 0, chan: 8}]]\n" +
                                host);
    CHECK(c.links == std::vector<EthLink>{{0, 8, 1, 0}});
}

TEST_CASE("mistakes in a cluster are all reported at their places") {
    const std::string conflict = refused(two +
                                         "ethernet_connections:\n - [{chip: 0, chan: 8}, {chip: 1, chan: 0}]\n"
                                         " - [{chip: 1, chan: 1}, {chip: 0, chan: 8}]\n"
                                         " - [{chip: 1, chan: 16}, {chip: 0, chan: 9}]\n" +
                                         host);
    CHECK_THAT(conflict, Catch::Contains("c.yaml:4:4: error: channel 8 of chip 0 is already connected"));
    CHECK_THAT(conflict, Catch::Contains("c.yaml:5:") && Catch::Contains("must lie in 0..15"));
    const auto links = [&](const std::string& list) {
        return refused(two + "ethernet_connections: " + list + "\n" + host);
    };
    CHECK_THAT(links("[[{chip: 0, chan: 1}, {chip: 0, chan: 2}]]"), Catch::Contains("connected to itself"));
    CHECK_THAT(links("[[{chip: 0, chan: 1}, {chip: 2, chan: 2}]]"), Catch::Contains("chip 2 is not among"));
    CHECK_THAT(links("[[{chip: 0, chan: 1}]]"), Catch::Contains("two ends"));
    CHECK_THAT(links("[[{chip: 0, chan: 1}, {chip: 1, chen: 2}]]"), Catch::Contains("'chan'"));
    CHECK_THAT(refused("chips: {0: [0,0,0,0], 0: [0,0,0,1]}\nethernet_connections: []\n" + host),
               Catch::Contains("given twice"));
    CHECK_THAT(refused("chips: {0: [0]}\nethernet_connections: []\n" + host), Catch::Contains("[x, y, rack, shelf]"));
    CHECK_THAT(refused(two + "ethernet_connections: []\nchips_with_mmio: [7]\n"), Catch::Contains("chip 7"));
    CHECK_THAT(refused(two + "ethernet_connections: []\n"), Catch::Contains("'chips_with_mmio'"));
    CHECK_THAT(refused(two + "ethernet_connections: []\n" + host + "harvest: {}\n"), Catch::Contains("'harvest'"));
}

TEST_CASE("the default mesh is the one nearest to a square") {
    const std::vector<std::pair<std::int64_t, std::int64_t>> wanted{{1, 1}, {2, 2}, {3, 3}, {4, 2},  {5, 3},  {6, 3},
                                                                    {7, 3}, {8, 4}, {9, 3}, {12, 4}, {16, 4}, {32, 8}};
    for (const auto& [count, width] : wanted) {
        INFO(count);
        CHECK(mesh_width(count) == width);
    }
}

TEST_CASE("in a default mesh no channel is used twice and every chip is reached") {
    const ChipParams& wormhole = chip("wormhole_b0");
    for (std::int64_t count = 1; count <= 40; ++count) {
        const Cluster c = default_cluster(count, 0, wormhole);
        std::set<std::pair<std::int64_t, std::int64_t>> used;
        for (const EthLink& link : c.links) {
            CHECK(used.emplace(link.chip_a, link.channel_a).second);
            CHECK(used.emplace(link.chip_b, link.channel_b).second);
            CHECK((link.channel_a < 16 && link.channel_b < 16));
        }
        Machine m;
        for (const std::int64_t id : c.chips) m.chips.push_back({id, wormhole, {}, false});
        m.links = c.links;
        for (const std::int64_t id : c.chips) CHECK(!m.route(0, id).empty());
    }
}

TEST_CASE("a default mesh uses the channels that the chip has") {
    ChipParams few = chip("wormhole_b0");
    few.eth.resize(14);
    for (const std::int64_t count : {2, 6, 12}) {
        std::set<std::pair<std::int64_t, std::int64_t>> used;
        for (const EthLink& link : default_cluster(count, 0, few).links) {
            CHECK(used.emplace(link.chip_a, link.channel_a).second);
            CHECK(used.emplace(link.chip_b, link.channel_b).second);
            CHECK((link.channel_a < 14 && link.channel_b < 14));
        }
        CHECK(!used.empty());
    }
    few.eth.resize(1);
    CHECK(default_cluster(2, 0, few).links == std::vector<EthLink>{{0, 0, 1, 0}});
    CHECK_THROWS_WITH(default_cluster(3, 0, few), Catch::Contains("give a --cluster"));
}

TEST_CASE("a cluster's harvesting mask is of columns on chips that harvest columns") {
    const std::string text =
        two + "ethernet_connections: []\n" + host + "harvesting: {1: {noc_translation: True, harvest_mask: 0x2001}}\n";
    CHECK(read_cluster(write_cluster(text), chip("blackhole")).harvested.at(1) == std::vector<int>{1, 16});
}

TEST_CASE("routes are shortest and take the lowest ids on ties") {
    Machine m;
    for (std::int64_t id = 0; id < 5; ++id) m.chips.push_back({id, chip("wormhole_b0"), {}, false});
    m.links = {{0, 0, 2, 0}, {0, 1, 1, 0}, {2, 1, 3, 0}, {1, 1, 3, 1}};
    CHECK(m.route(0, 3) == std::vector<std::int64_t>{0, 1, 3});
    CHECK(m.route(3, 0) == std::vector<std::int64_t>{3, 1, 0});
    CHECK(m.route(2, 1) == std::vector<std::int64_t>{2, 0, 1});
    CHECK(m.route(0, 4).empty());
}

TEST_CASE("a cluster must hold the chips of the netlist") {
    const std::string file = write_cluster(two + "ethernet_connections: []\n" + host);
    CHECK(make_machine("wormhole_b0", {"", file, {}, 2}).chips.size() == 2);
    CHECK(make_machine("wormhole_b0", {"wh_n150", file, {}, 2}).grid(1).rows == 9);
    CHECK_THROWS_WITH(make_machine("wormhole_b0", {"", file, {}, 3}), Catch::Contains("ends at chip 1"));
    CHECK_THROWS_WITH(make_machine("wormhole_b0", {"", "missing.yaml", {}, 1}), Catch::Contains("missing.yaml"));
}

TEST_CASE("every real cluster descriptor reads, and the broken one is refused at the link") {
    const fs::path folder = ttsim::impl::test::shared_folder() / "clusters";
    if (ttsim::impl::test::skip_without(folder)) return;
    std::size_t good = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        INFO(name);
        if (name == "wormhole_2chip_invalid_bidirectional_cluster.yaml") {
            CHECK_THROWS_WITH(make_machine("wormhole_b0", {"", entry.path().string(), {}, 1}),
                              Catch::Contains(":9:3: error: channel ") && Catch::Contains("already connected"));
            continue;
        }
        const Machine m = make_machine("wormhole_b0", {"", entry.path().string(), {}, 1});
        for (const ChipInstance& c : m.chips) CHECK(!m.route(0, c.id).empty());
        CHECK(m.chips[0].mmio);
        if (name == "nebulax1_galaxy_cluster_desc.yaml") {
            CHECK(m.chips.size() == 33);
            CHECK(m.chips[0].harvested_rows == std::vector<int>{1});
        }
        if (name == "wormhole_2chip_bidirectional_cluster.yaml") CHECK(m.links.size() == 2);
        ++good;
    }
    CHECK(good == 20);
}
