#include "tests/kernels/product_ops.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

OpConfig depthwise(Blocking out, std::int64_t m_k) {
    OpConfig op;
    op.type = "depthwise";
    op.name = "dw";
    op.out = out;
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Float16_b;
    op.attr.m_k = m_k;
    op.attr.u_kt = 1;
    return op;
}

Operands operands_of(const OpConfig& op, std::mt19937& random, float low, float high, float step) {
    const auto out = op.out.shape();
    Operands in;
    in.tensors.push_back(draw_tensor({out.z, out.rt, out.ct * op.attr.m_k}, {}, random, low, high, step));
    in.tensors.push_back(draw_tensor({out.z, op.attr.m_k, out.ct}, {}, random, low, high, step));
    if (op.attr.bias) in.tensors.push_back(draw_tensor(out, {}, random, low, high, step));
    return in;
}

}  // namespace

TEST_CASE("a depthwise op multiplies tile column c + C*b by row b of column c") {
    auto op = depthwise({.mblock_n = 2}, 2);
    Tensor in0(1, 32, 128), in1(1, 64, 64);
    for (std::int64_t tile = 0; tile < 4; ++tile) in0.slice(0).at(0, tile * 32) = static_cast<float>(tile + 1);
    for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t c = 0; c < 2; ++c) in1.slice(0).at(b * 32, c * 32) = static_cast<float>(10 * (b + 1) + c);
    const std::vector<const Tensor*> in{&in0, &in1};
    set_operands(op, in);
    CHECK(complaints(op) == "");
    for (const auto& out : {run_golden(op, in), run_block(op, in)}) {
        CHECK(out.slice(0).at(0, 0) == 1 * 10 + 3 * 20);
        CHECK(out.slice(0).at(0, 32) == 2 * 11 + 4 * 21);
        CHECK(out.slice(0).at(0, 1) == 0);
    }
}

TEST_CASE("blocks of depthwise ops agree with golden for random blockings and bias") {
    std::mt19937 random(11);
    for (int round = 0; round < 24; ++round) {
        auto op = depthwise(random_blocking(random), pick(random, 1, 4));
        op.attr.bias = round % 2 == 1;
        op.attr.l1_acc = round % 3 == 0;
        op.attr.min_buffer_input = round % 2 - 1;
        auto in = operands_of(op, random, -1, 1, 0);
        set_operands(op, in.pointers(), DataFormat::Float16_b);
        INFO("round " << round);
        REQUIRE(complaints(op) == "");
        CHECK(relative_error(run_block(op, in.pointers()), run_golden(op, in.pointers())) < 1e-5);
        for (auto& t : in.tensors) convert(DataFormat::Float16_b, t);
        CHECK(correlation(run_block(op, in.pointers(), Numerics::Real), run_golden(op, in.pointers())) >= 0.999);
    }
}

TEST_CASE("an integer depthwise op agrees with golden exactly") {
    std::mt19937 random(12);
    auto op = depthwise({.grid_r = 2, .mblock_n = 3}, 3);
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Int32;
    const auto in = operands_of(op, random, -127, 127, 1);
    op.in_df = {DataFormat::Int8, DataFormat::Int8};
    set_operands(op, in.pointers());
    REQUIRE(complaints(op) == "");
    CHECK(run_block(op, in.pointers(), Numerics::Real).data == run_golden(op, in.pointers()).data);
}

TEST_CASE("messages of depthwise rules name the error and the correct value") {
    auto op = depthwise({}, 2);
    Tensor in0(1, 32, 64), in1(1, 64, 32);
    set_operands(op, {&in0, &in1}, DataFormat::Float16_b);
    REQUIRE(complaints(op) == "");
    auto bad = op;
    bad.attr.u_kt = 2;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("u_kt of a depthwise op must be 1, not 2"));
    bad = op;
    bad.attr.m_k = 3;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("input 0 has 1x1x2 tiles after its TMs, must have 1x1x3"));
}
