// How NCRISC reads queues in DRAM, and when senders hear of free space: the public examples and rules.
#include <catch2/catch.hpp>

#include "netlist/plan/streams.hpp"
#include "tests/netlist/plan_of.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

constexpr std::int64_t float16_tile = 2080, bfp8_tile = 1120;

Queue queue_of(Cut cut) {
    Queue queue;
    queue.blocking = {cut.grid_r, cut.grid_c, cut.m, cut.n, cut.rt, cut.ct, cut.t};
    return queue;
}
/// One pipe that takes `tiles` as they lie in the queue.
std::vector<TileOrder> whole(std::int64_t tiles) { return {{{0, 0, tiles}}}; }
/// One pipe that takes them one by one, backwards.
std::vector<TileOrder> backwards(std::int64_t tiles) {
    TileOrder order;
    for (std::int64_t tile = tiles; tile-- > 0;) order.push_back({0, tile, 1});
    return {order};
}

}  // namespace

TEST_CASE("a queue is read in the chunks of the public example") {
    const Queue queue = queue_of({.m = 2, .n = 2, .rt = 2, .ct = 4});  // 32 tiles
    const QueueReads wide = queue_reads(queue, whole(32), 8, 16, float16_tile, 0);
    CHECK(wide.unit == 16);   // the operand's buffer
    CHECK(wide.chunk == 16);  // 32 would be 66,560 B
    CHECK(wide.buffer == 32);
    const QueueReads narrow = queue_reads(queue, whole(32), 8, 32, bfp8_tile, 0);
    CHECK(narrow.unit == 32);
    CHECK(narrow.chunk == 32);
    CHECK(narrow.buffer == 64);
}

TEST_CASE("tiles in another order are requests of their own") {
    const Queue queue = queue_of({.m = 2, .n = 2, .rt = 2, .ct = 4});
    const QueueReads reads = queue_reads(queue, backwards(32), 8, 16, float16_tile, 0);
    CHECK(reads.unit == 1);
    CHECK(reads.chunk == 16);
}

TEST_CASE("a netlist's own size of the buffer bounds a chunk") {
    const Queue queue = queue_of({.m = 2, .n = 2, .rt = 2, .ct = 4});
    const QueueReads reads = queue_reads(queue, backwards(32), 8, 16, float16_tile, 8);
    CHECK(reads.chunk == 8);
    CHECK(reads.buffer == 16);  // the operand's buffer is larger
}

TEST_CASE("NCRISC has a buffer of its own if chunks do not divide the operand's") {
    const Queue queue = queue_of({.m = 24, .n = 24});  // 576 tiles, in k-blocks of 96 and pairs
    TileOrder pairs;
    for (std::int64_t tile = 576; tile > 0; tile -= 2) pairs.push_back({0, tile - 2, 2});
    const QueueReads reads = queue_reads(queue, {pairs}, 96, 192, bfp8_tile, 0);
    CHECK(reads.chunk == 36);
    CHECK(reads.beside);
    CHECK(reads.buffer == 36);
    CHECK_FALSE(queue_reads(queue, {pairs}, 16, 32, bfp8_tile, 0).beside);
}

TEST_CASE("an operand that is not read has no chunks") {
    CHECK(queue_reads(queue_of({}), {{{TileSpan::padding, 0, 4}}}, 1, 16, float16_tile, 0).chunk > 0);
    CHECK(queue_reads(queue_of({}), {}, 1, 16, float16_tile, 0).chunk == 0);
}

TEST_CASE("the more units a buffer holds, the smaller the part that is reported") {
    CHECK(credit_tiles(16, 17) == 1);  // not one unit: any
    CHECK(credit_tiles(16, 16) == 8);  // 1 or 2: half
    CHECK(credit_tiles(16, 8) == 8);
    CHECK(credit_tiles(16, 4) == 4);  // 3 to 5: a quarter
    CHECK(credit_tiles(16, 2) == 2);  // more: an eighth
    CHECK(credit_tiles(4, 1) == 1);
}

TEST_CASE("rows of a flat queue are requests of their own, unless they lie behind each other") {
    Queue queue = queue_of({.m = 2, .n = 2, .rt = 1, .ct = 4});
    queue.df = DataFormat::Float16_b;
    const QueueReads rows = flat_reads(queue, 8);
    CHECK(rows.unit == 4);
    CHECK(rows.rows == 32);
    CHECK(rows.chunk == 8);
    CHECK(rows.buffer == 16);  // the next step is requested while the first one is on its way
    queue.blocking.mblock_n = 1;
    CHECK(flat_reads(queue, 8).rows == 0);
}
