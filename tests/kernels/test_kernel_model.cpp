#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "isa/arch.hpp"
#include "kernels/timing/kernel_rows.hpp"
#include "kernels/timing/kernel_timing.hpp"
#include "kernels/timing/sweep_pipes.hpp"
#include "tests/folders.hpp"

using namespace tt;

namespace {

const std::string columns =
    "arch,op,approx,vector_mode,math_fidelity,in0_df,in1_df,out_df,intermed_df,acc_df,t,mblock_m,mblock_n,ublock_rt,"
    "ublock_ct,m_k,u_kt,z,l1_acc,nz_strips,nz_ublocks,nz_tiles,n_inputs,cycles_per_input\n";

KernelShape sfpu(const std::string& op, std::int64_t rt, std::int64_t ct, std::int64_t mblock) {
    KernelShape s;
    s.op = op;
    s.in0 = s.out = s.intermed = DataFormat::Bfp8_b;
    s.mblock_m = mblock;
    s.ublock_rt = rt;
    s.ublock_ct = ct;
    return s;
}

KernelShape product(Fidelity fidelity, std::int64_t u_kt, std::int64_t m_k) {
    KernelShape s = sfpu("matmul", 2, 4, 4);
    s.in1 = DataFormat::Bfp8_b;
    s.fidelity = fidelity;
    s.u_kt = u_kt;
    s.m_k = m_k;
    return s;
}

std::string message(const std::string& text) {
    try {
        parse_kernel_rows(text, "rows.csv", "wormhole_b0");
    } catch (const Error& e) {
        CHECK(e.exit_code() == 2);
        return e.what();
    }
    return "";
}

}  // namespace

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
    CHECK(model.micro_block(s, {}).counted == Approx(8 * (8 + c.sfpu_shown("exp", ""))));
    CHECK(model.time(s).counted_percent() < model.time(s).engaged_percent());
    s.vector = VectorMode::C;
    CHECK(model.micro_block(s, {}).counted == Approx(8 * (8 + c.sfpu_shown("exp", "") / 2)));
    CHECK(model.micro_block(sfpu("nop", 2, 4, 4), {}).counted == Approx(8 * 8));
    KernelShape wide = sfpu("nop", 2, 4, 4);
    wide.in0 = DataFormat::Int32;
    CHECK(model.micro_block(wide, {}).counted == 0);  // unpacked to Dst
    CHECK(c.sfpu_shown("nobody's op", "") == c.sfpu_count("nobody's op", ""));
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
        work.in_bytes = {16 * tile_bytes(DataFormat::Bfp8_b, {})};
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

TEST_CASE("long inner loops cost what their steps cost") {
    const KernelModel& model = kernel_model("wormhole_b0");
    const double a = model.micro_block(product(Fidelity::HiFi4, 16, 1), {}).steady;
    const double b = model.micro_block(product(Fidelity::HiFi4, 32, 1), {}).steady;
    CHECK(model.micro_block(product(Fidelity::HiFi4, 4096, 1), {}).steady == Approx(b + 254 * (b - a)).epsilon(0.001));
}

TEST_CASE("rows are read, predicted and written with their other columns") {
    const std::string text = columns +
                             "wormhole_b0,exp,0,,LoFi,Bfp8_b,,Bfp8_b,,,1,4,2,2,2,,,,,,,,128,56000\n"
                             "grayskull,exp,0,,LoFi,Bfp8_b,,Bfp8_b,,,1,4,2,2,2,,,,,,,,128,85000\n"
                             "wormhole_b0,topk,0,,LoFi,Bfp8_b,,Bfp8_b,,,1,4,2,2,2,,,,,,,,128,1\n"
                             "wormhole_b0,reduce_z,0,,LoFi,Bfp8_b,,,,,1,4,2,2,2,,,08,,,,,,20000\n";
    const KernelRowFile file = parse_kernel_rows(text, "rows.csv", "wormhole_b0");
    REQUIRE(file.rows.size() == 4);
    const auto predictions = predict(file, kernel_model("wormhole_b0"));
    REQUIRE(predictions[0].cycles);
    CHECK(*predictions[0].cycles == Approx(57000).epsilon(0.05));
    CHECK(predictions[0].limiter == "math");
    CHECK_FALSE(predictions[1].cycles);
    CHECK(predictions[1].reason == "arch is grayskull, predicted is wormhole_b0");
    CHECK(predictions[2].reason == "no kernel model for topk");
    CHECK(file.rows[3].shape->z == 8);
    const std::string csv = prediction_csv(file, predictions);
    CHECK(csv.starts_with("arch,op,approx"));
    CHECK(csv.find(",cycles_per_input,predicted_cycles,predicted_math_util_pct,limiter,reason,kernel_cycles\n") !=
          std::string::npos);
    CHECK(csv.find("128,1,,,,no kernel model for topk,\n") != std::string::npos);
    const auto errors = kernel_errors(file, predictions);
    REQUIRE(errors.size() == 3);
    CHECK(errors.back().group == "all");
    CHECK(errors.back().rows == 2);
}

TEST_CASE("a reduction whose operand buffer holds two micro-blocks waits for each") {
    const KernelModel& model = kernel_model("wormhole_b0");
    const auto per_tile = [&](std::int64_t rt, std::int64_t ct) {
        KernelShape s = sfpu("reduce", rt, ct, 8);
        s.reduce_dim = ReduceDim::R;
        s.in0 = s.out = DataFormat::Bfp8_b;
        return time_in_sweep(s, model.time(s), 128, model.constants()).cycles / static_cast<double>(8 * rt * ct);
    };
    CHECK(per_tile(16, 1) > 1.15 * per_tile(8, 1));  // 32 KiB hold four micro-blocks of 8 tiles, two of 16
    CHECK(per_tile(8, 8) < per_tile(16, 1));         // the wait is small beside 64 tiles
}

TEST_CASE("a row of one input has the pipeline's fill, and its time starts at the first unpack") {
    const KernelModel& model = kernel_model("grayskull");
    const auto times = [&](const char* op, std::int64_t tiles) {
        const KernelShape s = sfpu(op, 1, tiles, 4);
        const KernelTime kernel = model.time(s);
        const auto sweep = [&](std::int64_t inputs) {
            return time_in_sweep(s, kernel, inputs, model.constants()).cycles;
        };
        const ScoreboardResult& first = kernel.parts.front().time;
        CHECK(sweep(1) - sweep(128) == Approx(first.fill - first.steady - first.lead));
        CHECK(sweep(0) == sweep(1));  // Grayskull's rows that do not say were measured alone
        return std::pair(sweep(1), sweep(128));
    };
    const auto [slow_alone, slow] = times("log", 8);  // math limits: the last micro-block's pack comes on top
    CHECK(slow_alone > slow);
    times("nop", 1);
}

TEST_CASE("a sweep's pipes hold back measured rows and no kernel") {
    const KernelModel& model = kernel_model("wormhole_b0");
    KernelShape s = sfpu("nop", 2, 4, 8);  // 71,680 B an input
    s.in0 = s.out = DataFormat::Bfp8_b;
    const KernelTime kernel = model.time(s);
    const SweepTime sweep = time_in_sweep(s, kernel, 128, model.constants());
    CHECK(sweep.limit == KernelLimit::InputStream);
    CHECK(sweep.cycles > 1.3 * kernel.cycles);
    CHECK(sweep.cycles == Approx(sweep.supply + kernel.per_input));
    s.mblock_m = 4;  // fits in the operand buffer
    CHECK(time_in_sweep(s, model.time(s), 128, model.constants()).cycles == model.time(s).cycles);
    // with infinite bandwidth a micro-block asks no stream for tiles or room
    const KernelConstants& c = model.constants();
    CHECK(model.micro_block(s, {}).busy[2] - model.micro_block(unhindered(s), {}).busy[2] ==
          Approx(c.stream_push).epsilon(0.01));
    CHECK(model.micro_block(s, {}).busy[0] - model.micro_block(unhindered(s), {}).busy[0] ==
          Approx(c.stream_wait).epsilon(0.02));
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

TEST_CASE("wrong rows are refused with file, line and what would be right") {
    CHECK_THAT(message("arch,op\n"), Catch::Contains("rows.csv:1: error: the column 'math_fidelity' is missing"));
    CHECK_THAT(message(""), Catch::Contains("the file is empty"));
    const std::string good = "wormhole_b0,exp,0,,LoFi,Bfp8_b,,Bfp8_b,,,1,4,2,2,2,,,,,,,,128,56000\n";
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string row = good;
        row.replace(row.find(from), from.size(), to);
        return message(columns + good + row);
    };
    CHECK(message(columns + good).empty());
    // an unknown op refuses its row only
    const KernelRowFile some = parse_kernel_rows(columns + "wormhole_b0,expp" + good.substr(good.find(",0,")) + good,
                                                 "rows.csv", "wormhole_b0");
    CHECK_THROWS_WITH(some.refused.throw_if_any(),
                      Catch::Contains("rows.csv:2: error: 'op' is 'expp', which is no op; did you mean 'exp'?"));
    CHECK_THAT(with("Bfp8_b", "Bfp9_b"), Catch::Contains("'in0_df' is 'Bfp9_b', which is no data format"));
    CHECK_THAT(with("1,4,2", "1,-4,2"), Catch::Contains("'mblock_m' is '-4'"));
    CHECK_THAT(with("1,4,2", "1,,2"), Catch::Contains("'mblock_m' is empty"));
    CHECK_THAT(with("1,4,2", "1,4.5,2"), Catch::Contains("a whole number"));
    CHECK_THAT(with("LoFi", "MidFi"), Catch::Contains("'math_fidelity' is 'MidFi'"));
    CHECK_THAT(with("wormhole_b0", "wormhole_b1"), Catch::Contains("'arch' is 'wormhole_b1'"));
    CHECK_THAT(with("56000", "-1"), Catch::Contains("'cycles_per_input' is '-1'"));
    CHECK_THAT(with(",128,56000", ""), Catch::Contains("22 fields; the first line names 24"));
    CHECK_THAT(with("exp", "matmul"), Catch::Contains("'u_kt' is empty"));
}

TEST_CASE("a row's sfpu_op is a product's gelu") {
    const std::string with = columns.substr(0, columns.size() - 1) + ",sfpu_op\n";
    const auto row = [&](const char* op, const char* activation) {
        return with + "wormhole_b0," + op + ",,,LoFi,Bfp8_b,Bfp8_b,,,,1,1,1,2,4,2,4,,,,,,16,1000," + activation + "\n";
    };
    const auto shape = [&](const char* activation) {
        return *parse_kernel_rows(row("matmul", activation), "rows.csv", "wormhole_b0").rows.at(0).shape;
    };
    CHECK(shape("gelu").gelu);
    CHECK_FALSE(shape("invalid").gelu);
    CHECK_FALSE(shape("").gelu);
    CHECK_THAT(message(row("matmul", "tanh")), Catch::Contains("'sfpu_op' is 'tanh' for matmul; gelu"));
    CHECK_THAT(message(row("exp", "gelu")), Catch::Contains("'sfpu_op' is 'gelu' for exp"));
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
    CHECK_THAT(refused("  pack_datums: ", "  pack_datums: -"), Catch::Contains("a number above 0"));
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
        work.in_bytes = {8 * tile_bytes(DataFormat::Bfp8_b, {})};
        work.ublocks = 2;
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
    CHECK(math(op) == own(false));
    op.attr.approximate_mode = true;
    CHECK(math(op) == own(true));
    CHECK(own(false) > 2 * own(true));
}

TEST_CASE("predictions of the public sweeps stay within their bounds") {
    const std::string file = (tt::test::shared_folder() / "silicon/op_cycles.csv").string();
    if (!std::filesystem::exists(file)) {
        WARN("skipped: no " << file);
        return;
    }
    const std::map<std::string, double> bounds = {
        {"add", 5},           {"multiply", 5},        {"maximum", 5},   {"matmul", 6},  {"matmul_sparse", 10},
        {"reduce_r", 10},     {"reduce_c", 10},       {"reduce_z", 10}, {"splice", 10}, {"depthwise", 10},
        {"quantization", 10}, {"dequantization", 10}, {"nop", 10},      {"all", 3}};
    for (const char* name : {"grayskull", "wormhole_b0"}) {
        const KernelRowFile rows = read_kernel_rows(file, name);
        for (const PredictionErrors& e : kernel_errors(rows, predict(rows, kernel_model(name)))) {
            INFO(name << " " << e.group << ": mean error " << e.mean << " %");
            const auto bound = bounds.find(e.group);
            CHECK(e.mean < (bound == bounds.end() ? 2 : bound->second));
        }
    }
}
