// Where chips come from: folders searched in order, parts laid over those of another chip.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "isa/arch.hpp"
#include "isa/chip_part.hpp"
#include "isa/config_dir.hpp"
#include "isa/instruction.hpp"

using namespace ttsim::impl;
namespace fs = std::filesystem;

namespace {

/// A configuration folder of its own, searched first while it lives.
class OwnConfigs {
public:
    OwnConfigs() {
        std::string pattern = (fs::temp_directory_path() / "ttsim_configs_XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~OwnConfigs() {
        set_config_dir("");
        unsetenv("TTSIM_CONFIG_DIR");
        fs::remove_all(path_);
    }
    std::string write(const std::string& name, const std::string& text) const {
        const fs::path file = path_ / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file.string();
    }
    std::string path() const { return path_.string(); }

private:
    fs::path path_;
};

std::string message(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a folder that is given, then the environment's, then the sources' are searched") {
    const OwnConfigs given, environment;
    given.write("edges.yaml", "a: 1\n");
    environment.write("edges.yaml", "b: 1\n");
    environment.write("only.yaml", "c: 1\n");
    const std::string usual = config_file("edges.yaml");
    setenv("TTSIM_CONFIG_DIR", environment.path().c_str(), 1);
    CHECK(config_file("edges.yaml") == environment.path() + "/edges.yaml");
    set_config_dir(given.path());
    CHECK(config_file("edges.yaml") == given.path() + "/edges.yaml");
    CHECK(config_file("only.yaml") == environment.path() + "/only.yaml");
    CHECK(config_files("edges.yaml") ==
          std::vector<std::string>{given.path() + "/edges.yaml", environment.path() + "/edges.yaml", usual});
    CHECK_THAT(message([] { (void)config_file("nope.yaml"); }),
               Catch::Contains("nope.yaml") && Catch::Contains(given.path()) && Catch::Contains(environment.path()));
    set_config_dir("");
    unsetenv("TTSIM_CONFIG_DIR");
    CHECK(config_file("edges.yaml") == usual);
    CHECK_THAT(message([] { set_config_dir("/no/such/folder"); }), Catch::Contains("/no/such/folder"));
}

TEST_CASE("two chips of one name in two folders are two chips") {
    const OwnConfigs first, second;
    first.write("chips/twin/chip.yaml", "name: twin\nlike: wormhole_b0\nclock_mhz: 700\n");
    second.write("chips/twin/chip.yaml", "name: twin\nlike: grayskull\nclock_mhz: 900\n");
    set_config_dir(first.path());
    const ChipParams& one = chip("twin");
    CHECK(one.clock_mhz == 700);
    CHECK(one.files.isa == chip("wormhole_b0").files.isa);
    CHECK(instruction_set("twin").arch() == "wormhole_b0");
    set_config_dir(second.path());
    CHECK(chip("twin").clock_mhz == 900);
    CHECK(instruction_set("twin").arch() == "grayskull");
    CHECK(one.clock_mhz == 700);
    CHECK(instruction_set(one.timing.chip).arch() == "wormhole_b0");
}

TEST_CASE("a chip is named by the path of its folder or file, and by its name afterwards") {
    const OwnConfigs dir;
    const std::string file = dir.write("somewhere/chip.yaml", "name: pathfinder\nlike: grayskull\nclock_mhz: 5\n");
    CHECK_FALSE(is_chip_path("pathfinder"));
    CHECK(is_chip_path(dir.path() + "/somewhere"));
    CHECK(is_chip_path(file));
    CHECK_THAT(message([] { (void)chip("pathfinder"); }), Catch::Contains("there is no chip 'pathfinder'"));
    CHECK(&chip(dir.path() + "/somewhere") == &chip(file));
    CHECK(chip("pathfinder").clock_mhz == 5);
    const std::vector<std::string> names = chip_names();
    CHECK(std::find(names.begin(), names.end(), "pathfinder") != names.end());
}

TEST_CASE("a part of a chip is laid over that of the chip it is like, key by key") {
    const OwnConfigs dir;
    const std::string base = dir.write("base.yaml", "a: 1\nmap: {x: 1, y: 2}\nlist: [1, 2]\n");
    const std::string over = dir.write("over.yaml", "like: base.yaml\nmap: {y: 3}\nlist: [9]\n");
    const std::string twice = dir.write("twice.yaml", "like: over.yaml\na: 7\n");
    YamlMap map = read_chip_part(twice, ChipPart::Noc);
    CHECK(map.integer("a") == 7);
    YamlMap inner = map.map("map");
    CHECK(inner.integer("x") == 1);
    CHECK(inner.integer("y") == 3);
    CHECK(map.node("list")->items.size() == 1);
    map.done();  // `like` is gone
    const std::string circle = dir.write("circle.yaml", "like: circle.yaml\n");
    CHECK_THAT(message([&] { (void)read_chip_part(circle, ChipPart::Noc); }), Catch::Contains("circle"));
}

TEST_CASE("a chip file names its parts, and a missing one at its place") {
    const OwnConfigs dir;
    const std::string file = dir.write("c/chip.yaml", "name: c\nlike: wormhole_b0\nparts:\n  noc: mine.yaml\n");
    CHECK_THAT(message([&] { (void)read_chip(file); }),
               Catch::Contains("chip.yaml:4:8: error: there is no file") && Catch::Contains("c/mine.yaml"));
    dir.write("c/mine.yaml", "like: wormhole_b0\n");
    CHECK(read_chip(file).files.noc == dir.path() + "/c/mine.yaml");
    CHECK(read_chip(file).files.memory == chip("wormhole_b0").files.memory);
}
