#include <catch2/catch.hpp>

#include "base/yaml_map.hpp"

using namespace ttsim::impl;

static YamlMap map_of(const std::string& text) { return YamlMap::from_text(text, "m.yaml"); }

TEST_CASE("a YAML map gives typed values and defaults") {
    YamlMap map = map_of("a: 12\nb: 0x1F\nc: -3\nd: 1.5e-3\ne: Yes\nf: text\ng: 010\nh: 1\nh: 2\n");
    CHECK(map.integer("a") == 12);
    CHECK(map.integer("b") == 31);
    CHECK(map.integer("c", {-5, 5}) == -3);
    CHECK(map.number("d") == Approx(0.0015));
    CHECK(map.flag_or("e", false));
    CHECK(map.text("f") == "text");
    CHECK(map.integer("g") == 10);  // decimal, not octal
    CHECK(map.integer("h") == 2);   // the last of repeats
    CHECK(map.integer_or("none", 7) == 7);
    CHECK(map.number_or("none", 2.5) == Approx(2.5));
    CHECK(map.text_or("none", "x") == "x");
    CHECK_FALSE(map.has("none"));
    CHECK(map.node_or_null("none") == nullptr);
    CHECK(map.keys() == std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h"});
    CHECK_NOTHROW(map.done());
}

TEST_CASE("wrong values are refused with the correct form") {
    YamlMap map = map_of("a: 0\nb: huge\nc: 99999999999999999999\nd: [1]\ne: maybe\nf: 1e999\nw: cold\nq: \"5\"\n");
    CHECK_THROWS_WITH(map.integer("a", {1, 256}), "m.yaml:1:4: error: 'a' is 0; it must lie in 1..256");
    CHECK_THROWS_WITH(map.integer("a", {1}), "m.yaml:1:4: error: 'a' is 0; it must be at least 1");
    CHECK_THROWS_WITH(map.integer("b"), "m.yaml:2:4: error: 'b' is 'huge'; an integer is wanted");
    CHECK_THROWS_WITH(map.integer("c", {0, 5}), "m.yaml:3:4: error: 'c' is 99999999999999999999; it must lie in 0..5");
    CHECK_THROWS_WITH(map.text("d"), "m.yaml:4:4: error: 'd' is a list; a text is wanted");
    CHECK_THROWS_WITH(map.flag_or("e", true), "m.yaml:5:4: error: 'e' is 'maybe'; true or false is wanted");
    CHECK_THROWS_WITH(map.number("f"), "m.yaml:6:4: error: 'f' is '1e999'; a finite number is wanted");
    CHECK_THROWS_WITH(map.word("w", {"warm", "hot", "bold"}),
                      "m.yaml:7:4: error: 'w' is 'cold'; it must be one of warm, hot, bold; did you mean 'bold'?");
    CHECK(map.integer("q") == 5);  // quotes do not make a number a word
    CHECK_THROWS_WITH(map.integer("z"), "m.yaml:1:1: error: the file needs the key 'z'");
    CHECK_THROWS_WITH(map.map("a"), "m.yaml:1:4: error: 'a' is '0'; a map is wanted");
}

TEST_CASE("an unknown key is refused and the nearest known one named") {
    YamlMap map = map_of("noc:\n  hop_cycle: 9\n  width: 32\n");
    YamlMap noc = map.map("noc");
    CHECK(noc.integer_or("hop_cycles", 3) == 3);
    CHECK(noc.integer("width") == 32);
    CHECK_THROWS_WITH(noc.done(), "m.yaml:2:3: error: 'noc' has no key 'hop_cycle'; did you mean 'hop_cycles'?");
    CHECK_NOTHROW(map.done());
    CHECK_THROWS_WITH(noc.integer("depth"), "m.yaml:2:3: error: 'noc' needs the key 'depth'");
    CHECK(to_string(noc.where("width")) == "m.yaml:3:10");
}

TEST_CASE("a file that is not a map is refused") {
    CHECK_THROWS_WITH(map_of("[1, 2]"), "m.yaml:1:1: error: the file is a list; a map is wanted");
    CHECK_THROWS_WITH(map_of("{[a]: 1}"), "m.yaml:1:2: error: a key of the file is a list; a word is wanted");
}
