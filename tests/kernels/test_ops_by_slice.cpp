// Golden in parts along z, as the evaluator calls it for large operands, against golden at once.
#include "tests/kernels/product_ops.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

Tensor slices_of(const Tensor& t, std::int64_t first, std::int64_t count) {
    Tensor part(count, t.rows, t.cols);
    std::copy_n(t.data.begin() + first * t.rows * t.cols, part.data.size(), part.data.begin());
    return part;
}

/// Bit for bit the same in parts of 1, 2 and 3 slices.
void compare(const OpConfig& op, const Operands& in) {
    REQUIRE(golden_splits_by_slice(op));
    const Tensor whole = find_op(op.type)->golden(op, in.pointers());
    for (const std::int64_t most : {1, 2, 3})
        for (std::int64_t z = 0; z < op.out.t; z += most) {
            OpConfig part = op;
            part.out.t = std::min(most, op.out.t - z);
            Operands some;
            for (std::size_t k = 0; k < in.tensors.size(); ++k) {
                const std::int64_t group = op.in[k].z / op.out.t;
                part.in[k].z = part.out.t * group;
                some.tensors.push_back(slices_of(in.tensors[k], z * group, part.in[k].z));
            }
            const Tensor made = find_op(op.type)->golden(part, some.pointers());
            INFO(op.type << " from slice " << z << ", " << most << " at a time");
            CHECK(made.data == slices_of(whole, z, part.out.t).data);
        }
}

}  // namespace

TEST_CASE("every op declared slice-wise computes its slices separately") {
    std::mt19937 random(3);
    const Blocking blocking{.grid_c = 2, .ublock_rt = 2, .t = 5};
    int compared = 0;
    for (const OpDef* def : all_ops()) {
        if (!def->by_slice || def->op_class == OpClass::Matmul || def->op_class == OpClass::Reduce) continue;
        OpConfig op = eltwise_config(std::string(def->name), blocking);
        Operands in;
        for (std::size_t k = 0; k < op.in.size(); ++k)
            in.tensors.push_back(draw_tensor(blocking.shape(), {}, random, 0.1F, 2.0F));
        compare(op, in);
        ++compared;
    }
    CHECK(compared > 20);
}

TEST_CASE("products and maxima of groups of slices are computed apart") {
    std::mt19937 random(4);
    for (const std::int64_t group : {1, 3}) {
        OpConfig op = eltwise_config("matmul", {.ublock_ct = 2, .t = 4});
        op.attr.m_k = 2;
        op.attr.u_kt = 1;
        op.attr.accumulate = group > 1;
        op.attr.z = group;
        op.attr.bias = true;
        op.in = {{4 * group, 1, 2}, {4 * group, 2, 2}, {4, 1, 2}};
        op.in_tile.assign(3, TileDim{});
        op.in_df.assign(3, DataFormat::Float16_b);
        Operands in;
        for (const TileShape& shape : op.in) in.tensors.push_back(draw_tensor(shape, {}, random));
        compare(op, in);

        OpConfig most = eltwise_config("reduce", {.ublock_ct = 2, .t = 4});
        most.attr.reduce_dim = group > 1 ? ReduceDim::Z : ReduceDim::R;
        most.attr.z = group;
        most.in = {group > 1 ? TileShape{4 * group, 1, 2} : TileShape{4, 3, 2}};
        Operands maxima;
        maxima.tensors.push_back(draw_tensor(most.in[0], {}, random));
        compare(most, maxima);
    }
}
