#include <catch2/catch.hpp>

#include "base/text.hpp"

using namespace tt;

TEST_CASE("the nearest name is at most two edits away") {
    const std::vector<std::string> known{"matmul", "maximum", "multiply", "exp"};
    CHECK(nearest("mtmul", known) == "matmul");
    CHECK(nearest("matmull", known) == "matmul");
    CHECK(nearest("multply", known) == "multiply");
    CHECK(nearest("convolution", known).empty());
    CHECK(did_you_mean("ex", known) == "; did you mean 'exp'?");
    CHECK(did_you_mean("reciprocal", known).empty());
    CHECK(nearest(std::string(1000, 'x'), known).empty());
}

TEST_CASE("letters become small and nothing else changes") { CHECK(to_lower("HiFi2_B-9") == "hifi2_b-9"); }
