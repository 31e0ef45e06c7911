#include <catch2/catch.hpp>

#include "base/bounded_json.hpp"

using namespace ttsim::impl;

TEST_CASE("JSON with numbers that no count has is discarded") {
    CHECK(parse_bounded_json(R"({"a": [1, -2.5, 281474976710656], "b": "9e999"})").at("a").size() == 3);
    for (const char* text : {"[281474976710657]", "[-281474976710657]", "[1e300]", "[1e999]", "[1", "", "nan"}) {
        INFO(text);
        CHECK(parse_bounded_json(text).is_discarded());
    }
    std::string many = "[0";
    for (int n = 0; n < 20'000; ++n) many += ",281474976710656";
    CHECK(parse_bounded_json(many + "]").is_discarded());
}
