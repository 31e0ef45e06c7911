#include <catch2/catch.hpp>
#include <random>

#include "compiler/backend/placer.hpp"
#include "compiler/backend/slices.hpp"
#include "compiler/backend/sparse_blocking.hpp"
#include "compiler/lower/lowering.hpp"
#include "compiler/lower/streaming.hpp"
#include "kernels/ops/sparse_encoding.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

using Kind = Tm::Kind;

Literal random_index(std::int64_t rows, std::int64_t width, std::int64_t columns, std::uint32_t seed) {
    std::mt19937 random(seed);
    Literal index(DType::I32, {rows, width});
    for (std::int64_t i = 0; i < index.size(); ++i)
        index.set(i, static_cast<double>(random() % static_cast<std::uint32_t>(columns + 1)) - 1);
    return index;
}

OpConfig sparse_op(const Blocking& out, std::int64_t u_kt, std::int64_t columns) {
    OpConfig op;
    op.type = "matmul";
    op.name = "sparse";
    op.out = out;
    op.in = {{1, 1, 1}, {1, columns, out.grid_c * out.core_ct()}, {1, 1, 1}};
    op.in_df = {DataFormat::Bfp2_b, DataFormat::Float16_b, DataFormat::RawUInt32};
    op.in_tile.assign(3, TileDim{});
    op.attr.identity = true;
    op.attr.act_t = 1;
    op.attr.u_kt = u_kt;
    op.attr.m_k = columns / u_kt;
    return op;
}

/// The matrix that the parts of a sparse product stand for, read with the decoder of the kernels.
std::vector<float> decoded(const OpConfig& op, const SparseParts& parts, std::int64_t columns) {
    const std::int64_t rows = op.out.core_rt(), width = columns * 32;
    std::vector<float> matrix(static_cast<std::size_t>(op.out.t * op.out.grid_r * rows * 32 * width), 0.0F);
    const auto view = [](const Literal& l) {
        return ConstMatrixView{l.floats().data(), l.dims()[1], l.dims()[2], l.dims()[2]};
    };
    Literal wide(DType::F32, parts.tiles->dims());
    for (std::int64_t i = 0; i < wide.size(); ++i) wide.set(i, parts.tiles->at(i));
    const ConstMatrixView tiles = view(wide), encoding = view(*parts.encoding);
    const SparseLayout layout = sparse_layout(op);
    for (std::int64_t i = 0; i < op.out.grid_r; ++i) {
        const auto slices = decode_sparse(flatten_encoding(encoding.sub(i * 32, 0, 32, encoding.cols)), layout);
        for (std::size_t z = 0; z < slices.size(); ++z)
            for (const SparseStrip& strip : slices[z])
                for (const SparseBlock& block : strip.blocks)
                    for (const SparseTile& tile : block.tiles)
                        for (std::int64_t r = 0; r < 32; ++r)
                            for (std::int64_t c = 0; c < 32; ++c) {
                                const std::int64_t row = ((static_cast<std::int64_t>(z) * op.out.grid_r + i) * rows +
                                                          block.ublock_row * op.out.ublock_rt + tile.row) *
                                                             32 +
                                                         r;
                                const std::int64_t col = (strip.index * op.attr.u_kt + tile.d) * 32 + c;
                                matrix[static_cast<std::size_t>(row * width + col)] +=
                                    tiles.at(i * 32 + r, tile.tile * 32 + c);
                            }
    }
    return matrix;
}

}  // namespace

TEST_CASE("a consumer's window is the slices it needs at once, whatever the TMs between") {
    CHECK(slice_window(12, {}, 1) == 1);
    CHECK(slice_window(12, {make_tm(Kind::HStack, 12)}, 1) == 12);
    CHECK(slice_window(12, {make_tm(Kind::VStack, 3)}, 1) == 3);
    CHECK(slice_window(4, {make_tm(Kind::VSlice, 3), make_tm(Kind::HStack, 3)}, 1) == 1);
    CHECK(slice_window(4, {make_tm(Kind::VSlice, 3), make_tm(Kind::HStack, 6)}, 1) == 2);
    CHECK(slice_window(6, {}, 3) == 3);
    CHECK(slice_window(2, {make_tm(Kind::BroadcastZ, 3)}, 1) == 2);
    CHECK(slice_window(1, {make_tm(Kind::HSlice, 12)}, 1) == 1);
}

TEST_CASE("rectangles are placed without overlap, turned where only that fits, or not at all") {
    const auto turned = place({{1, 4, true, {}}, {3, 1, true, {}}}, 3, 4);
    REQUIRE(turned);
    const auto upright = place({{2, 4, true, {}}, {3, 1, true, {}}}, 3, 4);
    REQUIRE(upright);
    CHECK((*upright)[1].transposed);
    CHECK_FALSE(place({{2, 4, true, {}}, {3, 1, false, {}}}, 3, 4));
    CHECK_FALSE(place({{2, 4, true, {}}, {2, 4, true, {}}}, 3, 4));
    const auto fixed = place({{1, 1, true, {}}, {2, 1, true, Place{0, 0, false}}}, 2, 2);
    REQUIRE(fixed);
    CHECK(std::pair((*fixed)[0].row, (*fixed)[0].col) == std::pair<std::int64_t, std::int64_t>{0, 1});
    CHECK_FALSE(place({{2, 1, true, Place{1, 0, false}}}, 2, 2));
}

TEST_CASE("the parts of a sparse product stand for its matrix on every grid, in every blocking") {
    const std::int64_t columns = 6;
    const Literal index = random_index(24 * 32, 2, columns * 32, 3);
    const SparsePattern pattern = make_pattern(index, nullptr, columns);
    std::vector<float> want(static_cast<std::size_t>(24 * 32 * columns * 32), 0.0F);
    for (std::int64_t i = 0; i < index.size(); ++i)
        if (const auto column = index.integer_elements()[static_cast<std::size_t>(i)]; column >= 0)
            want[static_cast<std::size_t>(i / 2 * columns * 32 + column)] += 1;
    for (const auto& [t, grid_r, mblock_m, ublock_rt] :
         {std::array<std::int64_t, 4>{1, 1, 24, 1}, {1, 4, 3, 2}, {2, 3, 2, 2}, {6, 2, 1, 2}})
        for (const std::int64_t u_kt : {1, 2, 3, 6}) {
            CAPTURE(t, grid_r, mblock_m, ublock_rt, u_kt);
            Blocking out;
            out.t = t;
            out.grid_r = grid_r;
            out.mblock_m = mblock_m;
            out.ublock_rt = ublock_rt;
            OpConfig op = sparse_op(out, u_kt, columns);
            REQUIRE(size_encoding(pattern, op));
            CHECK(op.attr.num_nz_strips.size() == static_cast<std::size_t>(grid_r));
            const SparseParts parts = make_parts(pattern, op);
            CHECK(parts.tiles->dims()[2] == op.attr.num_sparse_tiles * 32);
            CHECK(parts.tiles->dtype() == DType::U8);  // a byte an element
            CHECK(decoded(op, parts, columns) == want);
        }
}

TEST_CASE("an encoding whose numbers do not fit their fields is refused") {
    const std::int64_t columns = 1024;
    const Literal index = random_index(256 * 32, 1, columns * 32, 5);  // all tiles differ
    const SparsePattern pattern = make_pattern(index, nullptr, columns);
    Blocking out;
    out.mblock_m = 128;
    out.ublock_rt = 2;
    OpConfig op = sparse_op(out, columns, columns);
    CHECK_FALSE(size_encoding(pattern, op));
}

TEST_CASE("a pattern of gather runs equals that of the same integers") {
    const Literal wide = random_index(8 * 32, 3, 5 * 32, 7);
    GatherMap picks;
    wide.for_each_gathered(0, wide.size(), [&](std::int64_t i, std::int64_t row) { picks.append(i, row); });
    const SparsePattern want = make_pattern(wide, nullptr, 5),
                        have = make_pattern(Literal::of_gather_map(wide.dims(), picks), nullptr, 5);
    const auto place = [](const SparseTilePosition& p) { return std::tuple(p.row, p.col, p.tile); };
    REQUIRE(have.places.size() == want.places.size());
    for (std::size_t k = 0; k < have.places.size(); ++k) CHECK(place(have.places[k]) == place(want.places[k]));
    REQUIRE(have.tiles.size() == want.tiles.size());
    for (std::size_t k = 0; k < have.tiles.size(); ++k)
        CHECK(std::equal(have.tiles[k].begin(), have.tiles[k].end(), want.tiles[k].begin(), want.tiles[k].end(),
                         [](TileElement a, TileElement b) { return a.place == b.place && a.value == b.value; }));
}

TEST_CASE("equal tiles of a pattern are kept once, with weights as they are") {
    Literal index(DType::I32, {64, 1}), weights(DType::F32, {64, 1});
    for (std::int64_t i = 0; i < 64; ++i) {
        index.set(i, static_cast<double>(i % 32));
        weights.set(i, 0.5);
    }
    const SparsePattern ones = make_pattern(index, nullptr, 1), halves = make_pattern(index, &weights, 1);
    CHECK(ones.tiles.size() == 1);
    CHECK(ones.places.size() == 2);
    CHECK(ones.ones);
    CHECK_FALSE(halves.ones);
    CHECK(halves.tiles[0][0].value == 0.5F);
    CHECK(ones.tiles[0].size() == 32);

    // Elements at one position are summed, and a sum of 0 is dropped.
    Literal twice(DType::I32, {32, 2}), signs(DType::F32, {32, 2});
    for (std::int64_t i = 0; i < 64; ++i) {
        twice.set(i, 3);
        signs.set(i, i < 2 ? 0.25 : (i % 2 == 0 ? 1 : -1));
    }
    const SparsePattern met = make_pattern(twice, &signs, 1);
    REQUIRE(met.tiles[0].size() == 1);
    CHECK(met.tiles[0][0].place == 3);
    CHECK(met.tiles[0][0].value == 0.5F);
}

TEST_CASE("a tensor streams in the least slices with which its share fits a core") {
    CHECK(slices_to_stream(98, 2, 1, DataFormat::Float16_b, 200 * 1024) == 1);
    CHECK(slices_to_stream(98, 2, 9, DataFormat::Float16_b, 200 * 1024) == 2);
    CHECK(slices_to_stream(386, 2, 1, DataFormat::Float16_b, 200 * 1024) == 193);
    CHECK(392 % slices_to_stream(392, 1, 49, DataFormat::Float16_b, 200 * 1024) == 0);
}
