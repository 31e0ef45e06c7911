#include <catch2/catch.hpp>

#include "base/text.hpp"

using namespace ttsim::impl;

TEST_CASE("the nearest name is a few edits away") {
    const std::vector<std::string> known{"matmul", "maximum", "multiply", "exp"};
    CHECK(nearest("mtmul", known) == "matmul");
    CHECK(nearest("matmull", known) == "matmul");
    CHECK(nearest("multply", known) == "multiply");
    CHECK(nearest("convolution", known).empty());
    CHECK(did_you_mean("ex", known) == "; did you mean 'exp'?");
    CHECK(did_you_mean("reciprocal", known).empty());
    CHECK(nearest(std::string(1000, 'x'), known).empty());
}

TEST_CASE("swapped neighbours are one edit, letter case is none, short words allow one") {
    CHECK(nearest("rnu", {"ops", "isa", "run"}) == "run");
    CHECK(nearest("--mdoe", {"--math", "--mode"}) == "--mode");
    CHECK(nearest("FULL", {"timing", "full"}) == "full");
    CHECK(nearest("eht", {"dram", "eth"}) == "eth");
    CHECK(nearest("xyz", {"xab"}).empty());
    CHECK(nearest("attention_sofmax_porbs", {"attention_scores", "attention_softmax_probs"}) ==
          "attention_softmax_probs");
}

TEST_CASE("a unique part of a name selects it, an ambiguous part does not") {
    const std::vector<std::string> boards{"gs_e75", "gs_e150", "wh_n150", "wh_n300", "galaxy"};
    CHECK(nearest("n150", boards) == "wh_n150");
    CHECK(nearest("N300", boards) == "wh_n300");
    CHECK(nearest("e75", boards) == "gs_e75");
    CHECK(nearest("150", boards).empty());
    CHECK(nearest("func", {"full", "functional"}) == "functional");
    CHECK(nearest("conv", {"layer0.conv1", "layer0.conv2"}).empty());
}

TEST_CASE("letters become lower case and nothing else changes") { CHECK(to_lower("HiFi2_B-9") == "hifi2_b-9"); }
