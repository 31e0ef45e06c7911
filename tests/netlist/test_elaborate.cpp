#include <catch2/catch.hpp>

#include "tests/netlist/plan_of.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

std::vector<NocCoord> places(const PlanOp& op) { return op.cores; }
using Places = std::vector<NocCoord>;

/// x -> o -> y on a grid of 2 x 3 at [row, col].
std::string copy_at(int row, int col, const std::string& more = "") {
    NetlistText n("grayskull");
    const Cut cut{.grid_r = 2, .grid_c = 3};
    n.queue({.name = "x", .cut = cut, .entries = 2});
    n.queue({.name = "y", .input = "o", .cut = cut, .entries = 2});
    n.graph("g", 2);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}, .cut = cut, .row = row, .col = col, .more = more});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, 2, 4));
    return n.text();
}

/// mm = a x b (+ bias) on 2 x 3 cores; four k-blocks of two.
std::string product(const std::string& attributes, int t = 1, int in_t = 1, bool bias = false) {
    NetlistText n("grayskull");
    const Cut cut{.grid_r = 2, .grid_c = 3, .m = 2, .n = 1, .rt = 1, .ct = 2, .t = t};
    n.queue({.name = "a", .cut = {.grid_r = 4, .m = 1, .n = 8, .t = in_t}, .entries = 2});
    n.queue({.name = "b", .cut = {.m = 8, .n = 6, .t = in_t}, .entries = 1, .ram = true});
    n.queue({.name = "c", .cut = {.m = 4, .n = 6, .t = t}, .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "mm", .cut = cut, .entries = 2});
    n.graph("g", 2);
    std::vector<std::string> inputs{"a", "b"};
    if (bias) inputs.emplace_back("c");
    n.op({.name = "mm", .type = "matmul", .inputs = inputs, .cut = cut, .more = "attributes: {" + attributes + "}"});
    std::vector<std::string> settings{fifo("a"), ram("b")};
    if (bias) settings.push_back(ram("c"));
    n.program("p", looped(1, {execute("g", settings)}, 2, 4));
    return n.text();
}

}  // namespace

TEST_CASE("cores are counted over the worker grid, row by row, skipping rows without workers") {
    const Netlist netlist = resolved(copy_at(4, 1));
    // Row 4 is y 5, row 5 is y 7 (y 6 is DRAM's); column 1 is x 2.
    CHECK(places(first_plan(netlist)->ops[0]) == Places{{2, 5}, {3, 5}, {4, 5}, {2, 7}, {3, 7}, {4, 7}});
}

TEST_CASE("grid_transpose lays rows of the op along columns of the chip") {
    const Netlist netlist = resolved(copy_at(0, 0, "grid_transpose: true"));
    CHECK(places(first_plan(netlist)->ops[0]) == Places{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}});
}

TEST_CASE("harvested rows are no longer counted") {
    const Netlist netlist = resolved(copy_at(0, 0));
    MachineOptions options;
    options.harvested_rows = {2};
    CHECK(places(first_plan(netlist, "grayskull", options)->ops[0]) ==
          Places{{1, 1}, {2, 1}, {3, 1}, {1, 3}, {2, 3}, {3, 3}});
    const Netlist low = resolved(copy_at(8, 0));
    CHECK_NOTHROW(first_plan(low));
    CHECK_THROWS_WITH(first_plan(low, "grayskull", options),
                      Catch::Contains("op 'o' needs core [9, 0]; chip 0 has 9 x 12 working cores"));
}

TEST_CASE("each core of a copy has a pipe of its own") {
    const Netlist netlist = resolved(copy_at(0, 0));
    const auto plan = first_plan(netlist);
    const PlanOperand& in = plan->ops[0].operands[0];
    REQUIRE(in.pipes.size() == 6);
    CHECK(in.pipe_of_core == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
    for (std::uint32_t p = 0; p < 6; ++p) {
        CHECK(in.pipes[p].cores == std::vector<std::uint32_t>{p});
        CHECK(in.pipes[p].rects == std::vector<TileRect>{{p / 3, p % 3, 1, 1}});
        REQUIRE(in.pipes[p].needs.size() == 1);
        CHECK(in.pipes[p].needs[0].source == p);
    }
    CHECK(in.intake == Intake::PerStep);
    CHECK(plan->queues.size() == 2);
    CHECK(plan->queues[static_cast<std::size_t>(plan->ops[0].out_queues.at(0))].writer == 0);
}

TEST_CASE("a matmul multicasts rows of in0 along grid rows and columns of in1 down grid columns") {
    const Netlist netlist = resolved(product("m_k: 4, u_kt: 2"));
    const auto plan = first_plan(netlist);
    const PlanOp& mm = op_of(*plan, "mm");
    const PlanOperand &in0 = mm.operands[0], &in1 = mm.operands[1];
    REQUIRE(in0.pipes.size() == 2);
    CHECK(in0.pipes[0].cores == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(in0.pipes[1].cores == std::vector<std::uint32_t>{3, 4, 5});
    CHECK(in0.pipes[1].rects == std::vector<TileRect>{{2, 0, 2, 8}});
    REQUIRE(in1.pipes.size() == 3);
    CHECK(in1.pipes[0].cores == std::vector<std::uint32_t>{0, 3});
    CHECK(in1.pipes[2].cores == std::vector<std::uint32_t>{2, 5});
    CHECK(in1.pipes[2].rects == std::vector<TileRect>{{0, 4, 8, 2}});
    CHECK(in0.pipe_of_core == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1});
    CHECK(in1.pipe_of_core == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2});
    // A k-block of in0: 2 rows x 2 tiles, from the two buffers (of one row each) that hold them.
    CHECK(in0.pipes[0].chunk_tiles == std::vector<std::uint32_t>{4, 4, 4, 4});
    CHECK(in0.pipes[0].first_need == std::vector<std::uint32_t>{0, 2, 4, 6, 8});
    CHECK((in0.pipes[1].needs[0].source == 2 && in0.pipes[1].needs[1].source == 3));
    CHECK(in1.pipes[0].chunk_tiles == std::vector<std::uint32_t>{4, 4, 4, 4});
}

TEST_CASE("a matmul takes a k-block of both operands each step and packs with the last") {
    const Netlist netlist = resolved(product("m_k: 4, u_kt: 2"));
    const auto plan = first_plan(netlist);
    const PlanOp& mm = op_of(*plan, "mm");
    CHECK(mm.slices == 1);
    CHECK(mm.steps_per_slice == 4);
    CHECK(mm.out_tiles == std::vector<std::int64_t>{0, 0, 0, 4});
    CHECK(mm.step_times.size() == 4);
    CHECK(mm.operands[0].intake == Intake::PerStep);
    CHECK(mm.operands[1].intake == Intake::PerStep);
    CHECK(mm.input_tiles() == 4);
}

TEST_CASE("the operand that min_buffer_input names is consumed in parts of a k-block") {
    // b's k-block: 4 ublocks of 2 x 2 tiles. Its buffer has 16 tiles (32 KiB): two ublocks are multiplied while two
    // come.
    NetlistText n("grayskull");
    const Cut cut{.m = 1, .n = 4, .rt = 1, .ct = 2};
    n.queue({.name = "a", .cut = {.m = 1, .n = 8}, .entries = 2});
    n.queue({.name = "b", .cut = {.m = 8, .n = 8}, .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "mm", .cut = cut, .entries = 2});
    n.graph("g", 2);
    n.op({.name = "mm",
          .type = "matmul",
          .inputs = {"a", "b"},
          .cut = cut,
          .more = "attributes: {m_k: 4, u_kt: 2, min_buffer_input: 1}"});
    n.program("p", looped(1, {execute("g", {fifo("a"), ram("b")})}, 2, 4));
    const Netlist netlist = resolved(n.text());
    const auto plan = first_plan(netlist);
    const PlanOp& mm = op_of(*plan, "mm");
    CHECK(mm.steps_per_slice == 8);
    CHECK(mm.out_tiles == std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 8});
    const PlanOperand &in0 = mm.operands[0], &in1 = mm.operands[1];
    CHECK(in1.parts == 2);
    CHECK(in1.intake == Intake::PerStep);
    CHECK(in1.pipes[0].chunk_tiles == std::vector<std::uint32_t>(8, 8));
    CHECK(in0.intake == Intake::InTurn);
    CHECK(in0.pipes[0].chunk_tiles == std::vector<std::uint32_t>(4, 2));
    REQUIRE(in0.iterations.size() == 8);
    CHECK((in0.iterations[2].needed == 2 && in0.iterations[2].passed == 1));
    CHECK((in0.iterations[3].needed == 2 && in0.iterations[3].passed == 2));
    const auto whole_plan = first_plan(netlist, "grayskull", {}, {.parts = false});
    const PlanOp& whole = op_of(*whole_plan, "mm");
    CHECK(whole.steps_per_slice == 4);
    CHECK(whole.operands[1].parts == 1);
}

TEST_CASE("accumulation over slices makes more steps, a bias comes with the last") {
    const Netlist summed = resolved(product("m_k: 4, u_kt: 2, accumulate: true, z: 3", 2, 6));
    const auto plan = first_plan(summed);
    const PlanOp& mm = op_of(*plan, "mm");
    CHECK(mm.slices == 2);
    CHECK(mm.steps_per_slice == 12);
    CHECK(mm.operands[0].slices == 3);
    CHECK(mm.operands[0].pipes[0].chunks() == 24);

    const Netlist biased = resolved(product("m_k: 4, u_kt: 2, bias: true", 1, 1, true));
    const auto with_bias = first_plan(biased);
    const PlanOperand& bias = op_of(*with_bias, "mm").operands[2];
    CHECK(bias.intake == Intake::SliceEnd);
    CHECK(bias.chunks_per_slice == 1);
}

TEST_CASE("ops come in the order of their data, whatever the file's") {
    NetlistText n("grayskull");
    n.queue({.name = "x", .entries = 2});
    n.queue({.name = "y", .input = "last", .entries = 2});
    n.graph("g", 2);
    n.op({.name = "last", .type = "add", .inputs = {"left", "right"}});
    n.op({.name = "right", .type = "nop", .inputs = {"first"}, .col = 1});
    n.op({.name = "left", .type = "nop", .inputs = {"first"}, .col = 2});
    n.op({.name = "first", .type = "add", .inputs = {"x", "x"}, .col = 3});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, 2, 4));
    const Netlist netlist = resolved(n.text());
    const auto plan = first_plan(netlist);
    std::vector<std::string> order;
    for (const PlanOp& op : plan->ops) order.push_back(op.op->name());
    CHECK(order == std::vector<std::string>{"first", "left", "right", "last"});
    CHECK(op_of(*plan, "first").readers.size() == 2);
    CHECK(op_of(*plan, "first").out_queues.empty());
    CHECK(plan->queues[static_cast<std::size_t>(op_of(*plan, "first").operands[0].producer_queue)].readers.size() == 2);
    CHECK(op_of(*plan, "last").operands[0].producer_op == 1);
}

TEST_CASE("an output buffer keeps the tiles that a consumer stacks, twice when it has two halves") {
    NetlistText n("grayskull");
    const Cut slices{.m = 1, .n = 4, .t = 8};
    n.queue({.name = "x", .cut = slices, .entries = 2});
    n.queue({.name = "y", .input = "stacked", .cut = {.m = 1, .n = 32}, .entries = 2});
    n.graph("g", 2);
    n.op({.name = "made", .type = "nop", .inputs = {"x"}, .cut = slices});
    n.op({.name = "stacked",
          .type = "nop",
          .inputs = {"made"},
          .cut = {.m = 1, .n = 32},
          .col = 1,
          .more = "input_0_tms: [hstack: 8]"});
    n.op({.name = "turned",
          .type = "nop",
          .inputs = {"made"},
          .cut = {.m = 32, .n = 1},
          .col = 2,
          .more = "input_0_tms: [transpose, vstack: 8]"});
    n.queue({.name = "z", .input = "turned", .cut = {.m = 32, .n = 1}, .entries = 2});
    n.op({.name = "both",
          .type = "nop",
          .inputs = {"made"},
          .cut = {.m = 4, .n = 8},
          .col = 3,
          .more = "input_0_tms: [transpose, hstack: 8]"});
    n.queue({.name = "v", .input = "both", .cut = {.m = 4, .n = 8}, .entries = 2});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, 2, 4));
    const Netlist netlist = resolved(n.text());
    // Rows of `both` touch all eight slices, so the whole input stays until its last row.
    CHECK(op_of(*first_plan(netlist), "made").capacity_tiles == 64);
    std::string narrow = n.text();
    narrow = narrow.replace(narrow.find("[transpose, hstack: 8]"), 22, "[transpose, vstack: 8]");
    narrow = narrow.replace(narrow.find("both: {type: nop, grid_loc: [0, 3], grid_size: [1, 1], t: 1, mblock: [4, 8]"),
                            75, "both: {type: nop, grid_loc: [0, 3], grid_size: [1, 1], t: 1, mblock: [32, 1]");
    narrow =
        narrow.replace(narrow.find("v: {input: both, type: queue, entries: 2, grid_size: [1, 1], t: 1, mblock: [4, 8]"),
                       81, "v: {input: both, type: queue, entries: 2, grid_size: [1, 1], t: 1, mblock: [32, 1]");
    const Netlist in_order = resolved(narrow);
    CHECK(op_of(*first_plan(in_order), "made").capacity_tiles == 8);  // buf_size_mb 2 of 4 tiles
}

TEST_CASE("executes with the same graphs and prologue queues share a plan") {
    NetlistText n("grayskull");
    n.queue({.name = "x", .entries = 2});
    n.queue({.name = "w", .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "o", .entries = 2});
    n.graph("g", 2);
    n.op({.name = "o", .type = "add", .inputs = {"x", "w"}});
    n.program("p", {"var: {$l: 0, $g: 0}", execute("g", {fifo("x"), ram("w", true)}),
                    execute("g", {fifo("x"), ram("w", false)}), execute("g", {fifo("x"), ram("w", true)})});
    const Netlist netlist = resolved(n.text());
    const std::vector<EpochLaunch> launches = launches_of(netlist);
    REQUIRE(launches.size() == 3);
    CHECK(plan_key(launches[0]) == plan_key(launches[2]));
    CHECK(plan_key(launches[0]) != plan_key(launches[1]));
}

TEST_CASE("a chip the machine does not have is named") {
    NetlistText n;
    n.queue({.name = "x", .entries = 2});
    n.queue({.name = "y", .input = "o", .entries = 2});
    n.graph("g", 2, 3);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, 2, 4));
    const Netlist netlist = resolved(n.text());
    CHECK_THROWS_WITH(first_plan(netlist, "wormhole_b0"),
                      Catch::Contains("graph 'g' runs on chip 3, which the machine does not have"));
}

TEST_CASE("a splice by ublock takes its operands in turn and holds no more of them than it needs at once") {
    NetlistText n("grayskull");
    const Cut wide{.m = 2, .n = 40}, narrow{.m = 2, .n = 4}, both{.m = 2, .n = 8};
    n.queue({.name = "x", .cut = wide, .entries = 2});
    n.queue({.name = "z", .cut = narrow, .entries = 2});
    n.queue({.name = "y", .input = "joined", .cut = both, .entries = 2});
    n.graph("g", 2);
    n.op({.name = "a", .type = "nop", .inputs = {"x"}, .cut = wide});
    n.op({.name = "b", .type = "nop", .inputs = {"z"}, .cut = narrow, .col = 1});
    n.op({.name = "joined",
          .type = "splice",
          .inputs = {"a", "b"},
          .cut = both,
          .col = 2,
          .more = "attributes: {input0: [20, 4, 20], input1: [0, 4, 4]}"});
    n.program("p", looped(1, {execute("g", {fifo("x"), fifo("z")})}, 2, 4));
    const Netlist netlist = resolved(n.text());
    const auto plan = first_plan(netlist);
    const PlanOp& joined = op_of(*plan, "joined");
    const auto iterations = [&](std::size_t k) {
        std::vector<std::pair<std::int64_t, std::int64_t>> all;
        for (const PlanOperand::Iteration& iteration : joined.operands[k].iterations)
            all.emplace_back(iteration.needed, iteration.passed);
        return all;
    };
    using Iterations = std::vector<std::pair<std::int64_t, std::int64_t>>;
    // Eight ublocks a step, half of an operand's buffer: a row of the result, of `a` a row with what is left out.
    CHECK(joined.steps_per_slice == 2);
    CHECK(iterations(0) == Iterations{{5, 5}, {10, 10}});
    CHECK(iterations(1) == Iterations{{1, 0}, {1, 1}});
    CHECK(joined.operands[0].intake == Intake::InTurn);
    CHECK(joined.operands[0].l1_tiles == 16);
    CHECK(joined.operands[0].capacity_tiles == 40);
    CHECK(joined.operands[1].capacity_tiles == 16);
}

TEST_CASE("a sparse product takes the k-blocks of its activations in turn, over all its slices") {
    const auto plan_of = [](int t, int m_k) {
        NetlistText n("wormhole_b0");
        n.queue({.name = "tiles", .cut = {.n = 2}, .df = "Bfp2_b"});
        n.queue({.name = "picked", .cut = {}, .df = "RawUInt32"});
        n.queue({.name = "act", .cut = {.m = m_k, .rt = 8}});
        n.queue({.name = "y", .input = "op", .cut = {.m = 2, .rt = 2, .t = t}});
        n.graph("g", 2);
        n.op({.name = "op",
              .type = "matmul",
              .inputs = {"tiles", "act", "picked"},
              .cut = {.m = 2, .rt = 2, .t = t},
              .more = fmt::format("attributes: {{identity: true, act_t: 1, m_k: {}, u_kt: 8, num_index_tiles: 1, "
                                  "num_sparse_tiles: 2, sparse_tile_ptr_bits: 4, fracture_factor: 1}}",
                                  m_k),
              .in_df = {"Bfp2_b", "Float16_b", "RawUInt32"}});
        n.program("p", looped(1, {execute("g", {fifo("tiles"), fifo("act"), fifo("picked")})}, 2, 4));
        return resolved(n.text());
    };
    // Fewer k-blocks than slices: the two are used by two slices each, the buffer holds one more.
    const Netlist few = plan_of(4, 2);
    const auto few_plan = first_plan(few, "wormhole_b0");
    const PlanOp& op = few_plan->ops.front();
    const PlanOperand& act = op.operands[1];
    CHECK(act.intake == Intake::Strips);
    CHECK(op.steps_per_slice == 1);
    CHECK(act.input_chunks() == 2);
    CHECK(act.l1_tiles == 16);
    std::vector<std::int64_t> needed, passed;
    for (std::int64_t done = 1; done <= 4; ++done) {
        needed.push_back(act.strips_needed(done, 4));
        passed.push_back(act.strips_passed(done, 4));
    }
    CHECK(needed == std::vector<std::int64_t>{1, 1, 2, 2});
    CHECK(passed == std::vector<std::int64_t>{0, 1, 1, 2});
    // More k-blocks than slices: a step for each; the whole operand need not fit.
    const Netlist many = plan_of(1, 90);
    const auto many_plan = first_plan(many, "wormhole_b0");
    const PlanOp& long_op = many_plan->ops.front();
    CHECK(long_op.steps_per_slice == 90);
    CHECK(long_op.operands[1].l1_tiles == 16);
    CHECK(long_op.operands[1].capacity_tiles < 90 * 8);
    // Left out: the whole input is in L1 before the first step.
    const auto whole_plan = first_plan(many, "wormhole_b0", {}, {.strips = false});
    const PlanOp& whole_op = whole_plan->ops.front();
    CHECK(whole_op.operands[1].intake == Intake::WholeInput);
    CHECK(whole_op.operands[1].capacity_tiles >= 90 * 8);
    CHECK(whole_op.steps_per_slice == 1);
}
