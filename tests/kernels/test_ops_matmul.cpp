#include "tests/kernels/product_ops.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

OpConfig matmul(Blocking out, std::int64_t m_k, std::int64_t u_kt) {
    OpConfig op;
    op.type = "matmul";
    op.name = "mm";
    op.out = out;
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Float16_b;
    op.attr.m_k = m_k;
    op.attr.u_kt = u_kt;
    return op;
}

Operands operands_of(const OpConfig& op, std::mt19937& random, float low, float high, float step) {
    const auto out = op.out.shape();
    const auto group = op.attr.accumulate ? op.attr.z : 1;
    const auto inner = op.attr.m_k * op.attr.u_kt;
    Operands in;
    in.tensors.push_back(draw_tensor({out.z * group, out.rt, inner}, {op.tile.h, 32}, random, low, high, step));
    in.tensors.push_back(draw_tensor({out.z * group, inner, out.ct}, {32, op.tile.w}, random, low, high, step));
    if (op.attr.bias) in.tensors.push_back(draw_tensor(out, op.tile, random, low, high, step));
    return in;
}

}  // namespace

TEST_CASE("a matmul of one tile is the sum of products, and its bias is row 0 of the tile") {
    auto op = matmul({}, 1, 1);
    op.attr.bias = true;
    Tensor a(1, 32, 32), b(1, 32, 32), bias(1, 32, 32, 100.0F);
    a.slice(0).at(3, 5) = 2;
    a.slice(0).at(3, 6) = -1;
    b.slice(0).at(5, 7) = 10;
    b.slice(0).at(6, 7) = 4;
    for (std::int64_t c = 0; c < 32; ++c) bias.slice(0).at(0, c) = static_cast<float>(c);
    const std::vector<const Tensor*> in{&a, &b, &bias};
    set_operands(op, in);
    CHECK(complaints(op) == "");
    for (const auto& out :
         {run_golden(op, in), run_block(op, in, Numerics::Float32), run_block(op, in, Numerics::Real)}) {
        CHECK(out.slice(0).at(3, 7) == 2 * 10 - 4 + 7);
        CHECK(out.slice(0).at(4, 7) == 7);
        CHECK(out.slice(0).at(31, 31) == 31);
    }
}

TEST_CASE("accumulate sums groups of z slices into one output slice") {
    auto op = matmul({.t = 2}, 1, 1);
    op.attr.accumulate = true;
    op.attr.z = 3;
    Tensor a(6, 32, 32), b(6, 32, 32);
    for (std::int64_t z = 0; z < 6; ++z) {
        a.slice(z).at(0, 0) = static_cast<float>(z + 1);
        b.slice(z).at(0, 0) = 10;
    }
    const std::vector<const Tensor*> in{&a, &b};
    set_operands(op, in);
    CHECK(complaints(op) == "");
    for (const auto& out : {run_golden(op, in), run_block(op, in, Numerics::Float32)}) {
        CHECK(out.slice(0).at(0, 0) == 10 * (1 + 2 + 3));
        CHECK(out.slice(1).at(0, 0) == 10 * (4 + 5 + 6));
    }
}

TEST_CASE("blocks of a matmul agree with golden for random blockings, accumulation, bias and gelu") {
    std::mt19937 random(7);
    for (int round = 0; round < 40; ++round) {
        auto op = matmul(random_blocking(random), pick(random, 1, 3), pick(random, 1, 3));
        op.attr.bias = round % 2 == 1;
        op.attr.sfpu_gelu = round % 3 == 1;
        op.attr.accumulate = round % 4 >= 2;
        op.attr.z = op.attr.accumulate ? pick(random, 1, 3) : 0;
        op.attr.l1_acc = round % 5 == 0;
        op.attr.min_buffer_input = round % 3 - 1;
        const auto in = operands_of(op, random, -1, 1, 0);
        set_operands(op, in.pointers());
        INFO("round " << round);
        REQUIRE(complaints(op) == "");
        CHECK(relative_error(run_block(op, in.pointers(), Numerics::Float32), run_golden(op, in.pointers())) < 1e-5);
    }
}

TEST_CASE("a product's gelu equals the op gelu on the product in Dst, in all numerics and modes") {
    std::mt19937 random(19);
    auto op = matmul({.mblock_m = 2, .mblock_n = 1, .ublock_rt = 1, .ublock_ct = 2}, 2, 2);
    op.attr.bias = true;
    auto in = operands_of(op, random, -1, 1, 0);
    for (auto& t : in.tensors) convert(DataFormat::Float16_b, t);
    set_operands(op, in.pointers(), DataFormat::Float16_b);
    op.acc_df = op.out_df = op.intermed_df = DataFormat::Float16_b;
    OpConfig activation = op;
    activation.type = "gelu";
    activation.attr = {};
    activation.in = {op.out.shape()};
    activation.in_tile = {TileDim{}};
    activation.in_df = {DataFormat::Float16_b};
    for (const Numerics numerics : {Numerics::Float32, Numerics::Real, Numerics::Exact}) {
        op.attr.sfpu_gelu = false;
        const Tensor sums = run_block(op, in.pointers(), numerics, nullptr, false);
        const Tensor want = run_block(activation, {&sums}, numerics);
        op.attr.sfpu_gelu = true;
        for (const bool approximate : {false, true}) {
            op.attr.approximate_mode = approximate;
            CHECK(run_block(op, in.pointers(), numerics).data == want.data);
        }
    }
}

TEST_CASE("blocks of a matmul with small tiles agree with golden") {
    std::mt19937 random(8);
    for (const TileDim dim : {TileDim{16, 32}, TileDim{1, 32}, TileDim{32, 16}}) {
        auto op = matmul({.grid_r = 2, .mblock_m = 2, .mblock_n = 2}, 2, 2);
        op.tile = dim;
        op.attr.bias = true;
        const auto in = operands_of(op, random, -1, 1, 0);
        op.in_tile = {{dim.h, 32}, {32, dim.w}, dim};
        set_operands(op, in.pointers());
        REQUIRE(complaints(op) == "");
        CHECK(relative_error(run_block(op, in.pointers(), Numerics::Float32), run_golden(op, in.pointers())) < 1e-5);
    }
}

TEST_CASE("operands in smaller tiles than the result needs are filled up with zeros") {
    std::mt19937 random(14);
    auto op = matmul({.mblock_m = 2, .mblock_n = 2}, 2, 1);
    op.in_tile = {{16, 32}, {4, 32}, {32, 32}};
    op.attr.bias = true;
    Operands in;
    in.tensors = {draw_tensor({1, 2, 2}, op.in_tile[0], random), draw_tensor({1, 2, 2}, op.in_tile[1], random),
                  draw_tensor({1, 2, 2}, {}, random)};
    set_operands(op, in.pointers());
    REQUIRE(complaints(op) == "");
    const auto golden = run_golden(op, in.pointers());
    CHECK(relative_error(run_block(op, in.pointers()), golden) < 1e-5);
    float sum = in.tensors[2].slice(0).at(0, 5);
    for (std::int64_t k = 0; k < 4; ++k) {
        sum += in.tensors[0].slice(0).at(3, k) * in.tensors[1].slice(0).at(k, 5);
        sum += in.tensors[0].slice(0).at(3, 32 + k) * in.tensors[1].slice(0).at(4 + k, 5);
    }
    CHECK(golden.slice(0).at(3, 5) == Approx(sum));
    CHECK(golden.slice(0).at(16, 5) == in.tensors[2].slice(0).at(0, 5));
}

TEST_CASE("matmul blocks in Float16_b stay close to golden at HiFi4 and lose more at LoFi") {
    std::mt19937 random(9);
    auto op = matmul({.grid_r = 2, .grid_c = 2, .mblock_m = 2, .mblock_n = 1, .ublock_rt = 1, .ublock_ct = 2}, 4, 2);
    op.attr.bias = true;
    auto in = operands_of(op, random, -1, 1, 0);
    for (auto& t : in.tensors) convert(DataFormat::Float16_b, t);
    set_operands(op, in.pointers(), DataFormat::Float16_b);
    const auto expected = run_golden(op, in.pointers());
    op.fidelity = Fidelity::HiFi4;
    const double high = correlation(run_block(op, in.pointers(), Numerics::Real), expected);
    op.fidelity = Fidelity::HiFi3;
    const auto hifi3 = run_block(op, in.pointers(), Numerics::Real);
    op.fidelity = Fidelity::LoFi;
    const double low = correlation(run_block(op, in.pointers(), Numerics::Real), expected);
    CHECK(high >= 0.9999);
    CHECK(correlation(hifi3, expected) >= 0.9999);
    CHECK(low >= 0.99);
    CHECK(low < high);
}

TEST_CASE("HiFi3 leaves out the product of the low parts, where both operands have one") {
    auto op = matmul({}, 1, 1);
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Float32;
    Tensor a(1, 32, 32), b(1, 32, 32);
    // 1 + 2^-10: the last bit is in the low part of both ports (B: below 6 bits, A: below 4 bits).
    const float x = 1.0F + 1.0F / 1024;
    a.slice(0).at(0, 0) = x;
    b.slice(0).at(0, 0) = 1.0F + 1.0F / 512;
    const std::vector<const Tensor*> in{&a, &b};
    set_operands(op, in);
    op.fidelity = Fidelity::HiFi4;
    const float full = run_block(op, in, Numerics::Real).slice(0).at(0, 0);
    op.fidelity = Fidelity::HiFi3;
    const float less = run_block(op, in, Numerics::Real).slice(0).at(0, 0);
    CHECK(full == x * (1.0F + 1.0F / 512));
    CHECK(full - less == 1.0F / (1024 * 512));
    op.in_df = {DataFormat::Bfp8_b, DataFormat::Bfp8_b};
    CHECK(run_block(op, in, Numerics::Real).slice(0).at(0, 0) >= less);
}

TEST_CASE("partial sums are rounded to intermed_df between k-blocks but not inside one") {
    Tensor a(1, 32, 64), b(1, 64, 32);
    // 256 from the first block, 1 from the second: Float16_b holds 257 only as 256 or 258.
    a.slice(0).at(0, 0) = 257;
    a.slice(0).at(0, 32) = 1;
    b.slice(0).at(0, 0) = 1;
    b.slice(0).at(32, 0) = 1;
    const std::vector<const Tensor*> in{&a, &b};
    auto op = matmul({}, 1, 2);
    op.acc_df = op.out_df = DataFormat::Float32;
    op.intermed_df = DataFormat::Float16_b;
    set_operands(op, in);
    CHECK(run_block(op, in, Numerics::Real).slice(0).at(0, 0) == 258);
    op.attr.m_k = 2;
    op.attr.u_kt = 1;
    CHECK(run_block(op, in, Numerics::Real).slice(0).at(0, 0) == 259);  // 257 -> 258, + 1
}

TEST_CASE("an integer matmul with bias and requantization agrees with golden exactly") {
    std::mt19937 random(10);
    for (int round = 0; round < 12; ++round) {
        auto op = matmul(random_blocking(random), pick(random, 1, 3), 1);
        op.acc_df = op.intermed_df = DataFormat::Int32;
        op.fidelity = Fidelity::HiFi4;
        op.attr.bias = round % 2 == 0;
        op.attr.requant = round % 3 != 2;
        op.attr.dequant = round % 3 == 2;
        op.out_df = op.attr.requant ? DataFormat::Int8 : DataFormat::Float32;
        op.attr.zero_point = 3;
        auto in = operands_of(op, random, -20, 20, 1);
        in.tensors.push_back(draw_tensor(op.out.shape(), {}, random, 0.001F, 0.01F));
        op.in_df = {DataFormat::Int8, DataFormat::Int8};
        if (op.attr.bias) op.in_df.push_back(DataFormat::Int32);
        op.in_df.push_back(DataFormat::Float32);
        set_operands(op, in.pointers());
        REQUIRE(complaints(op) == "");
        const auto expected = run_golden(op, in.pointers());
        for (const auto numerics : {Numerics::Float32, Numerics::Real})
            CHECK(relative_error(run_block(op, in.pointers(), numerics), expected) < 1e-6);
    }
}

TEST_CASE("messages of matmul rules name the error and the correct value") {
    auto op = matmul({.mblock_m = 2}, 2, 1);
    Tensor a(1, 64, 64), b(1, 64, 32);
    set_operands(op, {&a, &b});
    REQUIRE(complaints(op) == "");
    auto bad = op;
    bad.attr.m_k = 3;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("input 0 has 1x2x2 tiles after its TMs, must have 1x2x3"));
    bad = op;
    bad.attr.m_k = 0;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("needs attributes m_k and u_kt"));
    bad = op;
    bad.out.order = UblockOrder::Column;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("needs ublock_order r"));
    bad = op;
    bad.in_df[0] = DataFormat::Int8;
    bad.fidelity = Fidelity::LoFi;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("needs math_fidelity HiFi4"));
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("must be Int8 or UInt8"));
    bad = op;
    bad.attr.accumulate = true;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("accumulate needs z"));
    bad = op;
    bad.tile = {16, 32};
    bad.attr.sfpu_gelu = true;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("gelu needs tiles of 32 rows"));
}
