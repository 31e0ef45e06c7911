// Constants that repeat: what a kernel's buffer may hold once.
#include <catch2/catch.hpp>

#include <numeric>
#include <random>

#include "compiler/backend/kernel_broadcasts.hpp"
#include "netlist/plan/tile_order.hpp"

using namespace ttsim::impl;

namespace {

Tm times(Tm::Kind kind, std::int64_t n) {
    Tm made;
    made.kind = kind;
    made.n = n;
    return made;
}

/// A product [t x rows x inner] by a constant, with a constant bias; `columns`, `inner`: tiles.
Op product(const Blocking& out, std::int64_t inner, std::int64_t u_kt) {
    Op op;
    op.cfg.type = "matmul";
    op.cfg.name = "product";
    op.cfg.out = out;
    op.cfg.attr.bias = true;
    op.cfg.attr.u_kt = u_kt;
    op.cfg.attr.m_k = inner / u_kt;
    const TileShape shape = out.shape();
    op.cfg.in = {{shape.z, shape.rt, inner}, {shape.z, inner, shape.ct}, shape};
    op.cfg.in_df.assign(3, DataFormat::Float16_b);
    op.cfg.in_tile.assign(3, TileDim{});
    op.inputs = {"x", "w", "b"};
    op.tms.resize(3);
    if (shape.z > 1) op.tms[1].tms = {times(Tm::Kind::BroadcastZ, shape.z)};
    op.tms[2].tms = {times(Tm::Kind::BroadcastR, shape.rt * shape.z)};
    if (shape.z > 1) op.tms[2].tms.push_back(times(Tm::Kind::VSlice, shape.z));
    return op;
}

Op sum(const Blocking& out, const Tm& repeated) {
    Op op;
    op.cfg.type = "add";
    op.cfg.name = "sum";
    op.cfg.out = out;
    op.cfg.in = {out.shape(), out.shape()};
    op.cfg.in_df.assign(2, DataFormat::Float16_b);
    op.cfg.in_tile.assign(2, TileDim{});
    op.inputs = {"x", "b"};
    op.tms.resize(2);
    op.tms[1].tms = {repeated};
    return op;
}

Blocking blocks(std::int64_t t, std::int64_t m, std::int64_t n, std::int64_t rt, std::int64_t ct) {
    Blocking b;
    b.t = t;
    b.mblock_m = m;
    b.mblock_n = n;
    b.ublock_rt = rt;
    b.ublock_ct = ct;
    return b;
}

using Held = std::map<int, std::int64_t>;
const std::vector<bool> constants{false, true, true}, second{false, true};

}  // namespace

TEST_CASE("weights and bias of a product in slices are held once") {
    // 64 slices of 2 x 2 tiles: 3 x 2 weights, two tiles of bias
    const Held held = ir::kernel_broadcasts(product(blocks(64, 1, 1, 2, 2), 3, 1), constants, true);
    CHECK(held == Held{{1, 6}, {2, 2}});
    // a column of tiles: one tile of bias
    CHECK(ir::kernel_broadcasts(product(blocks(8, 4, 1, 2, 1), 2, 2), constants, false) == Held{{1, 2}, {2, 1}});
}

TEST_CASE("layers that do not repeat, are computed or have a user-set buffer are left alone") {
    Op op = product(blocks(1, 2, 1, 1, 2), 3, 3);  // one slice
    CHECK(ir::kernel_broadcasts(op, {false, true, false}, true).empty());
    op = product(blocks(64, 1, 1, 2, 2), 3, 1);
    CHECK(ir::kernel_broadcasts(op, {false, false, false}, true).empty());
    op.input_buf_min_size_tiles = {0, 0, 8};
    CHECK(ir::kernel_broadcasts(op, constants, true) == Held{{1, 6}});
    // twice the tiles are no less than all of them
    CHECK(ir::kernel_broadcasts(product(blocks(2, 1, 1, 2, 2), 3, 1), {false, true, false}, true).empty());
}

TEST_CASE("on some chips the blocks of a product determine the multiple of a broadcast") {
    // Operand 0 in taller blocks: 4 rows x 1 of the inner dimension.
    Op op = product(blocks(8, 1, 1, 4, 1), 1, 1);
    op.tms[0].tms = {times(Tm::Kind::BroadcastR, 4), times(Tm::Kind::BroadcastZ, 8)};
    CHECK(ir::kernel_broadcasts(op, {true, false, false}, false) == Held{{0, 1}});
    CHECK(ir::kernel_broadcasts(op, {true, false, false}, true) == Held{{0, 4}});
}

TEST_CASE("rows that repeat do so for rows of micro-blocks only") {
    Op op = sum(blocks(1, 8, 2, 1, 2), times(Tm::Kind::BroadcastR, 8));
    op.cfg.attr.kernel_broadcast = ir::kernel_broadcasts(op, second, true);
    CHECK(op.cfg.attr.kernel_broadcast == Held{{1, 4}});
    CHECK(ir::broadcasts_match_order(op));
    op.cfg.out.order = UblockOrder::Column;
    CHECK_FALSE(ir::broadcasts_match_order(op));
    CHECK(ir::kernel_broadcasts(op, second, true).empty());
}

TEST_CASE("every tile that is read again is the one that is held") {
    std::mt19937 random(7);
    const auto any = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(1, most)(random); };
    int found = 0;
    for (int n = 0; n < 400; ++n) {
        Blocking b = blocks(any(6), any(4), any(3), any(3), any(3));
        b.grid_r = any(3);
        b.grid_c = any(3);
        const std::int64_t u_kt = any(2);
        Op op = product(b, u_kt * any(3), u_kt);
        op.cfg.attr.kernel_broadcast = ir::kernel_broadcasts(op, constants, any(2) == 1);
        Op whole = op;
        whole.cfg.attr.kernel_broadcast.clear();
        for (const auto& [operand, tiles] : op.cfg.attr.kernel_broadcast) {
            const auto k = static_cast<std::size_t>(operand);
            const TileShape in = op.cfg.in[k];
            const TileShape source = k == 1 ? TileShape{1, in.rt, in.ct} : TileShape{1, 1, in.ct};
            const Blocking producer = blocks(1, source.rt, source.ct, 1, 1);
            for (const TileOrder& order : tile_orders(whole.cfg, k, whole.tms[k], producer)) {
                std::vector<std::int64_t> read;
                for (const TileSpan& span : order)
                    for (std::int64_t i = 0; i < span.tiles; ++i) read.push_back(span.first + i);
                bool right = true;
                for (std::size_t i = 0; i < read.size(); ++i)
                    right = right && read[i] == read[i % static_cast<std::size_t>(tiles)];
                CHECK(right);
                ++found;
            }
        }
    }
    CHECK(found > 100);
}
