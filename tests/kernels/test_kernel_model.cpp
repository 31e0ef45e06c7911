#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "isa/arch.hpp"
#include "kernels/timing/kernel_model.hpp"
#include "kernels/timing/kernel_timing.hpp"
#include "tests/kernels/kernel_shapes.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

TEST_CASE("time grows with work and doubles with t") {
    const KernelModel& model = kernel_model("wormhole_b0");
    double last = 0;
    for (const std::int64_t blocks : {1, 2, 4, 8}) {
        const double now = model.time(sfpu("exp", 2, 2, blocks)).cycles;
        CHECK(now > last);
        last = now;
    }
    KernelShape one = sfpu("exp", 2, 2, 4), two = one;
    two.t = 2;
    const KernelTime a = model.time(one), b = model.time(two);
    CHECK(b.cycles - b.per_input == Approx(2 * (a.cycles - a.per_input)));
}

TEST_CASE("an SFPU op's time is its instruction count, and a vector mode runs its share") {
    const KernelModel& model = kernel_model("wormhole_b0");
    KernelShape s = sfpu("exp", 2, 4, 4);
    const double whole = model.micro_block(s, {}).busy[1];
    CHECK(whole == Approx(8 * (kernel_constants("wormhole_b0").sfpu_count("exp", "") + 12)).epsilon(0.01));
    CHECK(model.time(s).limit == KernelLimit::Math);
    s.vector = VectorMode::C;
    CHECK(model.micro_block(s, {}).busy[1] == Approx(whole / 2).epsilon(0.02));
    s.vector = VectorMode::R;
    CHECK(model.micro_block(s, {}).busy[1] < whole / 6);
}

TEST_CASE("the chip's counter shows moves, products and the instructions of an SFPU kernel that compute") {
    const KernelModel& model = kernel_model("wormhole_b0");
    const KernelConstants& c = kernel_constants("wormhole_b0");
    KernelShape s = sfpu("exp", 2, 4, 4);
    CHECK(model.micro_block(s, {}).counted == Approx(8 * (8 + c.sfpu_counted_instructions("exp", ""))));
    CHECK(model.time(s).counted_percent() < model.time(s).math_busy_percent());
    s.vector = VectorMode::C;
    CHECK(model.micro_block(s, {}).counted == Approx(8 * (8 + c.sfpu_counted_instructions("exp", "") / 2)));
    CHECK(model.micro_block(sfpu("nop", 2, 4, 4), {}).counted == Approx(8 * 8));
    KernelShape wide = sfpu("nop", 2, 4, 4);
    wide.in0 = DataFormat::Int32;
    CHECK(model.micro_block(wide, {}).counted == 0);  // unpacked to Dst
    CHECK(c.sfpu_counted_instructions("nobody's op", "") == c.sfpu_count("nobody's op", ""));
}

TEST_CASE("the matrix unit takes 16 clk a tile product and phase on Wormhole, 32 on Grayskull") {
    for (const auto& [chip_name, clocks] : {std::pair{"wormhole_b0", 16}, {"grayskull", 32}}) {
        const KernelModel& model = kernel_model(chip_name);
        const double one = model.micro_block(product(Fidelity::LoFi, 8, 1), {}).busy[1];
        const double four = model.micro_block(product(Fidelity::HiFi4, 8, 1), {}).busy[1];
        CHECK((four - one) / (3 * 8 * 8) == Approx(clocks).epsilon(0.1));
    }
}

TEST_CASE("a matmul over several k-blocks has first, middle and last micro-blocks and pays for partial sums") {
    const KernelModel& model = kernel_model("wormhole_b0");
    const KernelTime one = model.time(product(Fidelity::LoFi, 2, 1));
    const KernelTime four = model.time(product(Fidelity::LoFi, 2, 4));
    REQUIRE(one.parts.size() == 1);
    REQUIRE(four.parts.size() == 3);
    CHECK(four.parts[1].count == 8);
    CHECK(four.cycles > 4 * one.cycles);
    KernelShape in_l1 = product(Fidelity::LoFi, 2, 4);
    in_l1.l1_acc = true;
    CHECK(model.time(in_l1).cycles < four.cycles);
}

TEST_CASE("a product's gelu takes the SFPU op's instructions per output tile, once, while math waits") {
    for (const char* chip_name : {"wormhole_b0", "grayskull"}) {
        const KernelModel& model = kernel_model(chip_name);
        const KernelShape plain = product(Fidelity::HiFi4, 2, 4);
        KernelShape fused = plain;
        fused.gelu = true;
        const double clocks = 8 * kernel_constants(chip_name).sfpu_count("gelu", "");
        for (const BlockPosition position : {BlockPosition::First, BlockPosition::Middle})
            CHECK(model.micro_block(fused, {position, 0}).busy[1] == model.micro_block(plain, {position, 0}).busy[1]);
        const MicroBlock last{BlockPosition::Last, 0};
        CHECK(model.micro_block(fused, last).busy[1] - model.micro_block(plain, last).busy[1] ==
              Approx(clocks).epsilon(0.02));
        // where math limits, the micro-block takes that much longer; the op of its own moves its tiles as well
        CHECK(model.micro_block(fused, last).steady - model.micro_block(plain, last).steady ==
              Approx(clocks).epsilon(0.05));
        KernelShape own = sfpu("gelu", 2, 4, 4);
        CHECK(model.micro_block(own, {}).steady > clocks);
    }
}

TEST_CASE("the steps of a product with gelu add up to the kernel model's time") {
    OpConfig op;
    op.type = op.name = "matmul";
    op.out.mblock_m = 2;
    op.out.ublock_rt = 2;
    op.out.ublock_ct = 4;
    op.attr.m_k = 2;
    op.attr.u_kt = 4;
    op.attr.sfpu_gelu = true;
    op.in = {{1, 4, 8}, {1, 8, 4}};
    op.in_tile = {TileDim{}, TileDim{}};
    op.in_df = {DataFormat::Bfp8_b, DataFormat::Bfp8_b};
    op.out_df = op.intermed_df = DataFormat::Bfp8_b;
    op.fidelity = Fidelity::HiFi4;
    const OpDef& def = *find_op("matmul");
    const KernelModel& model = kernel_model("wormhole_b0");
    const double fused = model.time(kernel_shape(op, def)).cycles;
    double sum = 0;
    for (int step = 0; step < 2; ++step) {
        StepWork work;
        work.share = 0.5;
        const StepTime time = step_time(op, def, chip("wormhole_b0").timing, work);
        sum += static_cast<double>(std::max({time.unpack, time.math, time.pack}).value());
    }
    CHECK(sum == Approx(fused).epsilon(0.001));
    op.attr.sfpu_gelu = false;
    CHECK(fused - model.time(kernel_shape(op, def)).cycles == Approx(16 * 256).epsilon(0.01));
}

TEST_CASE("streams hold the instructions of the algorithm") {
    const StreamContext wh = stream_context("wormhole_b0");
    const KernelStreams s = build_streams(product(Fidelity::HiFi2, 1, 1), {}, wh);
    const std::string text = disassemble(s, wh.set);
    CHECK(text.find("MVMUL addr_mode=1  x32") != std::string::npos);
    // 2x4 tiles: each of the 2 left tiles once, the 4 right ones for each of them
    std::int64_t unpacks = 0;
    for (const StreamItem& item : s.of(KernelThread::Unpack)) unpacks += item.bytes > 0;
    CHECK(unpacks == 2 * (1 + 4));
    CHECK(s.instructions(KernelThread::Math) > 8 * 32);
}

TEST_CASE("long inner loops cost the sum of their steps") {
    const KernelModel& model = kernel_model("wormhole_b0");
    const double a = model.micro_block(product(Fidelity::HiFi4, 16, 1), {}).steady;
    const double b = model.micro_block(product(Fidelity::HiFi4, 32, 1), {}).steady;
    CHECK(model.micro_block(product(Fidelity::HiFi4, 4096, 1), {}).steady == Approx(b + 254 * (b - a)).epsilon(0.001));
}

TEST_CASE("a matmul waits for its operands by rows of micro-blocks and by k-blocks") {
    const KernelModel& model = kernel_model("wormhole_b0");
    const KernelConstants& c = model.constants();
    const auto unpack = [&](std::int64_t m, std::int64_t n, int min_buffer) {
        KernelShape s = product(Fidelity::LoFi, 1, 8);
        s.mblock_m = m;
        s.mblock_n = n;
        s.min_buffer_input = min_buffer;
        return model.micro_block(s, {BlockPosition::Middle, 0}).busy[0];
    };
    CHECK(unpack(4, 1, 0) - unpack(1, 4, 0) == Approx(3 * c.unpack_row / 4).margin(0.6));
    CHECK(unpack(4, 1, 1) == Approx(unpack(1, 4, 0)).margin(0.1));
    CHECK(unpack(1, 1, 0) - unpack(1, 2, 0) == Approx((c.unpack_step + c.unpack_row) / 2).margin(0.6));
}

TEST_CASE("constants must be complete, known and in range") {
    std::ifstream in(chip("wormhole_b0").files.timing);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto refused = [&](const std::string& from, const std::string& to) -> std::string {
        std::string changed = text;
        const std::size_t at = changed.find(from);
        REQUIRE(at != std::string::npos);
        changed.replace(at, from.size(), to);
        const auto file = std::filesystem::temp_directory_path() / "ttsim_kernel_constants_test.yaml";
        std::ofstream(file) << changed;
        std::string what;
        try {
            read_kernel_constants(file.string());
        } catch (const Error& e) {
            what = e.what();
        }
        std::filesystem::remove(file);
        return what;
    };
    CHECK(refused("pack_tile:", "pack_tile:").empty());
    CHECK_THAT(refused("  pack_tile:", "  pack_tiles:"), Catch::Contains("pack_tile"));
    CHECK_THAT(refused("  pack_elements: ", "  pack_elements: -"), Catch::Contains("a number above 0"));
    CHECK_THAT(refused("  input_matmul: ", "  input_matmul: -"), Catch::Contains("a number from 0"));
    CHECK_THAT(refused("  nop: ", "  nop: -"), Catch::Contains("a number from 0"));
    CHECK_THAT(refused("  default:", "  defaults:"), Catch::Contains("default"));
}

TEST_CASE("the steps of one input add up to the kernel model's time when nothing else limits") {
    OpConfig op;
    op.type = op.name = "exp";
    op.out.mblock_m = 4;
    op.out.mblock_n = 2;
    op.out.ublock_rt = 2;
    op.out.ublock_ct = 2;
    op.in = {op.out.shape()};
    op.in_tile = {TileDim{}};
    op.in_df = {DataFormat::Bfp8_b};
    op.out_df = op.intermed_df = DataFormat::Bfp8_b;
    op.fidelity = Fidelity::LoFi;
    const OpDef& def = *find_op("exp");
    const ChipTiming& timing = chip("wormhole_b0").timing;
    const double model = kernel_model("wormhole_b0").time(kernel_shape(op, def)).cycles;
    std::uint64_t sum = 0;
    for (int step = 0; step < 4; ++step) {
        StepWork work;
        work.share = 0.25;
        const StepTime time = step_time(op, def, timing, work);
        sum += std::max({time.unpack, time.math, time.pack}).value();
    }
    CHECK(static_cast<double>(sum) == Approx(model).epsilon(0.001));
}

TEST_CASE("approximate_mode of a fused op makes its sub-ops as fast as the ops of their own") {
    OpConfig op;
    op.type = "fused_op";
    op.name = "fused0";
    op.out.mblock_m = 4;
    op.out.ublock_rt = 2;
    op.out.ublock_ct = 4;
    op.in = {op.out.shape()};
    op.in_tile = {TileDim{}};
    op.in_df = {DataFormat::Float16_b};
    FusedSubOp sub;
    sub.name = "op0";
    sub.type = "exp";
    sub.inputs = {{FusedOperand::Kind::Input, 0}};
    sub.input_tms.resize(1);
    sub.output = {FusedOperand::Kind::Output, 0};
    sub.mblock_m = 4;
    sub.ublock_rt = 2;
    sub.ublock_ct = 4;
    FusedDefinition definition{"0", {}, 1, 0, {{sub}}};
    op.fused = std::make_shared<FusedDefinition>(definition);
    const auto math = [](const OpConfig& some) {
        return step_time(some, *find_op(some.type), chip("wormhole_b0").timing, {}).math.value();
    };
    const auto own = [&](bool approximate) {
        OpConfig exp = op;
        exp.type = "exp";
        exp.fused = nullptr;
        exp.attr.approximate_mode = approximate;
        return math(exp);
    };
    // four micro-blocks, for each of which the threads are set up
    const auto set_up = static_cast<std::uint64_t>(std::lround(4 * kernel_constants("wormhole_b0").sub_op));
    CHECK(math(op) == own(false) + set_up);
    op.attr.approximate_mode = true;
    CHECK(math(op) == own(true) + set_up);
    CHECK(own(false) > 2 * own(true));
}

TEST_CASE("sub-ops that hand on in Dst are one kernel: no packing and no second unpacking between them") {
    const StreamContext wh = stream_context("wormhole_b0");
    const KernelModel& model = kernel_model("wormhole_b0");
    KernelShape first;
    first.op = "add";
    first.in0 = first.in1 = first.out = DataFormat::Bfp8_b;
    first.ublock_rt = 2;
    first.ublock_ct = 4;
    KernelShape last = first;
    first.stays_in_dest = true;
    last.in_dest = 1;
    const KernelStreams kept = build_streams(first, {}, wh), taken = build_streams(last, {}, wh);
    CHECK(kept.instructions(KernelThread::Pack) == 0);
    // one operand of each tile is unpacked, the other's bank only declared valid
    double bytes = 0;
    for (const StreamItem& item : taken.of(KernelThread::Unpack)) bytes += item.bytes;
    CHECK(bytes == 8 * static_cast<double>(tile_body_bytes(DataFormat::Bfp8_b, {})));
    CHECK(disassemble(taken, wh.set).find("MOVD2A addr_mode=2  x16") != std::string::npos);

    KernelShape alone = first;
    alone.stays_in_dest = false;
    const double one = model.chained_block({alone}).steady, both = model.chained_block({first, last}).steady;
    CHECK(both > 1.3 * one);
    CHECK(both < 1.8 * one);
}

/// Steps of a fused op with four micro-blocks of four tiles and three operands.
static StepTime fused_step(std::vector<std::vector<FusedSubOp>> schedules) {
    OpConfig op;
    op.type = op.name = "fused_op";
    op.out.mblock_m = 4;
    op.out.ublock_ct = 4;
    op.in.assign(3, op.out.shape());
    op.in_tile.assign(3, TileDim{});
    op.in_df.assign(3, DataFormat::Bfp8_b);
    op.out_df = op.intermed_df = DataFormat::Bfp8_b;
    op.fused = std::make_shared<FusedDefinition>(FusedDefinition{"0", {}, 3, 1, std::move(schedules)});
    return step_time(op, *find_op("fused_op"), chip("wormhole_b0").timing, {});
}

static FusedSubOp fused_sub_op(const char* type, std::vector<FusedOperand> inputs, FusedOperand::Kind output) {
    FusedSubOp made;
    made.name = made.type = type;
    made.input_tms.resize(inputs.size());
    made.inputs = std::move(inputs);
    made.output = {output, 0};
    made.mblock_m = 4;
    made.ublock_ct = 4;
    return made;
}

TEST_CASE("a schedule of a fused op requests tiles from streams once a micro-block") {
    using Kind = FusedOperand::Kind;
    const FusedOperand first{Kind::Input, 0}, second{Kind::Input, 1}, third{Kind::Input, 2}, kept{Kind::Intermed, 0};
    const FusedSubOp one = fused_sub_op("add", {first, second}, Kind::Intermed);
    const auto waits = [](std::vector<std::vector<FusedSubOp>> schedules) {
        const StepTime time = fused_step(std::move(schedules));
        return static_cast<double>(time.unpack.value() - time.unpack_alone.value());
    };
    const double request = 4 * kernel_constants("wormhole_b0").stream_wait;
    const double both = waits({{one, fused_sub_op("add", {kept, third}, Kind::Output)}});
    CHECK(both == Approx(waits({{one, fused_sub_op("add", {kept, kept}, Kind::Output)}})).margin(2));
    // a second schedule is a loop of its own
    CHECK(waits({{one}, {fused_sub_op("add", {kept, third}, Kind::Output)}}) == Approx(both + request).margin(2));
}

TEST_CASE("data passes through an intermediate only when complete") {
    const auto clocks = [](std::vector<std::vector<FusedSubOp>> schedules) {
        OpConfig op;
        op.type = op.name = "fused_op";
        op.out.mblock_m = 4;
        op.out.ublock_ct = 4;
        op.in = {op.out.shape(), op.out.shape()};
        op.in_tile = {TileDim{}, TileDim{}};
        op.in_df = {DataFormat::Bfp8_b, DataFormat::Bfp8_b};
        op.out_df = op.intermed_df = DataFormat::Bfp8_b;
        op.fused = std::make_shared<FusedDefinition>(FusedDefinition{"0", {}, 2, 1, std::move(schedules)});
        const StepTime time = step_time(op, *find_op("fused_op"), chip("wormhole_b0").timing, {});
        return static_cast<double>(std::max({time.unpack_alone, time.math_alone, time.pack_alone}).value());
    };
    using Kind = FusedOperand::Kind;
    // math limits the one, unpacking the other
    const FusedSubOp slow = fused_sub_op("exp", {{Kind::Input, 0}}, Kind::Intermed);
    const FusedSubOp quick = fused_sub_op("add", {{Kind::Input, 1}, {Kind::Intermed, 0}}, Kind::Output);
    const double sum = clocks({{fused_sub_op("exp", {{Kind::Input, 0}}, Kind::Output)}}) +
                       clocks({{fused_sub_op("add", {{Kind::Input, 0}, {Kind::Input, 1}}, Kind::Output)}});
    const double per_input = kernel_constants("wormhole_b0").input_eltwise;
    CHECK(clocks({{slow}, {quick}}) == Approx(sum - per_input).margin(2));
}

TEST_CASE("a reduction along z waits until its result has left Dst, but not for the tiles of the next slice") {
    const KernelModel& model = kernel_model("wormhole_b0");
    const KernelConstants& c = kernel_constants("wormhole_b0");
    const auto steady = [&](std::int64_t slices, std::int64_t tiles) {
        KernelShape s = sfpu("reduce", 1, tiles, 4);
        s.reduce_dim = ReduceDim::Z;
        s.z = slices;
        return model.micro_block(s, {}).steady;
    };
    for (const std::int64_t tiles : {2, 8}) {
        const auto n = static_cast<double>(tiles);
        // A later slice takes its comparisons alone: 8 moves and 4 clk a tile, the SFPU, and a step of the RISC-V.
        const double slice = steady(5, tiles) - steady(4, tiles);
        CHECK(slice == Approx(n * (c.sfpu_count("reduce", "z") + 12) + c.reduce_z_step).epsilon(0.01));
        // What is left of two slices holds the copies of the first one and packing, of 16 clk a tile at least.
        CHECK(steady(2, tiles) - slice > n * (12 + 16 + c.pack_tile) - 4);
    }
}
