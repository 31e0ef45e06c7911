// One pipe on its own: what decides its rate, and that it does.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tools/validation/pipe_bench.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;

static PipeBenchResult bench(const char* from, const char* to, PipeBenchCase what = {}) {
    what.from = parse_pipe_end(from);
    what.to = parse_pipe_end(to);
    return pipe_bench(what, chip("wormhole_b0"));
}

TEST_CASE("a pipe in order is faster than one in blocks, and a large one in blocks than a small one") {
    const PipeBenchResult in_order = bench("4x4/2x2/r", "4x4/2x2/r");
    CHECK_FALSE(in_order.scatter);
    const PipeBenchResult blocks = bench("4x4/2x2/r", "4x4/2x2/c");
    CHECK(blocks.scatter);
    CHECK(blocks.because == "reads tiles in another order (rule 3)");
    CHECK(blocks.block_tiles == 64);
    CHECK(blocks.unit_tiles == 4);
    CHECK(blocks.phases > 1);
    CHECK(in_order.bytes_per_clock > blocks.bytes_per_clock);
    CHECK(blocks.bytes_per_clock > bench("2x2/2x2/r", "2x2/2x2/c").bytes_per_clock);
}

TEST_CASE("a gather begins anew with every block of its sources") {
    PipeBenchCase four;
    four.sources = 4;
    const PipeBenchResult small = bench("1x1/2x2/r", "4x1/2x2/r", four), large = bench("8x1/2x2/r", "32x1/2x2/r", four);
    CHECK_FALSE(small.scatter);
    CHECK(large.bytes_per_clock > 1.3 * small.bytes_per_clock);
}

TEST_CASE("each fork of a producer adds to its blocks") {
    PipeBenchCase two, four;
    two.takers = 2;
    four.takers = 4;
    const PipeBenchResult halves = bench("4x2/2x2/r", "2x2/2x2/r", two),
                          quarters = bench("4x2/2x2/r", "1x2/2x2/r", four);
    CHECK(halves.forks == 2);
    CHECK(quarters.forks == 4);
    CHECK(halves.bytes_per_clock > quarters.bytes_per_clock);
}

TEST_CASE("a queue is read the faster the longer its chunks and requests are") {
    PipeBenchCase queue;
    queue.from_dram = true;
    const PipeBenchResult whole = bench("2x2/2x4/r", "2x2/2x4/r", queue);
    CHECK(whole.chunk_tiles == 16);
    CHECK(whole.request_tiles == 16);
    const PipeBenchResult single = bench("2x2/2x4/r", "4x8/1x1/c", queue);
    CHECK(single.request_tiles == 1);
    CHECK(whole.bytes_per_clock > single.bytes_per_clock);
}

TEST_CASE("a pipe that cannot be is refused") {
    CHECK_THROWS_WITH(parse_pipe_end("2x2/2x2"), Catch::Contains("as in 2x3/1x4/r"));
    CHECK_THROWS_WITH(parse_pipe_end("0x2/2x2/r"), Catch::Contains("not a pipe end"));
    CHECK_THROWS_WITH(parse_pipe_end("2x2/2x2/rr"), Catch::Contains("not a pipe end"));
    CHECK_THROWS_WITH(bench("2x2/2x2/r", "1x1/1x1/r"), Catch::Contains("both must have the same"));
    CHECK_THROWS_WITH(bench("99x99/2x2/r", "99x99/2x2/r"), Catch::Contains("of L1 per core"));
}
