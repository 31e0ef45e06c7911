#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>

#include "netlist/device/descriptor_text.hpp"
#include "netlist/device/device.hpp"
#include "netlist/device/soc_descriptor.hpp"
#include "tests/folders.hpp"
#include "tests/netlist/temp_folder.hpp"
#include "tests/skip.hpp"

using namespace ttsim::impl;
namespace fs = std::filesystem;

namespace {

using Rows = std::vector<int>;

/// The text of the error that make_machine gives, "" for none.
std::string refused(const std::string& arch, const MachineOptions& options) {
    try {
        (void)make_machine(arch, options);
        return "";
    } catch (const Error& error) {
        CHECK(error.fault() != Fault::Internal);
        return error.what();
    }
}

const char* const small_soc = R"(grid: {x_size: 10, y_size: 12}
arc: [0-10]
pcie: [0-3]
dram: [[0-0, 0-1], [5-5]]
eth: [9-0, 1-0]
functional_workers: [1-1, 2-1, 1-2, 2-2]
harvested_workers: []
worker_l1_size: 1499136
dram_bank_size: 1048576
eth_l1_size: 262144
arch_name: WORMHOLE_B0
)";

std::string small_with(const std::string& old_text, const std::string& new_text) {
    std::string text = small_soc;
    const auto at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    return write_temp("small.yaml", text.replace(at, old_text.size(), new_text));
}

}  // namespace

TEST_CASE("the default machine is one unharvested chip of the arch") {
    const Machine m = make_machine("grayskull", {});
    REQUIRE(m.chips.size() == 1);
    CHECK(m.name == "grayskull");
    CHECK(m.links.empty());
    CHECK(m.chips[0].mmio);
    const DeviceGrid grid = m.grid(0);
    CHECK((grid.rows == 10 && grid.cols == 12 && grid.dram_channels == 8 && grid.eth_channels == 0));
    CHECK(grid.dram_channel_bytes == 1 << 30);
    CHECK((m.chips[0].worker(5, 0) == NocCoord{1, 7}));
    CHECK(m.find(1) == nullptr);
    CHECK(m.grid(3).rows == 0);
}

TEST_CASE("products have the rows that their harvesting leaves") {
    std::map<std::string, ProductInfo> by_name;
    for (const ProductInfo& product : products()) by_name[product.name] = product;
    REQUIRE(by_name.size() == 9);
    const auto shape = [&](const std::string& name) {
        const ProductInfo& p = by_name.at(name);
        return std::vector<std::int64_t>{p.chips, p.rows, p.cols};
    };
    CHECK(shape("gs_e75") == std::vector<std::int64_t>{1, 8, 12});
    CHECK(shape("gs_e150") == std::vector<std::int64_t>{1, 10, 12});
    CHECK(shape("gs_e300") == std::vector<std::int64_t>{1, 8, 12});
    CHECK(shape("wh_n150") == std::vector<std::int64_t>{1, 9, 8});
    CHECK(shape("wh_n300") == std::vector<std::int64_t>{2, 8, 8});
    CHECK(shape("galaxy") == std::vector<std::int64_t>{32, 10, 8});
    CHECK(shape("p100a") == std::vector<std::int64_t>{1, 10, 12});
    CHECK(shape("p150a") == std::vector<std::int64_t>{1, 10, 14});
    CHECK(shape("p150b") == std::vector<std::int64_t>{1, 10, 14});
}

TEST_CASE("an e300 renumbers its logical rows over rows 2 to 10") {
    const Machine m = make_machine("grayskull", {"gs_e300", "", {}, 1});
    CHECK(m.chips[0].harvested_rows == Rows{1, 11});
    CHECK(m.chips[0].params.worker_y == Rows{2, 3, 4, 5, 7, 8, 9, 10});
    CHECK((m.chips[0].worker(4, 11) == NocCoord{12, 7}));
}

TEST_CASE("an e75 runs at 1 GHz and an e150 at 1.2 GHz") {
    CHECK(make_machine("grayskull", {"gs_e75", "", {}, 1}).chips[0].params.clock_mhz == 1000);
    CHECK(make_machine("grayskull", {"gs_e150", "", {}, 1}).chips[0].params.clock_mhz == 1200);
}

TEST_CASE("an n300 has two chips with different rows missing and two links") {
    const Machine m = make_machine("wormhole_b0", {"WH_n300", "", {}, 1});
    REQUIRE(m.chips.size() == 2);
    CHECK(m.chips[0].params.worker_y == Rows{1, 3, 4, 5, 7, 8, 9, 10});
    CHECK(m.chips[1].params.worker_y == Rows{1, 2, 3, 4, 5, 8, 9, 10});
    CHECK((m.links == std::vector<EthLink>{{0, 8, 1, 0}, {0, 9, 1, 1}}));
    CHECK((m.chips[0].mmio && !m.chips[1].mmio));
    CHECK(m.route(1, 0) == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("a galaxy is a mesh of 4 by 8 chips with four links per neighbour") {
    const Machine m = make_machine("wormhole_b0", {"galaxy", "", {}, 32});
    CHECK(m.chips.size() == 32);
    CHECK(m.links.size() == 4 * (3 * 8 + 4 * 7));
    CHECK(m.route(0, 31) == std::vector<std::int64_t>{0, 1, 2, 3, 7, 11, 15, 19, 23, 27, 31});
}

TEST_CASE("products also serve wormhole A0, whose chip has the same layout") {
    CHECK(make_machine("wormhole", {"wh_n150", "", {}, 1}).chips[0].params.features.dest_tiles_16b == 32);
}

TEST_CASE("harvested rows on the command line come off every chip") {
    const Machine m = make_machine("grayskull", {"", "", {11, 3}, 2});
    REQUIRE(m.chips.size() == 2);
    CHECK(m.chips[1].harvested_rows == Rows{3, 11});
    CHECK(m.grid(1).rows == 8);
    CHECK(make_machine("grayskull", {"gs_e300", "", {1, 2}, 1}).chips[0].harvested_rows == Rows{1, 2, 11});
    CHECK_THAT(refused("grayskull", {"", "", {6}, 1}), Catch::Contains("--harvested-rows names row 6"));
    CHECK_THAT(refused("grayskull", {"", "", {1, 2, 3, 4, 5, 7, 8, 9, 10, 11}, 1}), Catch::Contains("without cores"));
}

TEST_CASE("boards of a chip that harvests columns lose these, and have the DRAM channels of the board") {
    const Machine m = make_machine("blackhole", {"p100a", "", {}, 1});
    const ChipInstance& card = m.chips.front();
    CHECK(card.harvested_columns == std::vector<int>{15, 16});
    CHECK(card.harvested_rows.empty());
    CHECK((m.grid(0).cols == 12 && m.grid(0).rows == 10));
    CHECK(m.grid(0).dram_channels == 7);
    CHECK(make_machine("blackhole", {"p150a", "", {}, 1}).grid(0).cols == 14);
    CHECK(make_machine("blackhole", {"p150a", "", {11}, 1}).grid(0).rows == 9);  // rows by the command line
}

TEST_CASE("a soc descriptor names harvested columns of chips that harvest columns") {
    const Machine m = make_machine("blackhole", {"p100a", "", {}, 1});
    const std::string file = write_temp("card.yaml", soc_descriptor_text(m.chips.front()));
    const Machine again = make_machine("blackhole", {file, "", {}, 1});
    CHECK(again.chips[0].harvested_columns == std::vector<int>{15, 16});
    CHECK(again.chips[0].harvested_rows.empty());
    CHECK(again.chips[0].params.worker_x == m.chips[0].params.worker_x);
    CHECK_THAT(refused("wormhole_b0", {small_with("harvested_workers: []", "harvested_workers: [3-1]"), "", {}, 1}),
               Catch::Contains("whole rows are harvested"));
}

TEST_CASE("several grayskull boards reach each other peer to peer over PCIe") {
    const Machine m = make_machine("grayskull", {"gs_e150", "", {}, 4});
    REQUIRE(m.chips.size() == 4);
    CHECK(m.links.empty());
    CHECK(m.chips[3].mmio);
    CHECK(m.route(0, 3) == std::vector<std::int64_t>{0, 3});
    CHECK(m.route(2, 2) == std::vector<std::int64_t>{2});
    CHECK(m.route(0, 9).empty());
}

TEST_CASE("devices that cannot be are refused") {
    CHECK_THAT(refused("wormhole_b0", {"gs_e150", "", {}, 1}), Catch::Contains("grayskull chips"));
    CHECK_THAT(refused("wormhole_b0", {"wh_n15", "", {}, 1}), Catch::Contains("did you mean 'wh_n150'?"));
    CHECK_THAT(refused("wormhole_b0", {"wh_n300", "", {}, 3}), Catch::Contains("has 2 chips"));
    CHECK_THAT(refused("wormhole_b0", {"nowhere/x.yaml", "", {}, 1}), Catch::Contains("nowhere/x.yaml"));
    CHECK_THAT(refused("redhole", {}), Catch::Contains("no chip 'redhole'") && Catch::Contains("known: blackhole"));
    CHECK_THAT(refused("wormhole_b0", {"", "", {}, 5000}), Catch::Contains("1024"));
}

TEST_CASE("a soc descriptor gives locations and sizes, the base chip features and timing") {
    const Machine m = make_machine("wormhole_b0", {write_temp("small.yaml", small_soc), "", {}, 1});
    CHECK(m.name == "small");
    const ChipParams& p = m.chips[0].params;
    CHECK((p.worker_x == Rows{1, 2} && p.worker_y == Rows{1, 2}));
    CHECK((p.dram == std::vector<std::vector<NocCoord>>{{{0, 0}, {0, 1}}, {{5, 5}}}));
    CHECK(p.dram_channel_bytes == 1048576);
    CHECK((p.eth == std::vector<NocCoord>{{9, 0}, {1, 0}}));
    CHECK(p.features.fp32_dest);
    CHECK(p.timing.noc_hop == 9);
}

TEST_CASE("mistakes in a soc descriptor are reported at their place") {
    const auto message = [](const std::string& file) { return refused("wormhole_b0", {file, "", {}, 1}); };
    CHECK_THAT(message(small_with("WORMHOLE_B0", "REDHOLE")), Catch::Contains("'redhole' is not modelled"));
    CHECK_THAT(message(small_with("WORMHOLE_B0", "BLACKHOLE")), Catch::Contains("descriptor is for blackhole"));
    CHECK_THAT(message(small_with("WORMHOLE_B0", "GRAYSKULL")), Catch::Contains("descriptor is for grayskull"));
    CHECK_THAT(message(small_with("pcie: [0-3]", "pcie: [0-12]")), Catch::Contains("small.yaml:3:8"));
    CHECK_THAT(message(small_with("2-2]", "2-x]")), Catch::Contains("small.yaml:6:37") && Catch::Contains("x-y"));
    CHECK_THAT(message(small_with(", 2-2]", "]")), Catch::Contains("lacks core 2-2"));
    CHECK_THAT(message(small_with("2-2]", "1-2]")), Catch::Contains("twice"));
    CHECK_THAT(message(small_with("harvested_workers: []", "harvested_workers: [3-1]")), Catch::Contains("row 1"));
    CHECK_THAT(message(small_with("[1-1, 2-1, 1-2, 2-2]", "[]")), Catch::Contains("needs a core"));
    CHECK_THAT(message(small_with("[5-5]", "[]")), Catch::Contains("at least one place"));
    CHECK_THAT(message(small_with("worker_l1_size: 1499136\n", "")), Catch::Contains("'worker_l1_size'"));
    CHECK_THAT(message(small_with("arc:", "ark:")), Catch::Contains("'arc'"));
}

TEST_CASE("a translated descriptor is mapped back to physical places, missing rows are the last ones") {
    std::string text = small_soc;
    const auto put = [&](const std::string& a, const std::string& b) { text.replace(text.find(a), a.size(), b); };
    put("grid: {x_size: 10, y_size: 12}", "grid: {x_size: 32, y_size: 32}\nphysical: {x_size: 10, y_size: 12}");
    put("eth: [9-0, 1-0]", "eth: [25-16, 18-17]");
    std::string workers;
    for (int y = 18; y <= 26; ++y)
        for (int x = 18; x <= 25; ++x) workers += std::to_string(x) + "-" + std::to_string(y) + ", ";
    put("1-1, 2-1, 1-2, 2-2", workers);
    const Machine m = make_machine("wormhole_b0", {write_temp("t.yaml", text), "", {}, 1});
    const ChipInstance& c = m.chips[0];
    CHECK(c.params.grid_y == 12);
    CHECK(c.params.worker_x == Rows{1, 2, 3, 4, 6, 7, 8, 9});
    CHECK(c.params.worker_y == Rows{1, 2, 3, 4, 5, 7, 8, 9, 10});
    CHECK(c.harvested_rows == Rows{11});
    CHECK((c.params.eth == std::vector<NocCoord>{{9, 0}, {1, 6}}));
}

TEST_CASE("every real soc descriptor is read with the size in its name") {
    const fs::path folder = ttsim::impl::test::shared_folder() / "devices";
    if (ttsim::impl::test::skip_without(folder)) return;
    const std::map<std::string, std::vector<std::int64_t>> wanted{
        {"grayskull_10x12", {10, 12, 8, 0}},         {"grayskull_120_arch", {10, 12, 8, 0}},
        {"grayskull_1x1_arch", {1, 1, 1, 0}},        {"wormhole_80_arch", {10, 8, 6, 16}},
        {"wormhole_8x10", {10, 8, 6, 16}},           {"wormhole_8x10_harvested", {10, 8, 6, 16}},
        {"wormhole_b0_1x1", {1, 1, 6, 16}},          {"wormhole_b0_4x6", {4, 6, 6, 16}},
        {"wormhole_b0_80_arch", {10, 8, 6, 16}},     {"wormhole_b0_80_harvested", {10, 8, 6, 16}},
        {"wormhole_b0_8x10", {10, 8, 6, 16}},        {"wormhole_b0_8x10_harvested", {10, 8, 6, 16}},
        {"wormhole_b0_9x8_harvested", {9, 8, 6, 16}}};
    std::size_t seen = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().stem().string();
        INFO(name);
        REQUIRE(wanted.contains(name));
        const std::string arch = name.starts_with("grayskull")     ? "grayskull"
                                 : name.starts_with("wormhole_b0") ? "wormhole_b0"
                                                                   : "wormhole";
        const Machine m = make_machine(arch, {entry.path().string(), "", {}, 1});
        const DeviceGrid g = m.grid(0);
        CHECK(std::vector<std::int64_t>{g.rows, g.cols, g.dram_channels, g.eth_channels} == wanted.at(name));
        if (name.find("8x10") != std::string::npos || name.find("80") != std::string::npos) {
            CHECK(m.chips[0].params.worker_y == chip(arch).worker_y);
            CHECK(m.chips[0].params.eth == chip(arch).eth);
            CHECK(m.chips[0].harvested_rows.empty());
        }
        if (name == "wormhole_b0_9x8_harvested") CHECK(m.chips[0].harvested_rows == Rows{11});
        ++seen;
    }
    CHECK(seen == wanted.size());
}
