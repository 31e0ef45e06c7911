#include <catch2/catch.hpp>
#include <random>

#include "netlist/golden/tm_tensor.hpp"
#include "tests/netlist/make_tm.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

constexpr TileDim one{1, 1};  // tiles of one element make the moves easy to read

Tensor tensor(std::int64_t z, std::int64_t rows, std::int64_t cols) {
    Tensor t(z, rows, cols);
    for (std::size_t k = 0; k < t.data.size(); ++k) t.data[k] = static_cast<float>(k);
    return t;
}
std::vector<float> moved(const Tensor& in, const Tm& one_tm) { return apply_tms(in, chain({one_tm}), one).data; }

using Values = std::vector<float>;

}  // namespace

TEST_CASE("each TM moves the tiles by its formula") {
    const Tensor t = tensor(2, 2, 2);  // z0: 0 1 / 2 3, z1: 4 5 / 6 7
    CHECK(moved(tensor(1, 1, 2), make_tm(Tm::Kind::BroadcastR, 2)) == Values{0, 1, 0, 1});
    CHECK(moved(tensor(1, 2, 1), make_tm(Tm::Kind::BroadcastC, 2)) == Values{0, 0, 1, 1});
    CHECK(moved(tensor(2, 1, 1), make_tm(Tm::Kind::BroadcastZ, 2)) == Values{0, 1, 0, 1});
    CHECK(moved(t, make_tm(Tm::Kind::HSlice, 2)) == Values{0, 2, 1, 3, 4, 6, 5, 7});
    CHECK(moved(t, make_tm(Tm::Kind::VSlice, 2)) == Values{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(moved(t, make_tm(Tm::Kind::HStack, 2)) == Values{0, 1, 4, 5, 2, 3, 6, 7});
    CHECK(moved(t, make_tm(Tm::Kind::HStack, 0)) == Values{0, 1, 4, 5, 2, 3, 6, 7});
    CHECK(moved(t, make_tm(Tm::Kind::VStack, 2)) == Values{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(moved(t, make_tm(Tm::Kind::Transpose)) == Values{0, 2, 1, 3, 4, 6, 5, 7});
    Tm pad = make_tm(Tm::Kind::Pad);
    pad.rt = 1;
    pad.ct = 1;
    pad.value = 9;
    CHECK(moved(tensor(1, 1, 2), pad) == Values{0, 1, 9, 9, 9, 9});
}

TEST_CASE("a transpose also transposes within the tiles") {
    const Tensor t = tensor(1, 2, 4);  // one row of two 2x2 tiles
    const Tensor out = apply_tms(t, chain({make_tm(Tm::Kind::Transpose)}), {2, 2});
    CHECK(out.rows == 4);
    CHECK(out.data == Values{0, 4, 1, 5, 2, 6, 3, 7});
}

TEST_CASE("unpad comes first and pad last, in whole tiles") {
    OperandTms tms = chain({make_tm(Tm::Kind::Transpose)});
    tms.unpad_ct = 1;
    tms.pad_rt = 1;
    tms.pad_value = -1;
    const Tensor out = apply_tms(tensor(1, 1, 3), tms, one);  // 0 1 2 -> 0 1 -> column -> one row of padding
    CHECK((out.rows == 3 && out.cols == 1));
    CHECK(out.data == Values{0, 1, -1});
    CHECK(shape_after({1, 1, 3}, tms) == TileShape{1, 3, 1});
}

TEST_CASE("after a transpose a pad counts turned tiles") {
    OperandTms tms = chain({make_tm(Tm::Kind::Transpose)});
    tms.pad_rt = 1;
    const Tensor out = apply_tms(Tensor(1, 16, 32), tms, {16, 32});
    CHECK((out.rows == 64 && out.cols == 16));
}

TEST_CASE("slices undo stacks and the moved tensor has the shape that was foretold") {
    std::mt19937 random(7);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (int round = 0; round < 200; ++round) {
        const std::int64_t n = pick(1, 4);
        const Tensor t = tensor(n * pick(1, 3), n * pick(1, 3), n * pick(1, 3));
        CHECK(apply_tms(t, chain({make_tm(Tm::Kind::HStack, n), make_tm(Tm::Kind::HSlice, n)}), one).data == t.data);
        CHECK(apply_tms(t, chain({make_tm(Tm::Kind::VStack, n), make_tm(Tm::Kind::VSlice, n)}), one).data == t.data);
        CHECK(apply_tms(t, chain({make_tm(Tm::Kind::Transpose), make_tm(Tm::Kind::Transpose)}), one).data == t.data);
        for (const auto kind : {Tm::Kind::BroadcastR, Tm::Kind::BroadcastC, Tm::Kind::BroadcastZ, Tm::Kind::HSlice,
                                Tm::Kind::HStack, Tm::Kind::VSlice, Tm::Kind::VStack, Tm::Kind::Transpose}) {
            const Tensor out = apply_tms(t, chain({make_tm(kind, n)}), one);
            CHECK(TileShape{out.z, out.rows, out.cols} == shape_after({t.z, t.rows, t.cols}, make_tm(kind, n)));
        }
    }
}

TEST_CASE("two transposes leave the tiles as they were") {
    CHECK(transposes_tiles(chain({make_tm(Tm::Kind::Transpose)})));
    CHECK_FALSE(transposes_tiles(
        chain({make_tm(Tm::Kind::Transpose), make_tm(Tm::Kind::HSlice), make_tm(Tm::Kind::Transpose)})));
    CHECK_FALSE(transposes_tiles({}));
}

TEST_CASE("a TM is spelt as netlists spell it") {
    CHECK(to_string(make_tm(Tm::Kind::HSlice, 4)) == "hslice: 4");
    CHECK(to_string(make_tm(Tm::Kind::BroadcastZ, 3)) == "broadcast: {z: 3}");
    CHECK(to_string(make_tm(Tm::Kind::Transpose)) == "transpose");
}

TEST_CASE("slices computed separately equal those of the whole transformed tensor") {
    std::mt19937 random(8);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    using enum Tm::Kind;
    for (int round = 0; round < 300; ++round) {
        const Tensor t = tensor(4 * pick(1, 2), 4 * pick(1, 2), 4 * pick(1, 2));
        OperandTms tms;
        tms.unpad_ct = pick(0, 1);
        tms.pad_rt = pick(0, 1);
        tms.pad_value = -1;
        if (tms.unpad_ct == 0)  // factors divide
            for (const Tm::Kind kind : {BroadcastR, BroadcastC, BroadcastZ, HSlice, HStack, VSlice, VStack, Transpose})
                if (pick(0, 1) == 1) tms.tms.push_back(make_tm(kind, 2));
        const Tensor whole = apply_tms(t, tms, one);
        TmTensor moved(t, tms, one);
        REQUIRE(moved.z() == whole.z);
        CHECK(moved.slice_elements() == whole.rows * whole.cols);
        for (std::int64_t first = moved.z() - 1; first >= 0; --first) {
            const std::int64_t count = pick(1, moved.z() - first);
            const Tensor part = moved.slices(first, count);
            const auto from = whole.data.begin() + first * moved.slice_elements();
            CHECK(part.data == Values(from, from + count * moved.slice_elements()));
        }
    }
}
