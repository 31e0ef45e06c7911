// Which outputs leave in order and which in blocks: the rules one by one.
#include <catch2/catch.hpp>

#include "netlist/output_buffer.hpp"
#include "netlist/plan/output_streaming_time.hpp"

using namespace ttsim::impl;

namespace {

Blocking cut(std::int64_t grid_r, std::int64_t grid_c, std::int64_t m, std::int64_t n, std::int64_t rt, std::int64_t ct,
             UblockOrder order = UblockOrder::Row, std::int64_t t = 1) {
    return {grid_r, grid_c, m, n, rt, ct, t, order};
}

OpConfig config(const std::string& type, const Blocking& out) {
    OpConfig op;
    op.type = type;
    op.name = "consumer";
    op.out = out;
    op.in = {out.shape()};
    op.in_df = {DataFormat::Float16_b};
    op.in_tile = {TileDim{}};
    return op;
}

Op producer(const Blocking& out, std::int64_t buffer = 2) {
    Op op;
    op.cfg = config("nop", out);
    op.buf_size_mb = buffer;
    return op;
}

OutputReader eltwise(const Blocking& out, const Blocking& from, const OperandTms& tms = {}) {
    return {"operand 0 of 'x'", tile_orders(config("nop", out), 0, tms, from), out.ublock_tiles(), false};
}

/// in0 of a matmul of m_k blocks of one tile.
OutputReader in0(const Blocking& out, std::int64_t m_k, const Blocking& from) {
    OpConfig op = config("matmul", out);
    op.attr.m_k = m_k;
    op.attr.u_kt = 1;
    op.in = {{out.t, out.shape().rt, m_k}, {out.t, m_k, out.shape().ct}};
    return {"operand 0 of 'mm'", tile_orders(op, 0, {}, from), out.core_rt(), false};
}

OperandTms tms(Tm::Kind kind, std::int64_t n) {
    OperandTms made;
    made.tms.push_back({});
    made.tms.back().kind = kind;
    made.tms.back().n = n;
    return made;
}

OutputStreaming handed(const Op& from, const std::vector<OutputReader>& readers, std::int64_t inputs = 4) {
    return output_streaming(from, inputs, readers);
}

constexpr auto C = UblockOrder::Column;
const Blocking two_by_two = cut(1, 1, 2, 2, 1, 2);  // 8 tiles of ublocks 1x2
const Blocking by_columns = cut(1, 1, 2, 2, 1, 2, C);

}  // namespace

TEST_CASE("the same blocks in the same order are taken as they are packed (A)") {
    const OutputStreaming made = handed(producer(two_by_two), {eltwise(two_by_two, two_by_two)});
    CHECK(eltwise(two_by_two, two_by_two).orders == std::vector<TileOrder>{{{0, 0, 8}}});
    CHECK(made.rule == ScatterRule::None);
    CHECK(made.buffer_tiles == 16);
    CHECK(made.streams == 1);
}

TEST_CASE("another order of ublocks makes blocks, of phases of contiguous tiles (B)") {
    const OutputReader reader = eltwise(by_columns, two_by_two);
    CHECK(reader.orders == std::vector<TileOrder>{{{0, 0, 2}, {0, 4, 2}, {0, 2, 2}, {0, 6, 2}}});
    const OutputStreaming made = handed(producer(two_by_two), {reader});
    CHECK(made.rule == ScatterRule::Order);
    CHECK(made.because == "operand 0 of 'x'");
    CHECK(made.unit == 2);
    CHECK(made.most_phases() == 4);
    CHECK(made.block_tiles == 8);
    CHECK(made.buffer_tiles == 16);
}

TEST_CASE("a row of cores that multiply is one destination: column order suits k-blocks (C), row order does not (D)") {
    const Blocking out = cut(2, 3, 2, 1, 1, 1);
    const Blocking columns = cut(2, 1, 2, 4, 1, 1, C), rows = cut(2, 1, 2, 4, 1, 1);
    const OutputReader in_order = in0(out, 4, columns);
    CHECK(in_order.orders == std::vector<TileOrder>{{{0, 0, 8}}, {{1, 0, 8}}});
    CHECK(handed(producer(columns), {in_order}).rule == ScatterRule::None);
    const OutputStreaming made = handed(producer(rows), {in0(out, 4, rows)});
    CHECK(made.rule == ScatterRule::Order);
    CHECK(made.unit == 1);
    CHECK(made.most_phases() == 8);
}

TEST_CASE("one core that feeds two pipes hands over blocks (E)") {
    const Blocking wide = cut(1, 1, 1, 4, 1, 1), halves = cut(1, 2, 1, 2, 1, 1);
    const OutputStreaming made = handed(producer(wide), {eltwise(halves, wide)});
    CHECK(made.rule == ScatterRule::TwoPipes);
    CHECK(made.unit == 2);
    CHECK(made.streams == 2);
    CHECK(made.most_phases() == 2);  // one of each
}

TEST_CASE("gathered whole mblocks stay in order (F), parts of them do not (G)") {
    const Blocking halves = cut(1, 2, 1, 2, 1, 1), wide = cut(1, 1, 1, 4, 1, 1);
    CHECK(handed(producer(halves), {eltwise(wide, halves)}).rule == ScatterRule::None);
    const Blocking tall_halves = cut(1, 2, 2, 2, 1, 1), tall = cut(1, 1, 2, 4, 1, 1);
    const OutputStreaming made = handed(producer(tall_halves), {eltwise(tall, tall_halves)});
    CHECK(made.rule == ScatterRule::Pieces);
    CHECK(made.unit == 2);
    CHECK(made.most_phases() == 2);
}

TEST_CASE("fewer inputs than a block holds make one short block (H)") {
    const OutputStreaming made = handed(producer(two_by_two, 8), {eltwise(two_by_two, two_by_two)}, 2);
    CHECK(made.rule == ScatterRule::Pieces);
    CHECK(made.unit == 16);
    CHECK(made.most_phases() == 1);
    CHECK(made.block_tiles == 16);
    CHECK(made.buffer_tiles == 16);
    // as many as it holds are no fewer
    CHECK(handed(producer(two_by_two, 8), {eltwise(two_by_two, two_by_two)}, 4).rule == ScatterRule::None);
}

TEST_CASE("two readers in order are two streams (I); one that is not makes blocks for both (J)") {
    const OutputReader same = eltwise(two_by_two, two_by_two), other = eltwise(by_columns, two_by_two);
    const OutputStreaming both = handed(producer(two_by_two), {same, same});
    CHECK(both.rule == ScatterRule::None);
    CHECK(both.streams == 2);
    const OutputStreaming made = handed(producer(two_by_two), {same, other});
    CHECK(made.rule == ScatterRule::Order);
    CHECK(made.unit == 2);
    REQUIRE(made.forks.size() == 2);
    CHECK(made.forks[0].phases == 1);  // runs join
    CHECK(made.forks[1].phases == 4);
}

TEST_CASE("padding, and parts of an mblock, make blocks") {
    OperandTms padded = tms(Tm::Kind::Pad, 1);
    padded.tms[0].rt = 1;
    const Blocking small = cut(1, 1, 1, 2, 1, 1), padded_out = cut(1, 1, 2, 2, 1, 1);
    CHECK(handed(producer(small), {eltwise(padded_out, small, padded)}).rule == ScatterRule::Padding);
    OperandTms less;
    less.unpad_rt = 1;
    CHECK(handed(producer(padded_out), {eltwise(small, padded_out, less)}).rule == ScatterRule::Part);
}

TEST_CASE("slices stacked over cores go to one core after the other") {
    const Blocking slices = cut(1, 1, 1, 2, 1, 1, UblockOrder::Row, 2), stacked = cut(1, 2, 1, 2, 1, 1);
    const OutputStreaming made = handed(producer(slices), {eltwise(stacked, slices, tms(Tm::Kind::HStack, 2))});
    CHECK(made.rule == ScatterRule::Destinations);
    CHECK(made.held_together == made.block_tiles);
    CHECK(made.forks.size() == 2);
    CHECK(made.streams == 1);  // the cores of a stack are destinations of one stream, in turn
}

TEST_CASE("a stack on one core that the buffer does not hold is kept whole") {
    const Blocking slices = cut(1, 1, 2, 1, 1, 1, UblockOrder::Row, 4), stacked = cut(1, 1, 2, 4, 1, 1);
    const OutputReader reader = eltwise(stacked, slices, tms(Tm::Kind::HStack, 4));
    CHECK(handed(producer(slices), {reader}).held_together == 8);
    CHECK(handed(producer(slices, 8), {reader}).held_together == 8);  // blocks of four mblocks hold it
    CHECK(handed(producer(slices, 8), {reader}).block_tiles == 8);
}

TEST_CASE("a broadcast sends the same phases again and again") {
    const Blocking row = cut(1, 1, 1, 48, 1, 1), wide = cut(1, 1, 4, 48, 1, 1);
    const OutputStreaming made = handed(producer(row), {eltwise(wide, row, tms(Tm::Kind::BroadcastR, 4))});
    CHECK(made.rule == ScatterRule::Order);
    CHECK(made.forks.at(0).phases == 4);
    CHECK(made.forks.at(0).repeats == 1);  // four units of 48 tiles
    // 192 units in periods of 48, which is above 32
    const Blocking turned = cut(1, 1, 1, 24, 2, 1);
    const OutputStreaming many =
        handed(producer(turned), {eltwise(cut(1, 1, 8, 24, 1, 1), turned, tms(Tm::Kind::BroadcastR, 4))});
    CHECK(many.unit == 1);
    CHECK(many.forks.at(0).repeats == 4);
    CHECK(many.starts == many.streams + 3);
}

TEST_CASE("a queue reads by its own blocks") {
    Queue queue;
    queue.blocking = by_columns;
    CHECK(tile_orders(queue, two_by_two) == std::vector<TileOrder>{{{0, 0, 2}, {0, 4, 2}, {0, 2, 2}, {0, 6, 2}}});
    CHECK(handed(producer(two_by_two), {{"queue 'y'", tile_orders(queue, two_by_two), 1, true}}).rule ==
          ScatterRule::Order);
}

TEST_CASE("kernel_broadcast limits the tiles read to those that it holds") {
    const Blocking one = cut(1, 1, 1, 1, 1, 1), wide = cut(1, 1, 1, 4, 1, 1);
    OpConfig op = config("nop", wide);
    CHECK(tile_orders(op, 0, tms(Tm::Kind::BroadcastC, 4), one) ==
          std::vector<TileOrder>{{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}}});
    op.attr.kernel_broadcast = {{0, 1}};
    CHECK(tile_orders(op, 0, tms(Tm::Kind::BroadcastC, 4), one) == std::vector<TileOrder>{{{0, 0, 1}}});
}

TEST_CASE("half a buffer is an integer of inputs, or an input of halves") {
    CHECK(whole_blocks(2, 12));
    CHECK(whole_blocks(12, 12));   // 6 slices
    CHECK(!whole_blocks(14, 12));  // 7
    CHECK(whole_blocks(48, 12));   // two inputs
    CHECK(whole_blocks_buffer(13, 12) == 24);
    CHECK(whole_blocks_buffer(5, 1) == 6);
    CHECK(whole_blocks_buffer(25, 12) == 48);
}

TEST_CASE("handing over costs time for each block, fork, phase and byte") {
    PipeConstants t;
    t.block = 1000;
    t.block_fork = 100;
    t.phase = 10;
    t.stream_bytes = 2080;  // a tile a clock
    t.gather_block = 500;
    t.partner = 30;
    const Blocking rows = cut(1, 1, 2, 2, 1, 2, UblockOrder::Row, 4);
    const auto cycles = [&](const Op& from, const std::vector<OutputReader>& readers) {
        return output_streaming_cycles(handed(from, readers), from, t);
    };
    // in order: one phase and 8 tiles a slice
    CHECK(cycles(producer(rows), {eltwise(rows, rows)}) == Approx(4 * (10 + 8)));
    // two columns of cores: for each slice a block, two forks and two phases of two tiles each
    const Blocking apart = cut(1, 2, 2, 1, 1, 2, UblockOrder::Row, 4);
    const double block = 1000 + 2 * 100 + 2 * (2 * 10 + 4);
    CHECK(cycles(producer(rows), {eltwise(apart, rows)}) == Approx(4 * block));
    // four slices a block: as many phases, a quarter of the blocks
    CHECK(cycles(producer(rows, 8), {eltwise(apart, rows)}) == Approx(1000 + 2 * 100 + 4 * 2 * (2 * 10 + 4)));
    // four cores that each take from four in the same order: one serves them all, then the next
    const Blocking tall = cut(4, 1, 1, 4, 1, 1), wide = cut(1, 4, 4, 1, 1, 1);
    Op turned = producer(tall);
    const OutputStreaming in_turn = handed(turned, {eltwise(wide, tall)});
    REQUIRE(in_turn.forks.size() == 16);
    const double served = 4 * (10 + 1);
    CHECK(output_streaming_cycles(in_turn, turned, t) ==
          Approx(1000 + 100 * static_cast<double>(in_turn.starts) + 500 + 4 * served / in_turn.forks[0].abreast));
    CHECK(in_turn.forks[0].abreast == 3);
    // four rows of each: the relays wait for the same source
    const Blocking rows_of_four = cut(4, 1, 4, 4, 1, 1), columns = cut(1, 4, 16, 1, 1, 1);
    const OutputStreaming run_by_run = handed(producer(rows_of_four), {eltwise(columns, rows_of_four)});
    CHECK(run_by_run.forks[0].abreast == Approx((8 * 1 + 6 * 2) / 14.0));
    // one core gathers from two, in four phases through three relays: blocks of its own beside those of its sources
    CHECK(cycles(producer(apart), {eltwise(rows, apart)}) == Approx(4 * (1000 + 100 + 500 + 4 * 30 / 3.0)));
}
