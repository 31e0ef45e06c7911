#include <catch2/catch.hpp>

#include "netlist/plan/l1_space.hpp"
#include "tests/netlist/plan_of.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

Op make_op(Cut cut, std::int64_t buffer) {
    Op op;
    op.cfg.out = {cut.grid_r, cut.grid_c, cut.m, cut.n, cut.rt, cut.ct, cut.t};
    op.buf_size_mb = buffer;
    return op;
}
OperandUse clears(std::int64_t tiles) {
    OperandUse use;
    use.clear_tiles = tiles;
    return use;
}
constexpr std::int64_t float16_tile = 2048 + 32;  // 16-byte header, rounded up to 32
constexpr std::int64_t bfp8_tile = 1024 + 64 + 32;

/// x -> o -> y with one matmul or copy of the given cut, on grayskull.
std::string matmul(Cut cut, int m_k, int u_kt, const std::string& more = "", bool prologue = false, int buffer = 2) {
    NetlistText n("grayskull");
    const int inner = m_k * u_kt;
    n.queue({.name = "a", .cut = {.m = cut.rows(), .n = inner, .t = cut.t}, .entries = 8});
    n.queue({.name = "b", .cut = {.m = inner, .n = cut.cols(), .t = cut.t}, .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "mm", .cut = cut, .entries = 8});
    n.graph("g", 8);
    n.op({.name = "mm",
          .type = "matmul",
          .inputs = {"a", "b"},
          .cut = cut,
          .more = fmt::format("attributes: {{m_k: {}, u_kt: {}}}{}", m_k, u_kt, more),
          .buffer = buffer});
    n.program("p", looped(1, {execute("g", {fifo("a"), ram("b", prologue)})}, 8, 16));
    return n.text();
}

}  // namespace

TEST_CASE("an output buffer holds buf_size_mb mblocks, however many inputs there are") {
    const Cut mblock_of_8{.m = 2, .n = 2, .rt = 1, .ct = 2};
    CHECK(output_buffer_tiles(make_op(mblock_of_8, 2)) == 16);
    CHECK(output_buffer_tiles(make_op(mblock_of_8, 8)) == 64);
    CHECK(output_buffer_tiles(make_op(mblock_of_8, 1)) == 8);
}

TEST_CASE("untilized output is buffered by rows of ublocks") {
    Op op = make_op({.m = 4, .n = 3, .rt = 2, .ct = 1}, 2);
    op.cfg.untilize = true;
    CHECK(output_buffer_tiles(op) == 2 * 3 * 2);
}

TEST_CASE("an input buffer is about 32 KiB in whole double buffers of the unit cleared at once") {
    Op op = make_op({}, 2);
    // a tile counts as the power of two nearest to its size: 2048, 1024
    CHECK(input_buffer_tiles(op, 0, clears(1), float16_tile) == 16);
    CHECK(input_buffer_tiles(op, 0, clears(1), bfp8_tile) == 32);
    CHECK(input_buffer_tiles(op, 0, clears(1), 608) == 64);
    CHECK(input_buffer_tiles(op, 0, clears(1), 352) == 128);
    CHECK(input_buffer_tiles(op, 0, clears(1), 4128) == 8);
    CHECK(input_buffer_tiles(op, 0, clears(6), float16_tile) == 24);   // multiple of 12
    CHECK(input_buffer_tiles(op, 0, clears(40), float16_tile) == 80);  // twice 40 is more
    op.input_buf_min_size_tiles = {0, 100};
    CHECK(input_buffer_tiles(op, 0, clears(6), float16_tile) == 24);
    CHECK(input_buffer_tiles(op, 1, clears(6), float16_tile) == 102);  // multiple of 6
}

TEST_CASE("a kernel broadcast is held twice, per slice or not") {
    Op op = make_op({}, 2);
    op.cfg.attr.kernel_broadcast = {{1, 5}};
    CHECK(input_buffer_tiles(op, 1, clears(6), float16_tile) == 10);
    op.cfg.attr.kernel_broadcast.clear();
    op.cfg.attr.kernel_broadcast_per_t = {{1, 5}};
    CHECK(input_buffer_tiles(op, 1, clears(6), float16_tile) == 10);
}

TEST_CASE("many inputs share the space of three; a sparse matrix and its indices have no buffer of their own") {
    Op op = make_op({}, 2);
    op.cfg.type = "splice";
    op.inputs = {"a", "b", "c", "d"};
    CHECK(input_buffer_tiles(op, 0, clears(1), float16_tile) == 12);
    op.cfg.type = "add";
    CHECK(input_buffer_tiles(op, 0, clears(1), float16_tile) == 16);
    op.cfg.attr.identity = true;
    CHECK(input_buffer_tiles(op, 0, clears(3), float16_tile) == 6);
    CHECK(input_buffer_tiles(op, 1, clears(3), float16_tile) == 18);
    CHECK(input_buffer_tiles(op, 2, clears(1), float16_tile) == 2);
}

TEST_CASE("the factors of a product inside a fused op are held for all of its inner dimension") {
    auto fused = std::make_shared<FusedDefinition>();
    FusedSubOp sub;
    sub.type = "matmul";
    sub.inputs = {{FusedOperand::Kind::Input, 0}, {FusedOperand::Kind::Input, 1}};
    sub.mblock_n = 3;
    sub.attributes.m_k = 4;
    fused->schedules = {{sub}};
    Op op = make_op({}, 2);
    op.cfg.fused = fused;
    CHECK(input_buffer_tiles(op, 0, clears(2), float16_tile) == 2 * 4 * 2);
    CHECK(input_buffer_tiles(op, 1, clears(2), float16_tile) == 2 * 4 * 3 * 2);
}

TEST_CASE("a matmul clears a k-block of a core's rows or columns at once") {
    const Netlist netlist = resolved(matmul({.grid_r = 2, .grid_c = 3, .m = 3, .n = 2, .rt = 2, .ct = 4}, 4, 3));
    const auto plan = first_plan(netlist);
    const PlanOp& mm = op_of(*plan, "mm");
    // in0: 3 * 2 * 3 = 18 tiles, doubled 36; in1: 2 * 4 * 3 = 24, doubled 48; both above the 15 tiles of 32 KiB
    CHECK(mm.operands[0].l1_tiles == 36);
    CHECK(mm.operands[1].l1_tiles == 48);
    CHECK(mm.capacity_tiles == 2 * 48);
}

TEST_CASE("min_buffer_input buffers one ublock of that operand") {
    std::string text = matmul({.m = 8, .n = 2, .rt = 2, .ct = 4}, 4, 3);
    text.replace(text.find("u_kt: 3"), 7, "u_kt: 3, min_buffer_input: 0");
    const Netlist netlist = resolved(text);
    const auto plan = first_plan(netlist);
    CHECK(op_of(*plan, "mm").operands[0].l1_tiles == 24);  // 2 * 3 doubled is 12; 15 tiles of 32 KiB round up to 24
    CHECK(op_of(*plan, "mm").operands[1].l1_tiles == 48);
}

TEST_CASE("a prologue operand stays in its buffer when the buffer holds all tiles that one input reads") {
    const Cut out{.grid_r = 1, .grid_c = 2, .m = 1, .n = 2, .rt = 2, .ct = 4};
    const Netlist netlist = resolved(matmul(out, 1, 2, "", true));
    const auto plan = first_plan(netlist);
    const PlanOperand& weights = op_of(*plan, "mm").operands[1];
    CHECK(weights.intake == Intake::Resident);
    CHECK(weights.l1_tiles == 2 * 8);  // inner dimension times a core's columns
    CHECK(weights.held_tiles == 0);
}

TEST_CASE("a prologue operand of which an input takes more lies beside its buffer and is sent to it") {
    const Cut out{.grid_r = 1, .grid_c = 2, .m = 1, .n = 2, .rt = 2, .ct = 4};
    const Netlist netlist = resolved(matmul(out, 4, 3, "", true));
    const auto plan = first_plan(netlist);
    const PlanOperand& weights = op_of(*plan, "mm").operands[1];
    CHECK(weights.intake == Intake::PerStep);
    CHECK(weights.held_tiles == 12 * 8);
    CHECK(weights.l1_tiles == 48);
    CHECK(weights.reads.chunk == 0);
    CHECK(weights.held_runs >= 2);
}

TEST_CASE("an op that does not fit is refused with the parts of its memory") {
    // Output: 2 x 16 x 16 = 512 tiles of 2080 B; grayskull leaves 1048576 - 208896 = 839680 B.
    const Netlist netlist = resolved(matmul({.m = 8, .n = 8, .rt = 2, .ct = 2}, 1, 1));
    try {
        first_plan(netlist);
        FAIL("not refused");
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        CHECK_THAT(
            error.what(),
            Catch::Contains("op 'mm' needs 1198080 B of L1 per core (output 1064960, input 0 66560, input 1 66560)"));
        CHECK_THAT(error.what(), Catch::Contains("grayskull leaves 839680 B"));
        CHECK_THAT(error.what(), Catch::StartsWith("n.yaml:"));
    }
    CHECK_NOTHROW(first_plan(netlist, "wormhole_b0"));  // 1499136 - 208896 = 1290240 B
}

TEST_CASE("overlay_size is taken from the remaining memory") {
    const std::string text = matmul({.m = 8, .n = 8, .rt = 2, .ct = 2}, 1, 1, ", overlay_size: 100000");
    const Netlist netlist = resolved(text);
    CHECK_THROWS_WITH(first_plan(netlist, "wormhole_b0"), Catch::Contains("leaves 1190240 B"));
}
