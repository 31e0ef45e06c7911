#include "tests/kernels/product_ops.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

OpConfig reduce(Blocking out, ReduceDim dim, std::int64_t m_k = 0, std::int64_t u_kt = 0) {
    OpConfig op;
    op.type = "reduce";
    op.name = "red";
    op.out = out;
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Float16_b;
    op.attr.reduce_type = "max";
    op.attr.reduce_dim = dim;
    op.attr.m_k = m_k;
    op.attr.u_kt = u_kt;
    return op;
}

}  // namespace

TEST_CASE("reduce leaves maxima in column 0, row 0 or element (0, 0) and zeros elsewhere") {
    Tensor x(1, 64, 64, -5.0F);
    x.slice(0).at(2, 3) = -1;
    x.slice(0).at(2, 40) = 7;
    x.slice(0).at(50, 40) = 9;
    const std::vector<const Tensor*> in{&x};
    for (const auto numerics : {Numerics::Float32, Numerics::Real}) {
        auto op = reduce({.mblock_m = 2}, ReduceDim::C, 2, 1);
        set_operands(op, in, DataFormat::Float16_b);
        CHECK(complaints(op) == "");
        auto out = run_block(op, in, numerics);
        CHECK(out.slice(0).at(2, 0) == 7);
        CHECK(out.slice(0).at(0, 0) == -5);
        CHECK(out.slice(0).at(50, 0) == 9);
        CHECK(out.slice(0).at(2, 3) == 0);
        CHECK(out.data == run_golden(op, in).data);

        op = reduce({.mblock_n = 2}, ReduceDim::R, 1, 2);
        set_operands(op, in, DataFormat::Float16_b);
        out = run_block(op, in, numerics);
        CHECK(out.slice(0).at(0, 3) == -1);
        CHECK(out.slice(0).at(0, 40) == 9);
        CHECK(out.slice(0).at(0, 41) == -5);
        CHECK(out.slice(0).at(1, 40) == 0);
        CHECK(out.data == run_golden(op, in).data);

        op = reduce({}, ReduceDim::RC, 2, 2);
        set_operands(op, in, DataFormat::Float16_b);
        out = run_block(op, in, numerics);
        CHECK(out.slice(0).at(0, 0) == 9);
        CHECK(out.slice(0).at(0, 1) == 0);
        CHECK(out.data == run_golden(op, in).data);
    }
}

TEST_CASE("reduce over z takes the largest of each group of slices, elementwise") {
    auto op = reduce({.t = 2}, ReduceDim::Z);
    op.attr.z = 2;
    Tensor x(4, 32, 32);
    for (std::int64_t z = 0; z < 4; ++z) x.slice(z).at(1, 1) = static_cast<float>(10 - z);
    x.slice(3).at(2, 2) = 4;
    x.slice(1).at(3, 3) = -4;
    x.slice(0).at(3, 3) = -3;
    const std::vector<const Tensor*> in{&x};
    set_operands(op, in, DataFormat::Float16_b);
    CHECK(complaints(op) == "");
    for (const auto& out : {run_golden(op, in), run_block(op, in)}) {
        CHECK(out.slice(0).at(1, 1) == 10);
        CHECK(out.slice(1).at(1, 1) == 8);
        CHECK(out.slice(1).at(2, 2) == 4);
        CHECK(out.slice(0).at(3, 3) == -3);
    }
}

TEST_CASE("blocks of reduces agree with golden for random blockings") {
    std::mt19937 random(13);
    for (int round = 0; round < 32; ++round) {
        const ReduceDim dims[] = {ReduceDim::R, ReduceDim::C, ReduceDim::RC, ReduceDim::Z};
        const auto dim = dims[round % 4];
        auto blocking = random_blocking(random);
        const auto m_k = pick(random, 1, 3), u_kt = pick(random, 1, 3);
        TileShape shape = blocking.shape();
        if (dim == ReduceDim::R || dim == ReduceDim::RC) {
            blocking.grid_r = blocking.mblock_m = blocking.ublock_rt = 1;
            shape.rt = m_k * u_kt;
        }
        if (dim == ReduceDim::C || dim == ReduceDim::RC) {
            blocking.grid_c = blocking.mblock_n = blocking.ublock_ct = 1;
            shape.ct = m_k * u_kt;
        }
        auto op = reduce(blocking, dim, m_k, u_kt);
        if (dim == ReduceDim::Z) {
            op.attr.z = pick(random, 1, 4);
            shape.z *= op.attr.z;
        }
        auto x = draw_tensor(shape, {}, random, -2, -1);  // all negative: zeros must not win
        const std::vector<const Tensor*> in{&x};
        set_operands(op, in, DataFormat::Float16_b);
        INFO("round " << round);
        REQUIRE(complaints(op) == "");
        CHECK(run_block(op, in).data == run_golden(op, in).data);
        convert(DataFormat::Float16_b, x);
        CHECK(run_block(op, in, Numerics::Real).data == run_golden(op, in).data);
    }
}

TEST_CASE("messages of reduce rules name the error and the correct value") {
    auto op = reduce({.mblock_m = 2}, ReduceDim::C, 2, 2);
    Tensor x(1, 64, 128);
    set_operands(op, {&x}, DataFormat::Float16_b);
    REQUIRE(complaints(op) == "");
    auto bad = op;
    bad.attr.reduce_type = "avg";
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("reduce type 'avg' is not possible, only max"));
    bad = op;
    bad.attr.reduce_dim = ReduceDim::None;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("needs attribute dim"));
    bad = op;
    bad.attr.m_k = 1;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("input 0 has 1x2x4 tiles after its TMs, must have 1x2x2"));
    bad = op;
    bad.out.mblock_n = 2;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("a reduced dimension must be 1"));
    bad = op;
    bad.in_df[0] = DataFormat::Float16;
    bad.acc_df = DataFormat::Float32;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("cannot use acc_df Float32"));
    bad = op;
    bad.attr.reduce_dim = ReduceDim::Z;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("needs attribute z"));
}
