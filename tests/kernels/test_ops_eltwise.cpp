#include <catch2/catch.hpp>

#include <bit>
#include <limits>

#include "tests/kernels/run_op.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

static float of_two(const std::string& type, float a, float b) {
    const OpConfig op = eltwise_config(type);
    const Tensor x = filled(op.out.shape(), op.tile, a), y = filled(op.out.shape(), op.tile, b);
    const std::vector<const Tensor*> operands{&x, &y};
    const float block = run_block(op, {&x, &y}).data[77];
    CHECK(find_op(type)->golden(op, operands).data[77] == block);
    return block;
}

TEST_CASE("binary ops give hand-computed values") {
    CHECK(of_two("add", 1.5F, 2.0F) == 3.5F);
    CHECK(of_two("subtract", 1.5F, 2.0F) == -0.5F);
    CHECK(of_two("multiply", 1.5F, -2.0F) == -3.0F);
    CHECK(of_two("maximum", 1.5F, -2.0F) == 1.5F);
    CHECK(of_two("multiply", 0.0F, std::numeric_limits<float>::infinity()) == 0.0F);
    CHECK(of_two("multiply", std::numeric_limits<float>::quiet_NaN(), 0.0F) == 0.0F);
}

TEST_CASE("copies and binary ops equal golden for every blocking and tile") {
    unsigned seed = 100;
    for (const char* type :
         {"nop", "datacopy", "ethernet_datacopy", "tilizer", "add", "subtract", "multiply", "maximum"}) {
        for (const Blocking& blocking : blockings()) {
            for (const TileDim tile : {TileDim{}, TileDim{8, 32}, TileDim{32, 16}}) {
                const OpConfig op = eltwise_config(type, blocking, tile);
                std::vector<Tensor> in;
                for (std::size_t k = 0; k < op.in.size(); ++k)
                    in.push_back(random_tensor(op.in[k], tile, -2, 2, ++seed));
                std::vector<const Tensor*> operands;
                for (const Tensor& t : in) operands.push_back(&t);
                CAPTURE(type, tile.h, tile.w);
                CHECK(all_close(run_block(op, operands), find_op(type)->golden(op, operands), 1e-6, 0));
            }
        }
    }
}

TEST_CASE("operands of other tile dims are cut or padded tile by tile") {
    for (const char* type : {"nop", "add"}) {
        for (const auto& [from, to] : {std::pair{TileDim{2, 32}, TileDim{}}, std::pair{TileDim{}, TileDim{2, 32}},
                                       std::pair{TileDim{32, 16}, TileDim{}}, std::pair{TileDim{}, TileDim{32, 16}}}) {
            OpConfig op = eltwise_config(type, blockings()[1], to);
            op.in_tile.assign(op.in.size(), from);
            const Tensor a = random_tensor(op.in[0], from, 1, 2, 5), b = random_tensor(op.in[0], from, 1, 2, 6);
            std::vector<const Tensor*> operands{&a};
            if (op.in.size() == 2) operands.push_back(&b);
            CAPTURE(type, from.h, from.w);
            const Tensor out = run_block(op, operands);
            CHECK(all_close(out, find_op(type)->golden(op, operands), 0, 0));
            CHECK(complaints(op) == "");
            if (from == TileDim{2, 32}) {
                CHECK(out.slice(0).at(2, 0) == 0.0F);
                CHECK(out.slice(0).at(32, 0) != 0.0F);
            }
        }
    }
}

TEST_CASE("raw formats are copied bit for bit, whatever the numerics") {
    OpConfig op = eltwise_config("nop");
    op.in_df = {DataFormat::RawUInt32};
    op.acc_df = op.out_df = op.intermed_df = DataFormat::RawUInt32;
    Tensor in(op.out.shape(), op.tile);
    const std::uint32_t patterns[] = {1U, 0x7f800001U, 0xffffffffU, 0x80000000U};
    for (std::size_t i = 0; i < 4; ++i) in.data[i] = std::bit_cast<float>(patterns[i]);
    for (const Numerics numerics : {Numerics::Real, Numerics::Float32}) {
        const Tensor out = run_block(op, {&in}, numerics);
        for (std::size_t i = 0; i < 4; ++i) CHECK(std::bit_cast<std::uint32_t>(out.data[i]) == patterns[i]);
    }
    CHECK(complaints(op) == "");
    op.out_df = DataFormat::Float32;
    CHECK_THAT(complaints(op),
               Catch::Contains("'op0' copies RawUInt32 to Float32; a raw format can only be copied to itself"));
}

TEST_CASE("fidelity decides which bits a multiply sees") {
    OpConfig op = eltwise_config("multiply");
    op.in_df = {DataFormat::Float32, DataFormat::Float32};
    op.acc_df = op.out_df = op.intermed_df = DataFormat::Float32;
    // in0 has a bit below the 5-bit port, in1 one below the 7-bit port.
    const Tensor a = filled(op.out.shape(), op.tile, 1.0F + 0x1p-5F),
                 b = filled(op.out.shape(), op.tile, 1.0F + 0x1p-7F);
    const auto product = [&](Fidelity fidelity) {
        op.fidelity = fidelity;
        return run_block(op, {&a, &b}, Numerics::Real).data[0];
    };
    CHECK(product(Fidelity::LoFi) == 1.0F);
    CHECK(product(Fidelity::HiFi2) == 1.0F + 0x1p-5F);
    CHECK(product(Fidelity::HiFi2_B) == 1.0F + 0x1p-7F);
    CHECK(product(Fidelity::HiFi3) == 1.0F + 0x1p-5F + 0x1p-7F);
    CHECK(product(Fidelity::HiFi4) == 1.0F + 0x1p-5F + 0x1p-7F + 0x1p-12F);
}

static OpConfig quant_config(const std::string& type, DataFormat in, DataFormat out) {
    OpConfig op = eltwise_config(type, {.mblock_n = 2, .t = 2});
    op.in_df = {in, DataFormat::Float32};
    op.acc_df = op.intermed_df = DataFormat::Int32;
    op.out_df = out;
    return op;
}

TEST_CASE("the quantization family scales, offsets, rounds and saturates") {
    for (const Numerics numerics : {Numerics::Real, Numerics::Float32}) {
        OpConfig op = quant_config("quantization", DataFormat::Float32, DataFormat::Int8);
        op.attr.zero_point = 3;
        Tensor x = random_tensor(op.in[0], op.tile, -200, 200, 9);
        const Tensor scale = filled(op.in[1], op.tile, 0.5F);
        x.data[0] = 5.0F;    // 5.5 -> 6
        x.data[1] = -17.0F;  // -5.5 -> -6
        x.data[2] = 900.0F;
        const std::vector<const Tensor*> operands{&x, &scale};
        const Tensor out = run_block(op, {&x, &scale}, numerics);
        CHECK(out.data[0] == 6.0F);
        CHECK(out.data[1] == -6.0F);
        CHECK(out.data[2] == 127.0F);
        CHECK(all_close(out, find_op("quantization")->golden(op, operands), 0, 0));
        CHECK(complaints(op) == "");

        op = quant_config("dequantization", DataFormat::Int8, DataFormat::Float32);
        op.attr.zero_point = 3;
        const std::vector<const Tensor*> quantized{&out, &scale};
        const Tensor back = run_block(op, {&out, &scale}, numerics);
        CHECK(back.data[0] == 1.5F);
        CHECK(all_close(back, find_op("dequantization")->golden(op, quantized), 0, 0));
        CHECK(complaints(op) == "");

        op = quant_config("requantization", DataFormat::Int32, DataFormat::Int8);
        const Tensor again = run_block(op, {&out, &scale}, numerics);
        CHECK(again.data[0] == 3.0F);
        CHECK(all_close(again, find_op("requantization")->golden(op, quantized), 0, 0));
        CHECK(complaints(op) == "");
    }
}

TEST_CASE("the quantization family insists on its formats") {
    OpConfig op = quant_config("quantization", DataFormat::Float16, DataFormat::Int32);
    op.in_df[1] = DataFormat::Float16_b;
    const std::string text = complaints(op);
    CHECK_THAT(text, Catch::Contains("in_df[0] of 'op0' is Float16; quantization takes Float32"));
    CHECK_THAT(text, Catch::Contains("in_df[1] of 'op0', the scales, is Float16_b; it must be Float32"));
    CHECK_THAT(text, Catch::Contains("out_df of 'op0' is Int32; quantization gives Int8"));
    op = quant_config("requantization", DataFormat::UInt8, DataFormat::Int8);
    CHECK_THAT(complaints(op), Catch::Contains("in_df[0] of 'op0' is UInt8; requantization takes Int8 or Int32"));
    op = quant_config("dequantization", DataFormat::Int32, DataFormat::Int8);
    CHECK_THAT(complaints(op), Catch::Contains("out_df of 'op0' is Int8; dequantization gives Float32"));
}

TEST_CASE("integer sums and products are exact and saturate to the output format") {
    OpConfig op = eltwise_config("multiply");
    op.in_df = {DataFormat::Int8, DataFormat::Int8};
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Int32;
    op.fidelity = Fidelity::LoFi;
    const Tensor a = filled(op.out.shape(), op.tile, 113.0F), b = filled(op.out.shape(), op.tile, -127.0F);
    CHECK(run_block(op, {&a, &b}, Numerics::Real).data[0] == -14351.0F);
    CHECK(complaints(op) == "");
    op.type = "add";
    op.out_df = DataFormat::Int8;
    CHECK(run_block(op, {&a, &a}, Numerics::Real).data[0] == 127.0F);
}

TEST_CASE("ethernet_datacopy needs Ethernet, a destination and equal formats") {
    OpConfig op = eltwise_config("ethernet_datacopy");
    CHECK_THAT(complaints(op), Catch::Contains("'op0' needs the attribute dest_device"));
    op.attr.dest_device = 1;
    CHECK(complaints(op) == "");
    CHECK_THAT(complaints(op, grayskull_features()), Catch::Contains("this chip has no Ethernet"));
    op.out_df = DataFormat::Float16;
    CHECK_THAT(complaints(op), Catch::Contains("Ethernet moves tiles unchanged, so they must be equal"));
    op.out_df = DataFormat::Float16_b;
    op.in_tile = {{16, 32}};
    CHECK_THAT(complaints(op), Catch::Contains("'op0' has tile_dim 32x32 and its input 16x32; they must be equal"));
}

TEST_CASE("real numerics stay within the formats' precision of golden") {
    struct Formats {
        DataFormat df, acc;
        double relative;
    };
    for (const Formats& f : {Formats{DataFormat::Float16_b, DataFormat::Float16_b, 0.02},
                             Formats{DataFormat::Float16, DataFormat::Float16, 0.004},
                             Formats{DataFormat::Float32, DataFormat::Float32, 0.004}}) {
        for (const char* type : {"nop", "add", "multiply", "maximum", "exp", "gelu", "reciprocal", "sqrt", "tilizer"}) {
            OpConfig op = eltwise_config(type, blockings()[1]);
            op.in_df.assign(op.in.size(), f.df);
            op.out_df = op.intermed_df = f.df;
            op.acc_df = f.acc;
            std::vector<Tensor> in;
            for (std::size_t k = 0; k < op.in.size(); ++k) {
                in.push_back(random_tensor(op.in[k], {}, 0.5F, 2, 40 + static_cast<unsigned>(k)));
            }
            std::vector<const Tensor*> operands;
            for (const Tensor& t : in) operands.push_back(&t);
            CAPTURE(type, std::string(to_string(f.df)));
            const Tensor golden = find_op(type)->golden(op, operands);
            CHECK(all_close(run_block(op, operands, Numerics::Real), golden, f.relative, 0));
            CHECK_FALSE(all_close(run_block(op, operands, Numerics::Real), golden, 1e-7, 0));  // something is rounded
        }
    }
}

TEST_CASE("a gradient op accumulates into its output") {
    OpConfig op = eltwise_config("multiply", blockings()[2]);
    op.gradient = true;
    const Tensor a = filled(op.in[0], op.tile, 3.0F), b = filled(op.in[1], op.tile, 0.5F),
                 old = filled(op.in[0], op.tile, 10.0F);
    for (const Numerics numerics : {Numerics::Real, Numerics::Float32}) {
        const Tensor out = run_block(op, {&a, &b}, numerics, &old);
        CHECK(std::all_of(out.data.begin(), out.data.end(), [](float x) { return x == 11.5F; }));
    }
}
