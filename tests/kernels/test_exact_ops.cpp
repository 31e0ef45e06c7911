// Ops with --math exact: which instructions they are made of.
#include "kernels/exact/block.hpp"
#include "kernels/exact/fpu.hpp"
#include "kernels/exact/pack.hpp"
#include "kernels/formats/float_bits.hpp"
#include "tests/kernels/product_ops.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

std::vector<std::uint32_t> bits(const Tensor& t) {
    std::vector<std::uint32_t> out;
    for (const float x : t.data) out.push_back(bits_of(x));
    return out;
}

OpConfig matmul_config(std::int64_t m_k, std::int64_t u_kt, const std::vector<const Tensor*>& in) {
    OpConfig op;
    op.type = "matmul";
    op.name = "mm";
    op.fidelity = Fidelity::HiFi2;
    op.out = {.mblock_m = 1, .mblock_n = 2};
    op.attr.m_k = m_k;
    op.attr.u_kt = u_kt;
    op.in_df.assign(in.size(), DataFormat::Float16_b);
    set_operands(op, in);
    return op;
}

struct Random {
    std::mt19937 generator{17};
    Tensor tensor(std::int64_t rt, std::int64_t ct, DataFormat format = DataFormat::Float16_b) {
        Tensor t = draw_tensor({1, rt, ct}, {}, generator, -2, 2);
        convert(format, t);
        return t;
    }
};

/// The matrix unit on whole tensors, k tile by k tile.
void add_product(const OpConfig& op, const Tensor& in0, const Tensor& in1, std::int64_t k, std::int64_t length,
                 Tensor& sums) {
    exact::matmul(exact::fpu_config(op.in_df[0], op.acc_df, {}), phases(op.fidelity), 32,
                  in0.slice(0).sub(0, k, in0.rows, length), in1.slice(0).sub(k, 0, length, in1.cols), sums.slice(0));
}

}  // namespace

TEST_CASE("an exact matmul gives the matrix unit's bits, and k-blocks in the Dst format do not change them") {
    Random random;
    const Tensor in0 = random.tensor(1, 4), in1 = random.tensor(4, 2);
    for (const DataFormat acc : {DataFormat::Float16_b, DataFormat::Float32}) {
        OpConfig whole = matmul_config(1, 4, {&in0, &in1});
        whole.acc_df = whole.intermed_df = whole.out_df = acc;
        OpConfig blocks = whole;
        blocks.attr.m_k = 4;
        blocks.attr.u_kt = 1;
        Tensor want(whole.out.shape(), {});
        add_product(whole, in0, in1, 0, 128, want);
        CHECK(bits(run_block(whole, {&in0, &in1}, Numerics::Exact)) == bits(want));
        CHECK(bits(run_block(blocks, {&in0, &in1}, Numerics::Exact)) == bits(want));
        CHECK(bits(run_block(whole, {&in0, &in1}, Numerics::Real)) != bits(want));
    }
}

TEST_CASE("an exact matmul packs partial sums between k-blocks and reads them back") {
    Random random;
    const Tensor in0 = random.tensor(1, 4), in1 = random.tensor(4, 2);
    OpConfig op = matmul_config(2, 2, {&in0, &in1});
    op.intermed_df = DataFormat::Bfp8_b;
    Tensor want(op.out.shape(), {});
    add_product(op, in0, in1, 0, 64, want);
    pack_from_dest(op.acc_df, op.intermed_df, want.slice(0));
    add_product(op, in0, in1, 64, 64, want);
    CHECK(bits(run_block(op, {&in0, &in1}, Numerics::Exact)) == bits(want));
}

TEST_CASE("exact sums in L1 are the packer's") {
    Random random;
    const Tensor in0 = random.tensor(1, 3), in1 = random.tensor(3, 2);
    OpConfig op = matmul_config(3, 1, {&in0, &in1});
    op.acc_df = DataFormat::Float32;
    op.attr.l1_acc = true;
    Tensor want(op.out.shape(), {});
    for (std::int64_t k = 0; k < 3; ++k) {
        Tensor part(op.out.shape(), {});
        add_product(op, in0, in1, 32 * k, 32, part);
        pack_from_dest(op.acc_df, DataFormat::Float16_b, part.slice(0));
        for (std::size_t i = 0; i < part.data.size(); ++i)
            want.data[i] = k == 0 ? part.data[i]
                                  : float_of(exact::accumulate_in_l1(DataFormat::Float16_b, bits_of(want.data[i]) >> 16,
                                                                     bits_of(part.data[i]) >> 16)
                                             << 16);
    }
    CHECK(bits(run_block(op, {&in0, &in1}, Numerics::Exact)) == bits(want));
}

TEST_CASE("the exact bias is one addition of row 0 of its tiles") {
    Random random;
    const Tensor in0 = random.tensor(1, 1), in1 = random.tensor(1, 2), bias = random.tensor(1, 2);
    OpConfig op = matmul_config(1, 1, {&in0, &in1, &bias});
    op.attr.bias = true;
    Tensor want(op.out.shape(), {});
    add_product(op, in0, in1, 0, 32, want);
    for (std::int64_t r = 0; r < want.rows; ++r) {
        const std::span<float> row(want.slice(0).row(r), 64);
        exact::add({}, exact::AddKind::Add, false, row, std::span(bias.data).first(64), row);
    }
    CHECK(bits(run_block(op, {&in0, &in1, &bias}, Numerics::Exact)) == bits(want));
}

TEST_CASE("exact element-wise ops put in0 into SrcA: swapping the factors changes the result at LoFi") {
    Random random;
    const Tensor a = random.tensor(1, 1), b = random.tensor(1, 1);
    OpConfig op = eltwise_config("multiply");
    op.fidelity = Fidelity::LoFi;
    const Tensor ab = run_block(op, {&a, &b}, Numerics::Exact), ba = run_block(op, {&b, &a}, Numerics::Exact);
    Tensor want(op.out.shape(), {});
    exact::multiply({}, phases(Fidelity::LoFi), a.data, b.data, want.data);
    CHECK(bits(ab) == bits(want));
    CHECK(bits(ab) != bits(ba));
    for (const auto& [type, kind] : {std::pair{"add", exact::AddKind::Add}, {"subtract", exact::AddKind::Subtract}}) {
        const OpConfig sum = eltwise_config(type);
        exact::add({}, kind, false, a.data, b.data, want.data);
        CHECK(bits(run_block(sum, {&a, &b}, Numerics::Exact)) == bits(want));
    }
}

TEST_CASE("an exact row maximum is reduced to 16 bits, other maxima are not") {
    Random random;
    const Tensor x = random.tensor(2, 3, DataFormat::Tf32);
    for (const ReduceDim dim : {ReduceDim::R, ReduceDim::C, ReduceDim::RC}) {
        OpConfig op = eltwise_config("reduce");
        op.attr.reduce_dim = dim;
        op.attr.reduce_type = "max";
        op.out.mblock_m = dim == ReduceDim::C ? 2 : 1;
        op.out.mblock_n = dim == ReduceDim::R ? 3 : 1;
        op.attr.u_kt = dim == ReduceDim::R ? 2 : 3;
        op.attr.m_k = 1;
        op.in_df = {DataFormat::Float32};
        op.acc_df = op.intermed_df = op.out_df = DataFormat::Float32;
        set_operands(op, {&x});
        Tensor want = find_op("reduce")->golden(op, std::vector<const Tensor*>{&x});
        if (dim != ReduceDim::R)
            for (float& v : want.data) v = float_of(bits_of(v) & ~0xFFFFU);
        CHECK(bits(run_block(op, {&x}, Numerics::Exact)) == bits(want));
    }
}

TEST_CASE("exact copies into a 32-bit Dst are additions: NaN becomes infinity; 16-bit moves keep it") {
    Tensor x(TileShape{1, 1, 1}, TileDim{});
    x.data[0] = float_of(0x7FC00000U);
    x.data[1] = -0.0F;
    x.data[2] = 1.5F;
    OpConfig op = eltwise_config("nop");
    op.acc_df = op.out_df = DataFormat::Float32;
    const Tensor wide = run_block(op, {&x}, Numerics::Exact);
    CHECK(bits_of(wide.data[0]) == infinity_bits);
    CHECK(bits_of(wide.data[1]) == 0);
    CHECK(wide.data[2] == 1.5F);
    op.acc_df = op.out_df = DataFormat::Float16_b;
    const Tensor narrow = run_block(op, {&x}, Numerics::Exact, nullptr, false);
    CHECK(bits_of(narrow.data[0]) == 0x7FC00000U);
    CHECK(bits_of(narrow.data[1]) == 0);
}

TEST_CASE("exact ReLU agrees with the packer's on every element") {
    Random random;
    const Tensor x = random.tensor(1, 1);
    for (const DataFormat acc : {DataFormat::Float16_b, DataFormat::Float32})
        for (const DataFormat out : {DataFormat::Float16_b, DataFormat::Float32})
            for (const ReluMode mode : {ReluMode::Min, ReluMode::Max}) {
                OpAttributes attributes;
                attributes.relu = mode;
                attributes.relu_threshold = 0.71F;
                exact::PackConfig config;
                config.source = acc == DataFormat::Float32 ? exact::PackSource::Bits32 : exact::PackSource::Bf16;
                config.intermediate = intermediate_is_float32(acc, out) ? DataFormat::Float32 : DataFormat::Float16_b;
                config.out = out;
                config.relu_mode = mode == ReluMode::Min ? 2 : 3;
                config.relu_threshold = static_cast<std::uint16_t>(bits_of(0.71F) >> 16);
                Tensor got = x;
                exact::pack_relu(acc, out, attributes, got.slice(0));
                for (std::size_t i = 0; i < x.data.size(); ++i) {
                    const std::uint32_t element = bits_of(x.data[i]);
                    CHECK(bits_of(got.data[i]) ==
                          exact::pack_early(config, acc == DataFormat::Float32 ? element : element >> 16));
                }
            }
}

TEST_CASE("the parts of an op that are not bit-true are named") {
    OpConfig op = eltwise_config("add");
    CHECK(non_bit_true_parts(op).empty());
    op = eltwise_config("exp");
    CHECK(non_bit_true_parts(op) == std::vector<std::string>{"exp"});
    op.type = "matmul";
    op.attr.sfpu_gelu = true;
    CHECK(non_bit_true_parts(op) == std::vector<std::string>{"gelu of matmul"});
}
