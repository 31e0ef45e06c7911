#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "isa/arch.hpp"
#include "isa/config_dir.hpp"

using namespace ttsim::impl;

namespace {

/// A folder of its own, removed at the end.
class TempDir {
public:
    TempDir() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ttsim_arch_XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~TempDir() { std::filesystem::remove_all(path_); }
    std::string write(const std::string& name, const std::string& text) const {
        const std::string file = (path_ / name).string();
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        std::ofstream(file) << text;
        return file;
    }

private:
    std::filesystem::path path_;
};

std::string message_of(const std::string& file) {
    try {
        (void)read_chip(file);
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        return error.what();
    }
    return "no error";
}

std::string text_of(const std::string& name) {
    const std::filesystem::path file = chip(name).file;
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    for (const std::string part : {"isa", "timing", "memory", "noc"}) {
        const std::string key = "  " + part + ": ";
        text.insert(text.find(key) + key.size(), file.parent_path().string() + "/");
    }
    return text;
}

}  // namespace

TEST_CASE("the configured chips are blackhole, grayskull, wormhole and wormhole_b0") {
    CHECK(chip_names() == std::vector<std::string>{"blackhole", "grayskull", "wormhole", "wormhole_b0"});
    CHECK(default_chip().name == "wormhole_b0");
}

TEST_CASE("reports state which chips are not validated") {
    CHECK(is_validated("grayskull"));
    CHECK(is_validated("wormhole_b0"));
    CHECK_FALSE(is_validated("blackhole"));
    CHECK_FALSE(is_validated("no_chip"));
    CHECK(chip_notes(chip("wormhole_b0")).empty());
    REQUIRE(chip_notes(chip("blackhole")).size() == 1);
    CHECK_THAT(chip_notes(chip("blackhole"))[0], Catch::Contains("chip 'blackhole' is not validated"));
}

TEST_CASE("a chip that is like another one is not validated by that") {
    const TempDir dir;
    const std::string file = dir.write("mine/chip.yaml", "name: mine\nlike: wormhole_b0\nclock_mhz: 900\n");
    const ChipParams p = read_chip(file);
    CHECK_FALSE(p.validated);
    CHECK_FALSE(p.is_default);
    CHECK(p.tt_perf_report == "wormhole_b0");
    CHECK(p.images.epoch_slots == chip("wormhole_b0").images.epoch_slots);
}

TEST_CASE("blackhole has 140 cores, eight DRAM channels, an alignment of 64 bytes, and loses columns") {
    const ChipParams& p = chip("blackhole");
    CHECK((p.grid_x == 17 && p.grid_y == 12));
    CHECK((p.worker_x.size() == 14 && p.worker_y.size() == 10));
    CHECK(p.dram.size() == 8);
    CHECK(p.dram_channel_bytes == std::int64_t{4} << 30);
    CHECK(p.eth.size() == 14);
    CHECK(p.features.noc_alignment == 64);
    CHECK(p.harvests_columns);
    CHECK_FALSE(chip("wormhole_b0").harvests_columns);
    CHECK(p.timing.noc_link_bytes == 64);
}

TEST_CASE("grayskull has 120 cores, eight DRAM channels of one port and no Ethernet") {
    const ChipParams& p = chip("Grayskull");
    CHECK(p.name == "grayskull");
    CHECK((p.grid_x == 13 && p.grid_y == 12));
    CHECK(p.worker_x == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    CHECK(p.worker_y == std::vector<int>{1, 2, 3, 4, 5, 7, 8, 9, 10, 11});
    REQUIRE(p.dram.size() == 8);
    CHECK(p.dram[5] == std::vector<NocCoord>{{7, 6}});
    CHECK(p.dram_channel_bytes == 1 << 30);
    CHECK(p.eth.empty());
    CHECK((p.pcie == NocCoord{0, 4}));
    CHECK((p.arc == NocCoord{0, 2}));
    CHECK(p.clock_mhz == 1200);
    CHECK(p.l1_bytes - p.l1_reserved == 1048576 - 208896);
    CHECK_FALSE(p.harvest_from_end);
    CHECK_FALSE(p.features.fp32_dest);
    CHECK_FALSE(p.features.tiny_tiles);
}

TEST_CASE("wormhole b0 has 80 cores, six DRAM channels of three ports and sixteen Ethernet cores") {
    const ChipParams& p = chip("wormhole_b0");
    CHECK((p.worker_x.size() == 8 && p.worker_y.size() == 10));
    REQUIRE(p.dram.size() == 6);
    CHECK(p.dram[3] == std::vector<NocCoord>{{5, 2}, {5, 9}, {5, 10}});
    CHECK(p.dram_blocks == 2);
    REQUIRE(p.eth.size() == 16);
    CHECK((p.eth[8] == NocCoord{9, 6}));
    CHECK(p.l1_bytes == 1464 * 1024);
    CHECK(p.harvest_from_end);
    CHECK(p.features.fp32_dest);
    CHECK((p.features.dest_tiles_16b == 8 && p.features.dest_tiles_32b == 4));
    CHECK(p.timing.noc_packet_bytes == 8192);
}

TEST_CASE("wormhole A0 differs from B0 in the Dst limit and the packet size only") {
    const ChipParams& a0 = chip("wormhole");
    const ChipParams& b0 = chip("wormhole_b0");
    CHECK(a0.name == "wormhole");
    CHECK((a0.features.dest_tiles_16b == 32 && a0.features.dest_tiles_32b == 16));
    CHECK(a0.timing.noc_packet_bytes == 512);
    CHECK(a0.worker_y == b0.worker_y);
    CHECK(a0.eth == b0.eth);
    CHECK(a0.l1_bytes == b0.l1_bytes);
    CHECK(a0.features.tiny_tiles);
}

TEST_CASE("an unknown chip is refused with the nearest name") {
    try {
        (void)chip("graysull");
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        CHECK_THAT(error.what(), Catch::Contains("did you mean 'grayskull'?") && Catch::Contains("wormhole_b0"));
    }
}

TEST_CASE("mistakes in a chip file are reported at their place") {
    const TempDir dir;
    const std::string good = text_of("wormhole_b0");
    const auto with = [&](const std::string& old_text, const std::string& new_text) {
        std::string text = good;
        const auto at = text.find(old_text);
        REQUIRE(at != std::string::npos);
        return message_of(dir.write("x.yaml", text.replace(at, old_text.size(), new_text)));
    };
    CHECK(with("name: wormhole_b0", "name: other") == "no error");
    CHECK_THAT(with("noc_hop: 9", "noc_hopp: 9"), Catch::Contains("noc_hop"));
    CHECK_THAT(with("noc_hop: 9", "noc_hop: -1"), Catch::Contains("must lie in"));
    CHECK_THAT(with("dram_read_bytes: 22.3", "dram_read_bytes: 0"), Catch::Contains("must be above 0"));
    CHECK_THAT(with("pcie: 0-3", "pcie: 0-30"), Catch::Contains("x.yaml:24:7") && Catch::Contains("y in 0..11"));
    CHECK_THAT(with("pcie: 0-3", "pcie: three"), Catch::Contains("NoC coordinate"));
    CHECK_THAT(with("x: [1, 2,", "x: [2, 1,"), Catch::Contains("must ascend"));
    CHECK_THAT(with("harvest_from_end: true", "harvest_from_end: 3"), Catch::Contains("true or false"));
    CHECK_THAT(with("reserved: 208896", "reserved: 2088960"), Catch::Contains("nothing is left"));
    CHECK_THAT(message_of(dir.write("a/chip.yaml", "name: a\nlike: a\n")), Catch::Contains("is cyclic"));
    CHECK_THAT(message_of(dir.write("b.yaml", "name: b\nlike: nope\n")), Catch::Contains("'nope'"));
    CHECK_THAT(message_of(dir.write("c.yaml", "name: c\n")), Catch::Contains("'grid'"));
    CHECK_THAT(message_of(dir.write("d.yaml", "name: d\nlike: wormhole_b0\ngrid: {x: 5}\n")),
               Catch::Contains("'workers' has 6") && Catch::Contains("5x12"));
    CHECK_THAT(message_of(dir.write("e.yaml", "name: e\nlike: wormhole_b0\ngrid: {y: 9}\nworkers: {y: [1, 2]}\n")),
               Catch::Contains("'dram' has 0-11") && Catch::Contains("10x9"));
}

TEST_CASE("every number of the configuration names its source") {
    for (const std::string& file : {chip("grayskull").file, chip("wormhole").file, chip("wormhole_b0").file,
                                    chip("blackhole").file, config_file("products.yaml")}) {
        std::ifstream in(file);
        std::string line, before;
        int number = 0;
        while (std::getline(in, line)) {
            ++number;
            const std::string value = line.substr(0, line.find('#'));
            const auto colon = value.find(": ");
            const bool has_number =
                colon != std::string::npos && value.find_first_of("0123456789", colon) != std::string::npos &&
                value.find("summary:") == std::string::npos && value.find("name:") == std::string::npos &&
                value.find("like:") == std::string::npos && value.find("chip:") == std::string::npos;
            INFO(file << ":" << number << ": " << line);
            if (has_number)
                CHECK((line.find("# source:") != std::string::npos || line.find("# its ") != std::string::npos ||
                       before.find("source:") != std::string::npos));
            before = line;
        }
        CHECK(number > 5);
    }
}
