#include <catch2/catch.hpp>

#include <bit>
#include <numeric>

#include "tests/kernels/run_op.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

// --- splice -------------------------------------------------------------------------------------------------------

static OpConfig splice_config(const Blocking& blocking, SpliceUnit unit, const std::vector<TileShape>& in,
                              const std::vector<SpliceInput>& runs) {
    OpConfig op;
    op.type = "splice";
    op.name = "op0";
    op.out = blocking;
    op.in = in;
    op.in_tile.assign(in.size(), {});
    op.in_df.assign(in.size(), DataFormat::Float16_b);
    op.attr.granularity = unit;
    op.attr.splice = runs;
    return op;
}

/// Every element of tile number n holds base + n.
static Tensor tile_ids(TileShape shape, float base) {
    Tensor t(shape, {});
    for (std::int64_t z = 0; z < t.z; ++z) {
        for (std::int64_t r = 0; r < t.rows; ++r) {
            for (std::int64_t c = 0; c < t.cols; ++c) {
                t.slice(z).at(r, c) = base + static_cast<float>((z * shape.rt + r / 32) * shape.ct + c / 32);
            }
        }
    }
    return t;
}

static std::vector<float> corner_values(const Tensor& t) {
    std::vector<float> ids;
    for (std::int64_t z = 0; z < t.z; ++z) {
        for (std::int64_t r = 0; r < t.rows; r += 32) {
            for (std::int64_t c = 0; c < t.cols; c += 32) ids.push_back(t.slice(z).at(r + 31, c + 31));
        }
    }
    return ids;
}

static Tensor both_ways(const OpConfig& op, const std::vector<Tensor>& in) {
    std::vector<const Tensor*> operands;
    for (const Tensor& t : in) operands.push_back(&t);
    const Tensor golden = find_op(op.type)->golden(op, operands);
    const Tensor block = run_block(op, operands);
    CHECK(all_close(block, golden, 0, 0));
    return block;
}

TEST_CASE("splice by ublock takes ublocks from each input in turn") {
    // 8 output ublocks = 1 + 3 + 1 + 3, with skips and strides.
    const OpConfig op =
        splice_config({.mblock_m = 4, .mblock_n = 2}, SpliceUnit::Ublock, {{1, 2, 1}, {1, 4, 1}, {1, 6, 1}, {1, 8, 1}},
                      {{0, 1, 2}, {1, 3, 3}, {4, 1, 2}, {5, 3, 3}});
    CHECK(complaints(op) == "");
    const Tensor out =
        both_ways(op, {tile_ids(op.in[0], 0), tile_ids(op.in[1], 10), tile_ids(op.in[2], 20), tile_ids(op.in[3], 30)});
    CHECK(corner_values(out) == std::vector<float>{0, 11, 12, 13, 24, 35, 36, 37});
}

TEST_CASE("splice by ublock goes down the columns in column order, core by core") {
    // Each of two cores: 2x3 ublocks from a 2x2 and a 2x1 input share, column order: columns side by side.
    const OpConfig op = splice_config({.grid_c = 2, .mblock_m = 2, .mblock_n = 3, .order = UblockOrder::Column},
                                      SpliceUnit::Ublock, {{1, 2, 4}, {1, 2, 2}}, {{0, 4, 4}, {0, 2, 2}});
    CHECK(complaints(op) == "");
    const Tensor out = both_ways(op, {tile_ids(op.in[0], 0), tile_ids(op.in[1], 100)});
    CHECK(corner_values(out) == std::vector<float>{0, 1, 100, 2, 3, 101, 4, 5, 102, 6, 7, 103});
}

TEST_CASE("splice re-blocks its inputs and goes round until the output is full") {
    for (const UblockOrder order : {UblockOrder::Row, UblockOrder::Column}) {
        const Blocking blocking{.grid_r = 2,
                                .grid_c = 1,
                                .mblock_m = 3,
                                .mblock_n = 4,
                                .ublock_rt = 2,
                                .ublock_ct = 1,
                                .t = 2,
                                .order = order};
        // Per core 12 ublocks out: 4 rounds of 1 + 2; the inputs have 8 and 12 ublocks.
        const OpConfig op =
            splice_config(blocking, SpliceUnit::Ublock, {{2, 8, 4}, {2, 12, 4}}, {{1, 1, 1}, {0, 2, 3}});
        CHECK(complaints(op) == "");
        both_ways(op, {random_tensor(op.in[0], {}, -1, 1, 1), random_tensor(op.in[1], {}, -1, 1, 2)});
    }
}

TEST_CASE("splice by t selects and interleaves slices") {
    const OpConfig select = splice_config({.grid_c = 2, .t = 2}, SpliceUnit::T, {{8, 1, 2}}, {{3, 2, 5}});
    CHECK(complaints(select) == "");
    CHECK(corner_values(both_ways(select, {tile_ids(select.in[0], 0)})) == std::vector<float>{6, 7, 8, 9});
    const OpConfig weave = splice_config({.t = 4}, SpliceUnit::T, {{2, 1, 1}, {2, 1, 1}}, {{0, 1, 1}, {0, 1, 1}});
    CHECK(complaints(weave) == "");
    CHECK(corner_values(both_ways(weave, {tile_ids(weave.in[0], 0), tile_ids(weave.in[1], 10)})) ==
          std::vector<float>{0, 10, 1, 11});
}

TEST_CASE("messages of splice rules name the input and the correct value") {
    OpConfig op = splice_config({.t = 4}, SpliceUnit::T, {{2, 1, 1}, {2, 1, 1}}, {{0, 1, 1}, {0, 1, 2}});
    CHECK_THAT(
        complaints(op),
        Catch::Contains("input 1 of 'op0' has 2 units; 2 rounds of [0, 1, 2] go through 4, and all must be used"));
    op.attr.splice[1] = {0, 2, 1};
    CHECK_THAT(
        complaints(op),
        Catch::Contains("input1 of 'op0' is [0, 2, 1]; index must be 0 or more, length 1 or more and stride at least"));
    op.attr.splice = {{0, 1, 1}, {0, 2, 2}};
    CHECK_THAT(
        complaints(op),
        Catch::Contains(
            "one round over the inputs of 'op0' outputs 3 units; the output's 4 units must be a multiple of that"));
    op.in_df[1] = DataFormat::Float16;
    CHECK_THAT(complaints(op),
               Catch::Contains("in_df of 'op0' mixes Float16_b and Float16; a splice needs one format"));
    op.attr.splice.pop_back();
    CHECK_THAT(complaints(op),
               Catch::Contains("'op0' describes 1 inputs by inputN: [index, length, stride]; it has 2"));
    op = splice_config({.t = 4}, SpliceUnit::T, {{4, 1, 2}}, {{0, 4, 4}});
    CHECK_THAT(complaints(op),
               Catch::Contains("input 0 of 'op0' has slices of 1x2 tiles; a splice by t needs the output's 1x1"));
    op = splice_config({.ublock_ct = 2}, SpliceUnit::Ublock, {{1, 1, 3}}, {{0, 1, 1}});
    CHECK_THAT(complaints(op), Catch::Contains("has 1x3 tiles, which the 1x1 grid cannot cut into ublocks of 1x2"));
    op.in[0] = {2, 1, 2};
    CHECK_THAT(complaints(op),
               Catch::Contains("input 0 of 'op0' has 2 slices; a splice by ublock needs the output's 1"));
    op.in_tile[0] = {16, 32};
    CHECK_THAT(complaints(op), Catch::Contains("input 0 of 'op0' has tile_dim 16x32; it must be the output's 32x32"));
}

// --- embedding ----------------------------------------------------------------------------------------------------

static OpConfig embedding_config(const Blocking& blocking, TileShape table, TileShape indices) {
    OpConfig op = eltwise_config("embedding", blocking);
    op.in = {table, indices};
    op.in_df = {DataFormat::Float16_b, DataFormat::RawUInt32};
    op.attr.num_indices = blocking.core_rt() * 32;
    return op;
}

TEST_CASE("embedding reads indices tile by tile and the table by rows") {
    const OpConfig op = embedding_config({.grid_r = 2, .grid_c = 2, .mblock_m = 2, .mblock_n = 1, .ublock_ct = 2},
                                         {1, 3, 4}, {1, 2, 2});
    CHECK(complaints(op) == "");
    const Tensor table = random_tensor(op.in[0], {}, -1, 1, 4);
    Tensor indices(op.in[1], {});
    std::mt19937 generator(1);
    for (float& x : indices.data) x = std::bit_cast<float>(static_cast<std::uint32_t>(generator() % 96));
    indices.slice(0).at(0, 0) = std::bit_cast<float>(17U);
    indices.slice(0).at(1, 5) = std::bit_cast<float>(0xFFFFFFFFU);
    indices.slice(0).at(33, 4) = std::bit_cast<float>(95U);
    const Tensor out = both_ways(op, {table, indices});
    CHECK(out.slice(0).at(0, 100) == table.slice(0).at(17, 100));
    CHECK(out.slice(0).at(37, 3) == 0.0F);                             // second line of the first index tile
    CHECK(out.slice(0).at(64 + 36, 77) == table.slice(0).at(95, 77));  // second grid row: second row of index tiles
    CHECK(run_block(op, {&table, &indices}, Numerics::Real).slice(0).at(37, 3) == 0.0F);
}

TEST_CASE("an index beyond the table is an error of the input") {
    const OpConfig op = embedding_config({}, {1, 1, 1}, {1, 1, 1});
    const Tensor table = filled(op.in[0], {}, 1.0F);
    Tensor indices(op.in[1], {});
    indices.data[31] = std::bit_cast<float>(32U);
    const std::vector<const Tensor*> operands{&table, &indices};
    CHECK_THROWS_WITH(find_op("embedding")->golden(op, operands),
                      Catch::Contains("embedding 'op0' got index 32; its table has 32 rows"));
    CHECK_THROWS_WITH(run_block(op, operands), Catch::Contains("got index 32; its table has 32 rows"));
}

TEST_CASE("embedding rules") {
    OpConfig op = embedding_config({.ublock_rt = 2}, {1, 3, 4}, {1, 1, 1});
    op.attr.num_indices = 5;
    op.in_df[1] = DataFormat::UInt16;
    const std::string text = complaints(op);
    CHECK_THAT(text, Catch::Contains("ublock of 'op0' has 2 tile rows; an embedding needs 1"));
    CHECK_THAT(text, Catch::Contains("num_indices of 'op0' is 5; a core makes 64 rows, so it must be 64"));
    CHECK_THAT(text, Catch::Contains("in_df[1] of 'op0', the indices, is UInt16; it must be RawUInt32"));
    CHECK_THAT(text, Catch::Contains("the table of 'op0' is 4 tiles wide; its output is 1"));
    op = embedding_config({.grid_r = 2}, {1, 1, 1}, {1, 1, 1});
    CHECK_THAT(complaints(op),
               Catch::Contains("the indices of 'op0' have 1 tile rows, which 2 grid rows cannot share"));
    op = embedding_config({.mblock_m = 40}, {1, 1, 1}, {1, 1, 1});
    CHECK_THAT(complaints(op), Catch::Contains("a grid row of 'op0' has 1 index tiles, too few for num_indices 1280"));
    op = embedding_config({.t = 3}, {2, 1, 1}, {1, 1, 1});
    CHECK_THAT(complaints(op), Catch::Contains("the table of 'op0' have 2 slices; it must be 1 or the output's 3"));
}

// --- topk ---------------------------------------------------------------------------------------------------------

static OpConfig topk_config(const Blocking& blocking, std::int64_t columns, std::int64_t k, TopkSort sort) {
    OpConfig op = eltwise_config("topk", blocking);
    const TileShape in{blocking.t, blocking.shape().rt, columns};
    op.in = {in, in};
    op.in_df = {DataFormat::Float16_b, DataFormat::UInt16};
    op.attr.k = k;
    op.attr.u_kt = 1;
    op.attr.sort = sort;
    if (sort == TopkSort::ArgMax) op.out_df = DataFormat::UInt16;
    return op;
}

static Tensor column_numbers(TileShape shape) {
    Tensor t(shape, {});
    for (std::int64_t z = 0; z < t.z; ++z) {
        for (std::int64_t r = 0; r < t.rows; ++r) std::iota(t.slice(z).row(r), t.slice(z).row(r) + t.cols, 0.0F);
    }
    return t;
}

TEST_CASE("topk keeps the largest values of each line, or their indices, in order") {
    OpConfig op = topk_config({}, 2, 4, TopkSort::Max);
    CHECK(complaints(op) == "");
    Tensor values = filled(op.in[0], {}, -1.0F);
    const Tensor indices = column_numbers(op.in[1]);
    values.slice(0).at(7, 50) = 9.0F;
    values.slice(0).at(7, 3) = 5.0F;
    values.slice(0).at(7, 4) = 5.0F;
    values.slice(0).at(7, 63) = 8.0F;
    Tensor out = both_ways(op, {values, indices});
    CHECK(std::vector<float>(out.slice(0).row(7), out.slice(0).row(7) + 5) == std::vector<float>{9, 8, 5, 5, 0});
    op = topk_config({}, 2, 4, TopkSort::ArgMax);
    CHECK(complaints(op) == "");
    out = both_ways(op, {values, indices});
    CHECK(std::vector<float>(out.slice(0).row(7), out.slice(0).row(7) + 5) == std::vector<float>{50, 63, 3, 4, 0});
    CHECK(run_block(op, {&values, &indices}, Numerics::Real).data == out.data);  // no rounding of indices
}

TEST_CASE("topk works per grid column, and a kreduce of its results is the topk of the whole line") {
    for (const TopkSort sort : {TopkSort::Max, TopkSort::ArgMax}) {
        const OpConfig first = topk_config({.grid_r = 2, .grid_c = 2, .mblock_n = 2, .t = 2}, 8, 64, sort);
        CHECK(complaints(first) == "");
        const Tensor values = random_tensor(first.in[0], {}, -5, 5, 8), indices = column_numbers(first.in[1]);
        both_ways(first, {values, indices});
    }
    const OpConfig stage = topk_config({.grid_c = 2}, 8, 32, TopkSort::Max);
    const Tensor values = random_tensor(stage.in[0], {}, -5, 5, 9), indices = column_numbers(stage.in[1]);
    const Tensor groups = both_ways(stage, {values, indices});
    OpConfig last = topk_config({}, 2, 32, TopkSort::Max);
    last.attr.kreduce = true;
    const OpConfig direct = topk_config({}, 8, 32, TopkSort::Max);
    CHECK(both_ways(last, {groups, column_numbers(last.in[1])}).data == both_ways(direct, {values, indices}).data);
}

TEST_CASE("topk orders NaN last and both zeros alike") {
    const OpConfig op = topk_config({}, 1, 4, TopkSort::ArgMax);
    Tensor values = filled(op.in[0], {}, -1.0F);
    values.data[0] = std::numeric_limits<float>::quiet_NaN();
    values.data[1] = -0.0F;
    values.data[2] = 0.0F;
    const Tensor out = both_ways(op, {values, column_numbers(op.in[1])});
    CHECK(std::vector<float>(out.data.begin(), out.data.begin() + 4) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("topk rules") {
    OpConfig op = topk_config({}, 2, 5, TopkSort::Max);
    CHECK_THAT(complaints(op), Catch::Contains("k of 'op0' is 5; it must be a power of two in 1..64"));
    op = topk_config({}, 2, 64, TopkSort::Max);
    CHECK_THAT(complaints(op), Catch::Contains("a core of 'op0' makes 1 tile columns; k 64 needs 2"));
    op = topk_config({}, 2, 32, TopkSort::ArgMax);
    op.out_df = DataFormat::Float16_b;
    CHECK_THAT(complaints(op), Catch::Contains("out_df of 'op0' is Float16_b; with sort argmax it must be UInt16"));
    op.attr.sort = TopkSort::Max;
    op.attr.u_kt = 9;
    CHECK_THAT(complaints(op), Catch::Contains("ublock row by u_kt of 'op0' has 9 tiles and does not fit into Dst"));
    op.attr.u_kt = 1;
    op.attr.m_k = 3;
    CHECK_THAT(complaints(op),
               Catch::Contains("m_k 3 times u_kt 1 of 'op0' must be the 2 tiles of a line on one core"));
    op.attr.m_k = 0;
    op.in[1].ct = 3;
    op.in_df[1] = DataFormat::Float16;
    CHECK_THAT(complaints(op), Catch::Contains("topk needs one index for every value"));
    CHECK_THAT(complaints(op), Catch::Contains("in_df[1] of 'op0', the indices, is Float16; it must be UInt16"));
    op = topk_config({.grid_c = 2}, 3, 32, TopkSort::Max);
    CHECK_THAT(complaints(op), Catch::Contains("input 0 of 'op0' is 3 tiles wide, which 2 grid columns cannot share"));
    op = topk_config({.mblock_n = 2}, 1, 64, TopkSort::Max);
    CHECK_THAT(complaints(op), Catch::Contains("a core of 'op0' sorts 32 elements per row; k 64 is larger"));
    op.in[0].rt = op.in[1].rt = 2;
    CHECK_THAT(complaints(op), Catch::Contains("topk needs the output's 1 slices of 1 rows"));
}
