// Measured rows of op times: read, predicted, compared.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/folders.hpp"
#include "tests/kernels/kernel_shapes.hpp"
#include "tests/skip.hpp"
#include "tools/validation/kernel_rows.hpp"
#include "tools/validation/sweep_pipes.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

const std::string columns =
    "arch,op,approx,vector_mode,math_fidelity,in0_df,in1_df,out_df,intermed_df,acc_df,t,mblock_m,mblock_n,ublock_rt,"
    "ublock_ct,m_k,u_kt,z,l1_acc,nz_strips,nz_ublocks,nz_tiles,n_inputs,cycles_per_input\n";

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

TEST_CASE("a reduction along z whose buffer holds two micro-blocks waits for the second slice of each result") {
    const KernelModel& model = kernel_model("wormhole_b0");
    const auto waits = [&](std::int64_t tiles, std::int64_t slices, std::int64_t results) {
        KernelShape s = sfpu("reduce", 1, tiles, results);
        s.in0 = s.out = DataFormat::Float16_b;
        s.reduce_dim = ReduceDim::Z;
        s.z = slices;
        const KernelTime kernel = model.time(s);
        return time_in_sweep(s, kernel, 128, kernel_constants("wormhole_b0")).cycles - kernel.cycles;
    };
    CHECK(waits(7, 2, 4) == 0);  // 14 KB: the buffer holds four
    const double four = waits(8, 2, 4);
    CHECK(four > 0);
    CHECK(waits(8, 6, 4) == Approx(four).epsilon(0.1));  // a later slice takes longer than a turn-around
    CHECK(waits(8, 2, 8) == Approx(2 * four).epsilon(0.02));
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
    CHECK(model.micro_block(s, {}).busy[2] - model.micro_block(without_stream_waits(s), {}).busy[2] ==
          Approx(c.stream_push).epsilon(0.01));
    CHECK(model.micro_block(s, {}).busy[0] - model.micro_block(without_stream_waits(s), {}).busy[0] ==
          Approx(c.stream_wait).epsilon(0.02));
}

TEST_CASE("wrong rows are refused with file, line and the correct form") {
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
                      Catch::Contains("rows.csv:2: error: 'op' is 'expp', which is not an op; did you mean 'exp'?"));
    CHECK_THAT(with("Bfp8_b", "Bfp9_b"), Catch::Contains("'in0_df' is 'Bfp9_b', which is not a data format"));
    CHECK_THAT(with("1,4,2", "1,-4,2"), Catch::Contains("'mblock_m' is '-4'"));
    CHECK_THAT(with("1,4,2", "1,,2"), Catch::Contains("'mblock_m' is empty"));
    CHECK_THAT(with("1,4,2", "1,4.5,2"), Catch::Contains("an integer"));
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

TEST_CASE("predictions of the public sweeps stay within their bounds") {
    const std::string file = (ttsim::impl::test::shared_folder() / "silicon/op_cycles.csv").string();
    if (ttsim::impl::test::skip_without(file)) return;
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
