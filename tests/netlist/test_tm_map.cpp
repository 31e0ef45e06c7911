#include <catch2/catch.hpp>

#include <random>

#include "netlist/golden/tm_tensor.hpp"
#include "netlist/plan/tm_map.hpp"
#include "tests/netlist/make_tm.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

Tm make_pad(std::int64_t rt, std::int64_t ct, float value) {
    Tm made = make_tm(Tm::Kind::Pad);
    made.rt = rt;
    made.ct = ct;
    made.value = value;
    return made;
}

/// Number of a tile in its tensor, or the value of a padded one.
float id_at(const TmMap& map, TileShape from, std::int64_t z, std::int64_t r, std::int64_t c) {
    const TileSource source = map.at(z, r, c);
    if (source.pad) return source.value;
    REQUIRE((source.z >= 0 && source.z < from.z && source.r >= 0 && source.r < from.rt && source.c >= 0 &&
             source.c < from.ct));
    return static_cast<float>((source.z * from.rt + source.r) * from.ct + source.c);
}
/// All tiles of the operand, slice by slice, row by row.
std::vector<float> ids(TileShape from, const OperandTms& tms) {
    const TmMap map(from, tms);
    std::vector<float> all;
    for (std::int64_t z = 0; z < map.shape().z; ++z)
        for (std::int64_t r = 0; r < map.shape().rt; ++r)
            for (std::int64_t c = 0; c < map.shape().ct; ++c) all.push_back(id_at(map, from, z, r, c));
    return all;
}
using Ids = std::vector<float>;

}  // namespace

TEST_CASE("each TM maps to the tile of its formula") {
    const TileShape s{2, 2, 2};  // z0: 0 1 / 2 3, z1: 4 5 / 6 7
    CHECK(ids({1, 1, 2}, chain({make_tm(Tm::Kind::BroadcastR, 2)})) == Ids{0, 1, 0, 1});
    CHECK(ids({1, 2, 1}, chain({make_tm(Tm::Kind::BroadcastC, 2)})) == Ids{0, 0, 1, 1});
    CHECK(ids({2, 1, 1}, chain({make_tm(Tm::Kind::BroadcastZ, 2)})) == Ids{0, 1, 0, 1});
    CHECK(ids(s, chain({make_tm(Tm::Kind::HSlice, 2)})) == Ids{0, 2, 1, 3, 4, 6, 5, 7});
    CHECK(ids(s, chain({make_tm(Tm::Kind::VSlice, 2)})) == Ids{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(ids(s, chain({make_tm(Tm::Kind::HStack, 2)})) == Ids{0, 1, 4, 5, 2, 3, 6, 7});
    CHECK(ids(s, chain({make_tm(Tm::Kind::HStack, 0)})) == Ids{0, 1, 4, 5, 2, 3, 6, 7});
    CHECK(ids(s, chain({make_tm(Tm::Kind::VStack, 2)})) == Ids{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(ids(s, chain({make_tm(Tm::Kind::Transpose)})) == Ids{0, 2, 1, 3, 4, 6, 5, 7});
    CHECK(ids({1, 1, 2}, chain({make_pad(1, 1, -9)})) == Ids{0, 1, -9, -9, -9, -9});
}

TEST_CASE("a chain is walked from its end: heads of an attention layer") {
    // 1 x (2 x 4) -> hslice 2 -> two heads of 2 x 2 -> transpose -> vstack 2 -> 4 x 2
    const OperandTms tms =
        chain({make_tm(Tm::Kind::HSlice, 2), make_tm(Tm::Kind::Transpose), make_tm(Tm::Kind::VStack, 2)});
    const TmMap map({1, 2, 4}, tms);
    CHECK(map.shape() == TileShape{1, 4, 2});
    CHECK(map.transposes_tiles());
    CHECK(ids({1, 2, 4}, tms) == Ids{0, 4, 1, 5, 2, 6, 3, 7});
}

TEST_CASE("unpad leaves indices alone and pad comes last") {
    OperandTms tms = chain({make_tm(Tm::Kind::Transpose)});
    tms.unpad_ct = 1;
    tms.pad_rt = 1;
    tms.pad_value = -1;
    CHECK(TmMap({1, 1, 3}, tms).shape() == TileShape{1, 3, 1});
    CHECK(ids({1, 1, 3}, tms) == Ids{0, 1, -1});
    CHECK(ids({1, 2, 3}, tms) == Ids{0, 3, 1, 4, -1, -1});
}

TEST_CASE("an area goes as far as its rows follow each other") {
    const TmMap repeated({1, 3, 4}, chain({make_tm(Tm::Kind::BroadcastR, 2)}));
    const TileArea one = repeated.area(0, 1, 1, 5, 2);
    CHECK((one.rows == 2 && one.columns == 2 && one.first.r == 1 && one.first.c == 1 && !one.turned));
    const TmMap turned({1, 4, 8}, chain({make_tm(Tm::Kind::Transpose)}));
    const TileArea across = turned.area(0, 3, 1, 5, 3);
    CHECK((across.rows == 5 && across.columns == 3 && across.turned));
    CHECK((across.row(2).first.r == 1 && across.row(2).first.c == 5 && across.row(2).dr == 1));
    const TmMap padded({1, 2, 2}, chain({make_pad(1, 2, 0)}));
    CHECK((padded.area(0, 0, 0, 3, 4).rows == 2 && padded.area(0, 0, 0, 3, 4).columns == 2));
    CHECK(padded.area(0, 0, 2, 3, 2).rows == 1);
}

TEST_CASE("a run goes as far as its sources are neighbours") {
    const TmMap plain({1, 2, 8}, {});
    CHECK(plain.run(0, 1, 2, 6).count == 6);
    CHECK((plain.run(0, 1, 2, 6).dr == 0 && plain.run(0, 1, 2, 6).dc == 1));
    const TmMap turned({1, 4, 8}, chain({make_tm(Tm::Kind::Transpose)}));
    const TileRun down = turned.run(0, 3, 1, 3);
    CHECK((down.first.r == 1 && down.first.c == 3 && down.count == 3 && down.dr == 1 && down.dc == 0));
    const TmMap stacked({4, 1, 2}, chain({make_tm(Tm::Kind::HStack, 4)}));
    CHECK(stacked.run(0, 0, 1, 7).count == 1);  // the next tile is another slice's
    CHECK(stacked.run(0, 0, 2, 6).count == 2);
    const TmMap repeated({1, 1, 3}, chain({make_tm(Tm::Kind::BroadcastC, 2)}));
    CHECK(repeated.run(0, 0, 1, 5).count == 2);
    const TmMap padded({1, 2, 2}, chain({make_pad(1, 2, 0)}));
    CHECK((padded.run(0, 0, 0, 4).count == 2 && !padded.run(0, 0, 0, 4).first.pad));
    CHECK((padded.run(0, 0, 2, 2).count == 2 && padded.run(0, 0, 2, 2).first.pad));
    CHECK((padded.run(0, 2, 0, 4).count == 4 && padded.run(0, 2, 0, 4).first.pad));
}

/// Whether the tiles of areas have the sources that at() gives, and rows of areas are runs.
static bool areas_agree(const TmMap& map, std::mt19937& random) {
    const TileShape shape = map.shape();
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    for (int n = 0; n < 8; ++n) {
        const std::int64_t z = below(shape.z), r = below(shape.rt), c = below(shape.ct);
        const TileArea area = map.area(z, r, c, shape.rt - r, shape.ct - c);
        if (area.rows < 1 || area.columns != map.run(z, r, c, shape.ct - c).count) return false;
        for (std::int64_t i = 0; i < area.rows; ++i) {
            const TileRun row = area.row(i);
            for (std::int64_t j = 0; j < area.columns; ++j) {
                const TileSource source = map.at(z, r + i, c + j);
                const bool same = source.z == row.first.z && source.r == row.first.r + j * row.dr &&
                                  source.c == row.first.c + j * row.dc;
                if (source.pad != row.first.pad || (!source.pad && !same)) return false;
            }
        }
    }
    return true;
}

TEST_CASE("index maps and tensor moves agree on random chains, and runs on their pieces") {
    std::mt19937 random(11);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    int pads = 0, transposes = 0, long_runs = 0;
    for (int round = 0; round < 600; ++round) {
        const TileShape from{pick(1, 6), pick(1, 6), pick(1, 6)};
        OperandTms tms;
        TileShape shape = from;
        if (pick(0, 4) == 0 && from.rt > 1) tms.unpad_rt = pick(1, from.rt - 1);
        if (pick(0, 4) == 0 && from.ct > 1) tms.unpad_ct = pick(1, from.ct - 1);
        shape = shape_after(shape, tms);
        for (std::int64_t n = pick(0, 5); n > 0; --n) {
            Tm tm = make_tm(static_cast<Tm::Kind>(pick(0, 8)), pick(1, 4));
            if (tm.kind == Tm::Kind::Pad) tm = make_pad(pick(0, 2), pick(0, 2), -static_cast<float>(n));
            if ((tm.kind == Tm::Kind::HStack || tm.kind == Tm::Kind::VStack) && pick(0, 3) == 0) tm.n = 0;
            TileShape next;
            try {
                next = shape_after(shape, tm);
            } catch (const Error&) {
                continue;  // the factor does not divide
            }
            if (next.tiles() > 2000) continue;
            shape = next;
            tms.tms.push_back(tm);
            pads += tm.kind == Tm::Kind::Pad;
            transposes += tm.kind == Tm::Kind::Transpose;
        }
        if (pick(0, 4) == 0) {
            tms.pad_rt = pick(0, 2);
            tms.pad_ct = pick(0, 2);
            tms.pad_value = -7;
        }
        shape = shape_after(from, tms);
        CHECK(areas_agree(TmMap(from, tms), random));

        Tensor tiles(from.z, from.rt, from.ct);  // tiles of one element: its number
        for (std::size_t k = 0; k < tiles.data.size(); ++k) tiles.data[k] = static_cast<float>(k);
        const Tensor moved = apply_tms(tiles, tms, {1, 1});
        const TmMap map(from, tms);
        INFO("round " << round);
        REQUIRE(map.shape() == shape);
        REQUIRE(map.shape() == TileShape{moved.z, moved.rows, moved.cols});
        CHECK(map.transposes_tiles() == transposes_tiles(tms));
        CHECK(ids(from, tms) == moved.data);

        // Any run equals the single tiles it stands for.
        for (int probe = 0; probe < 20; ++probe) {
            const std::int64_t z = pick(0, shape.z - 1), r = pick(0, shape.rt - 1), c = pick(0, shape.ct - 1);
            const std::int64_t most = pick(1, shape.ct - c);
            const TileRun run = map.run(z, r, c, most);
            REQUIRE((run.count >= 1 && run.count <= most));
            long_runs += run.count > 1;
            for (std::int64_t k = 0; k < run.count; ++k) {
                const TileSource alone = map.at(z, r, c + k);
                REQUIRE(alone.pad == run.first.pad);
                if (alone.pad) {
                    CHECK(alone.value == run.first.value);
                    continue;
                }
                CHECK((alone.z == run.first.z && alone.r == run.first.r + k * run.dr &&
                       alone.c == run.first.c + k * run.dc));
            }
        }
    }
    CHECK((pads > 20 && transposes > 50 && long_runs > 1000));  // the chains were worth it
}
