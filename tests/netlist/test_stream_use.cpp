#include <catch2/catch.hpp>

#include <set>

#include "netlist/plan/plan.hpp"
#include "netlist/plan/stream_use.hpp"
#include "netlist/plan/tm_map.hpp"

using namespace ttsim::impl;

namespace {

Blocking cut(std::int64_t t, std::int64_t rows, std::int64_t cols, std::int64_t grid_r, std::int64_t grid_c) {
    Blocking b;
    b.t = t;
    b.grid_r = grid_r;
    b.grid_c = grid_c;
    b.mblock_m = rows / grid_r;
    b.mblock_n = cols / grid_c;
    return b;
}

OpConfig nop(const Blocking& out) {
    OpConfig op;
    op.type = "nop";
    op.name = "consumer";
    op.out = out;
    op.in = {out.shape()};
    op.in_df = {DataFormat::Float16_b};
    op.in_tile = {TileDim{}};
    return op;
}

/// in0 [rows x inner] times in1 [inner x cols], k-blocks of one tile.
OpConfig product(const Blocking& out, std::int64_t inner) {
    OpConfig op = nop(out);
    op.type = "matmul";
    const TileShape shape = out.shape();
    op.in = {{shape.z, shape.rt, inner}, {shape.z, inner, shape.ct}};
    op.in_df.assign(2, DataFormat::Float16_b);
    op.in_tile.assign(2, TileDim{});
    op.attr.u_kt = 1;
    op.attr.m_k = inner;
    return op;
}

}  // namespace

TEST_CASE("each core of an elementwise op is a stream of the core that holds its tiles") {
    const OpConfig op = nop(cut(1, 4, 4, 4, 2));
    CHECK(stream_use(op, 0, {}, cut(1, 4, 4, 1, 1)) == StreamUse{8, 8, 1, 1});
    CHECK(stream_use(op, 0, {}, cut(1, 4, 4, 4, 2)) == StreamUse{1, 1, 1, 1});
    // each row of tiles of a core comes from four cores
    CHECK(stream_use(nop(cut(1, 4, 4, 1, 1)), 0, {}, cut(1, 4, 4, 1, 4)) == StreamUse{1, 4, 16, 4});
}

TEST_CASE("a row of cores that multiply shares one stream, and its k-blocks are phases") {
    const OpConfig op = product(cut(1, 4, 8, 2, 4), 4);
    // in0: two rows of cores; one core holds all
    CHECK(stream_use(op, 0, {}, cut(1, 4, 4, 1, 1)) == StreamUse{2, 2, 1, 1});
    // every k-block is another core's
    CHECK(stream_use(op, 0, {}, cut(1, 4, 4, 1, 4)) == StreamUse{2, 2, 4, 4});
    // in1: four columns of cores
    CHECK(stream_use(op, 1, {}, cut(1, 4, 8, 1, 1)) == StreamUse{4, 4, 1, 1});
}

TEST_CASE("slices repeat phases unless all come from one core, and a long run takes a phase for each 2048 tiles") {
    CHECK(stream_use(nop(cut(3, 2, 2, 1, 1)), 0, {}, cut(3, 2, 2, 2, 1)) == StreamUse{1, 3, 6, 2});
    CHECK(stream_use(nop(cut(2, 64, 64, 1, 1)), 0, {}, cut(2, 64, 64, 1, 1)) == StreamUse{1, 4, 4, 1});
}

TEST_CASE("many slices count as when each is followed") {
    const auto followed = [](const TmMap& map, const Blocking& producer) {
        std::int64_t phases = 0, from = -1, in_run = 0;
        std::set<std::int64_t> sources;
        for (std::int64_t z = 0; z < map.shape().z; ++z)
            for (std::int64_t r = 0; r < map.shape().rt; ++r)
                for (std::int64_t c = 0; c < map.shape().ct; ++c) {
                    const TileSource tile = map.at(z, r, c);
                    const std::int64_t source = place_of(producer, tile.r, tile.c).block;
                    if (source != from || in_run == 2048) {
                        ++phases;
                        in_run = 0;
                    }
                    from = source;
                    ++in_run;
                    sources.insert(source);
                }
        return std::pair(phases, static_cast<std::int64_t>(sources.size()));
    };
    for (const std::int64_t slices : {1, 2, 3, 7, 300})
        for (const std::int64_t n : {1, 2, 3})
            for (const Tm::Kind kind : {Tm::Kind::VSlice, Tm::Kind::HSlice, Tm::Kind::BroadcastZ})
                for (const auto& [down, across] : {std::pair(1, 1), {2, 1}, {1, 3}, {3, 5}}) {
                    const Blocking producer = cut(slices, 6 * n, 15 * n, down, across);
                    OperandTms tms;
                    Tm tm;
                    tm.kind = kind;
                    tm.n = n;
                    if (n > 1) tms.tms = {tm};
                    const TmMap map(producer.shape(), tms);
                    const TileShape shape = map.shape();
                    const StreamUse use = stream_use(nop(cut(shape.z, shape.rt, shape.ct, 1, 1)), 0, tms, producer);
                    INFO(slices << " slices, " << n << ", " << static_cast<int>(kind) << ", " << down << "x" << across);
                    CHECK(std::pair(use.consumer_phases, use.sources) == followed(map, producer));
                }
}

TEST_CASE("a core that feeds many slices begins a phase for each 2048 tiles of all") {
    CHECK(stream_use(nop(cut(100'000, 1, 3, 1, 1)), 0, {}, cut(100'000, 1, 3, 1, 1)) == StreamUse{1, 147, 147, 1});
}

TEST_CASE("TMs change which core reads from which") {
    OpConfig op = nop(cut(1, 2, 6, 1, 1));
    OperandTms tms;
    Tm stack;
    stack.kind = Tm::Kind::HStack;
    stack.n = 3;
    tms.tms = {stack};
    // three slices side by side: each row of tiles visits the slices of both rows' cores in turn
    CHECK(stream_use(op, 0, tms, cut(3, 2, 2, 2, 1)) == StreamUse{1, 1, 2, 2});
}

TEST_CASE("a pipe carries all tiles of its cores, and ends at the last of them") {
    const OpConfig op = product(cut(1, 4, 8, 2, 4), 4);
    const auto pipes = pipe_tiles(op, 0, {}, cut(1, 4, 4, 1, 2));
    REQUIRE(pipes.size() == 2);
    CHECK(pipes[0].core == 3);
    CHECK(pipes[1].core == 7);
    using From = std::vector<std::pair<std::int64_t, std::int64_t>>;
    CHECK(pipes[0].from == From{{0, 4}, {1, 4}});
}
