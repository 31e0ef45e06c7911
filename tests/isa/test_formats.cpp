#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "isa/tile.hpp"

using namespace ttsim::impl;
using enum DataFormat;

TEST_CASE("format names are read in any letter case and written as netlists spell them") {
    CHECK(parse_format("Float16_b") == Float16_b);
    CHECK(parse_format("bfp8_B") == Bfp8_b);
    CHECK(parse_format("RAWUINT32") == RawUInt32);
    CHECK_FALSE(parse_format("Float16_c"));
    CHECK_FALSE(parse_format(""));
    for (const FormatInfo& f : all_formats()) {
        CHECK(parse_format(f.name) == f.format);
        CHECK(to_string(f.format) == f.name);
    }
}

TEST_CASE("format codes are distinct") {
    std::set<int> codes;
    for (const FormatInfo& f : all_formats()) codes.insert(f.code);
    CHECK(codes.size() == all_formats().size());
}

TEST_CASE("formats know their families") {
    CHECK(info(Bfp4).family == FormatFamily::A);
    CHECK(info(Lf8).family == FormatFamily::A);
    CHECK(info(Bfp2_b).family == FormatFamily::B);
    CHECK(is_block_float(Bfp8));
    CHECK_FALSE(is_block_float(Float16));
    CHECK(is_integer(UInt16));
    CHECK_FALSE(is_integer(RawUInt16));
    CHECK(is_raw(RawUInt8));
    CHECK(info(Bfp8).magnitude_bits == 7);
    CHECK(info(Bfp4_b).magnitude_bits == 3);
    CHECK(info(Bfp2).magnitude_bits == 1);
}

TEST_CASE("a 32x32 tile has the size of the hardware") {
    const auto sizes = [](DataFormat f) { return std::pair(tile_body_bytes(f, {}), tile_bytes(f, {})); };
    CHECK(sizes(Float32) == std::pair<std::int64_t, std::int64_t>(4096, 4128));
    CHECK(sizes(Float16_b) == std::pair<std::int64_t, std::int64_t>(2048, 2080));
    CHECK(sizes(Bfp8_b) == std::pair<std::int64_t, std::int64_t>(1088, 1120));
    CHECK(sizes(Bfp4) == std::pair<std::int64_t, std::int64_t>(576, 608));
    CHECK(sizes(Bfp2_b) == std::pair<std::int64_t, std::int64_t>(320, 352));
    CHECK(sizes(Int8) == std::pair<std::int64_t, std::int64_t>(1024, 1056));
    CHECK(element_bytes(Int32) == 4);
    CHECK(element_bytes(UInt16) == 2);
    CHECK(element_bytes(Lf8) == 1);
}

TEST_CASE("tiny tiles have at least 16 exponent bytes") {
    CHECK(tile_body_bytes(Bfp8_b, {16, 32}) == 512 + 32);
    CHECK(tile_body_bytes(Bfp8_b, {8, 32}) == 256 + 16);
    CHECK(tile_body_bytes(Bfp8_b, {1, 32}) == 32 + 16);
    CHECK(tile_body_bytes(Bfp2, {1, 32}) == 8 + 16);
    CHECK(tile_bytes(Bfp2, {1, 32}) == 64);
    CHECK(tile_bytes(Float16, {1, 32}) == 96);
}

TEST_CASE("only seven tile shapes are legal") {
    int legal = 0;
    for (int h = -1; h <= 64; ++h)
        for (int w = -1; w <= 64; ++w) legal += is_legal({h, w}) ? 1 : 0;
    CHECK(legal == 7);
    CHECK(is_legal({32, 16}));
    CHECK(is_legal({2, 32}));
    CHECK_FALSE(is_legal({16, 16}));
}

TEST_CASE("a fidelity names its phases") {
    const auto list = [](Fidelity f) { return std::vector<int>(phases(f).begin(), phases(f).end()); };
    CHECK(list(Fidelity::LoFi) == std::vector{0});
    CHECK(list(Fidelity::HiFi2) == std::vector{0, 1});
    CHECK(list(Fidelity::HiFi2_B) == std::vector{0, 2});
    CHECK(list(Fidelity::HiFi3) == std::vector{0, 1, 2});
    CHECK(list(Fidelity::HiFi4) == std::vector{0, 1, 2, 3});
    CHECK(list(Fidelity::Invalid).empty());
    CHECK(parse_fidelity("HiFi2_A") == Fidelity::HiFi2);
    CHECK(parse_fidelity("hifi2_b") == Fidelity::HiFi2_B);
    CHECK_FALSE(parse_fidelity("HiFi5"));
    for (const Fidelity f : {Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi2_B, Fidelity::HiFi3, Fidelity::HiFi4})
        CHECK(parse_fidelity(to_string(f)) == f);
}
