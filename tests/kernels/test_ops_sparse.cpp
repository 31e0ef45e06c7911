#include <set>

#include "kernels/ops/sparse_encoding.hpp"
#include "kernels/timing/kernel_model.hpp"
#include "kernels/timing/kernel_timing.hpp"
#include "tests/kernels/product_ops.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

OpConfig sparse(Blocking out, std::int64_t m_k, std::int64_t u_kt, std::int64_t act_t = 0) {
    OpConfig op;
    op.type = "matmul";
    op.name = "sp";
    op.out = out;
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Float16_b;
    op.attr.identity = true;
    op.attr.m_k = m_k;
    op.attr.u_kt = u_kt;
    op.attr.act_t = act_t;
    op.attr.sparse_tile_ptr_bits = 6;
    op.attr.sparse_ublock_idx_bits = 5;
    return op;
}

/// Strips of all slices of one share: random blocks and tiles, at least one strip a slice.
std::vector<std::vector<SparseStrip>> random_strips(const SparseLayout& layout, std::mt19937& random) {
    std::vector<std::vector<SparseStrip>> slices(static_cast<std::size_t>(layout.slices));
    for (auto& strips : slices) {
        for (std::int64_t s = 0; s < layout.strips; ++s) {
            if (pick(random, 0, 2) == 0) continue;
            SparseStrip strip;
            strip.index = s;
            for (std::int64_t m = 0; m < layout.mblock_m; ++m) {
                SparseBlock block{m, {}};
                for (std::int64_t row = 0; row < layout.ublock_rt; ++row)
                    for (std::int64_t d = 0; d < layout.u_kt; ++d)
                        if (pick(random, 0, 1) == 0)
                            block.tiles.push_back({row, d, pick(random, 0, layout.sparse_tiles - 1)});
                if (!block.tiles.empty()) strip.blocks.push_back(block);
            }
            strips.push_back(strip);
        }
        if (strips.empty()) strips.emplace_back();
        strips.back().ends_slice = true;
    }
    return slices;
}

std::vector<std::uint32_t> encode(const SparseLayout& layout, const std::vector<std::vector<SparseStrip>>& slices) {
    SparseEncoder encoder(layout);
    for (const auto& strips : slices)
        for (const auto& strip : strips) encoder.add(strip);
    return encoder.words();
}

/// Selection tiles (one 1 a row), activations, random encodings for every part.
Operands operands_of(OpConfig& op, std::mt19937& random, std::int64_t sparse_tiles) {
    const auto out = op.out.shape();
    const auto parts = op.attr.fracture_factor;
    Operands in;
    in.tensors.emplace_back(TileShape{1, op.out.grid_r, parts * sparse_tiles}, TileDim{});
    auto& tiles = in.tensors[0];
    for (std::int64_t r = 0; r < tiles.rows; ++r)
        for (std::int64_t c = 0; c < tiles.cols; c += 32) tiles.slice(0).at(r, c + pick(random, 0, 31)) = 1;
    in.tensors.push_back(
        draw_tensor({op.attr.act_t > 0 ? op.attr.act_t : out.z, op.attr.m_k * op.attr.u_kt, out.ct}, {}, random));
    op.in = {{1, op.out.grid_r, parts * sparse_tiles}};  // what sparse_layout() looks at
    const auto layout = sparse_layout(op);
    std::vector<std::vector<std::uint32_t>> encodings;
    std::size_t longest = 1024;
    for (std::int64_t part = 0; part < op.out.grid_r * parts; ++part) {
        encodings.push_back(encode(layout, random_strips(layout, random)));
        longest = std::max(longest, encodings.back().size());
    }
    const auto index_tiles = static_cast<std::int64_t>(longest / 1024);
    Tensor encoding({1, op.out.grid_r, parts * index_tiles}, {});
    for (std::int64_t i = 0; i < op.out.grid_r; ++i)
        for (std::int64_t f = 0; f < parts; ++f) {
            auto words = encodings[static_cast<std::size_t>(i * parts + f)];
            words.resize(longest);
            unflatten_encoding(words, encoding.slice(0).sub(i * 32, f * index_tiles * 32, 32, index_tiles * 32));
        }
    in.tensors.push_back(encoding);
    op.attr.num_sparse_tiles = sparse_tiles;
    op.attr.num_index_tiles = index_tiles;
    op.in_df = {DataFormat::Bfp2_b, DataFormat::Float16_b, DataFormat::RawUInt32};
    return in;
}

}  // namespace

TEST_CASE("a hand-written encoding decodes to its strips") {
    SparseLayout layout;
    layout.op = "sp";
    layout.tile_ptr_bits = 4;
    layout.ublock_idx_bits = 3;
    layout.u_kt = 3;  // two bits of inner index
    layout.ublock_rt = 2;
    layout.mblock_m = 2;
    layout.strips = 8;
    layout.sparse_tiles = 10;
    CHECK(layout.inner_bits() == 2);
    // strip 5, last of slice and of tile; 1 block: ublock row 1, 2 tiles: (row 1, d 2, tile 9), (row 0, d 1, tile 3)
    std::vector<std::uint32_t> words(1024, 0);
    words[0] = 0xC0000005;
    words[1] = 0x0001 | (1U | 2U << 3) << 16;
    words[2] = (9U << 12 | 6U) | (3U << 12 | 1U) << 16;
    const auto slices = decode_sparse(words, layout);
    REQUIRE(slices.size() == 1);
    REQUIRE(slices[0].size() == 1);
    CHECK(slices[0][0] == SparseStrip{5, true, {{1, {{1, 2, 9}, {0, 1, 3}}}}});
    CHECK(encode(layout, slices) == words);
}

TEST_CASE("the inner index takes one bit also where it can only be 0") {
    SparseLayout layout;
    layout.op = "sp";
    layout.tile_ptr_bits = 6;
    layout.ublock_idx_bits = 5;
    layout.u_kt = 1;
    layout.ublock_rt = 4;
    layout.mblock_m = 3;
    layout.strips = 8;
    layout.sparse_tiles = 50;
    CHECK(layout.inner_bits() == 1);
    // strip 7, last of slice and of tile; 1 block: ublock row 2, 3 tiles: (row 0, tile 49), (row 2, tile 1),
    // (row 3, tile 8)
    std::vector<std::uint32_t> words(1024, 0);
    words[0] = 0xC0000007;
    words[1] = 0x0001 | (2U | 3U << 5) << 16;
    words[2] = (49U << 10 | 0U << 1) | (1U << 10 | 2U << 1) << 16;
    words[3] = (8U << 10 | 3U << 1);
    const auto slices = decode_sparse(words, layout);
    REQUIRE(slices.size() == 1);
    REQUIRE(slices[0].size() == 1);
    CHECK(slices[0][0] == SparseStrip{7, true, {{2, {{0, 0, 49}, {2, 0, 1}, {3, 0, 8}}}}});
    CHECK(encode(layout, slices) == words);
    words[3] |= 1;  // an inner index of 1
    CHECK_THROWS_WITH(decode_sparse(words, layout), Catch::Contains("inner index is 1, must be below 1"));
    layout.u_kt = 2;
    CHECK(layout.inner_bits() == 1);
    layout.u_kt = 5;
    CHECK(layout.inner_bits() == 3);
}

TEST_CASE("a layout counts the places its tile entries can name") {
    SparseLayout layout;
    layout.ublock_rt = 4;
    layout.u_kt = 3;
    const auto places = [&](std::int64_t tile_ptr_bits) {
        layout.tile_ptr_bits = tile_ptr_bits;
        return layout.places();
    };
    CHECK(places(12) == 12);  // two bits of row, two of inner index
    CHECK(places(13) == 6);
    CHECK(places(14) == 3);
    CHECK(places(15) == 2);
    CHECK(places(16) == 1);
    CHECK(places(17) == 0);
    layout.u_kt = 1;
    CHECK(places(13) == 4);
    CHECK(places(14) == 2);
}

TEST_CASE("a block that counts the most tiles its field can is written as 0") {
    SparseLayout layout;
    layout.tile_ptr_bits = 4;
    layout.ublock_idx_bits = 14;  // counts up to 4
    layout.u_kt = 4;
    SparseStrip strip{0, true, {{0, {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}}}}};
    const auto words = encode(layout, {{strip}});
    CHECK((words[1] >> 16) == 0);
    CHECK(decode_sparse(words, layout)[0][0] == strip);
    strip.blocks[0].tiles.push_back({0, 3, 0});
    CHECK_THROWS_AS(encode(layout, {{strip}}), Error);
}

TEST_CASE("an encoding of many strips over several encoding tiles reads back as written") {
    std::mt19937 random(3);
    SparseLayout layout;
    layout.tile_ptr_bits = 7;
    layout.ublock_idx_bits = 4;
    layout.u_kt = 5;
    layout.ublock_rt = 3;
    layout.mblock_m = 4;
    layout.strips = 60;
    layout.sparse_tiles = 100;
    layout.slices = 3;
    const auto slices = random_strips(layout, random);
    const auto words = encode(layout, slices);
    CHECK(words.size() % 1024 == 0);
    CHECK(words.size() > 1024);
    CHECK(decode_sparse(words, layout) == slices);
}

TEST_CASE("an encoding's strips, blocks and tiles are counted, and determine its kernel's time") {
    std::mt19937 random(11);
    OpConfig op = sparse({1, 1, 4, 1, 2, 2, 2}, 3, 2);
    op.in = {{1, 1, 8}};
    op.in_df = {DataFormat::Float16_b, DataFormat::Float16_b, DataFormat::RawUInt32};
    const auto layout = sparse_layout(op);
    const auto slices = random_strips(layout, random);
    SparseCounts expected;
    for (const auto& strips : slices)
        for (const auto& strip : strips) {
            ++expected.strips;
            for (const auto& block : strip.blocks) {
                ++expected.ublocks;
                expected.tiles += static_cast<std::int64_t>(block.tiles.size());
            }
        }
    REQUIRE(expected.tiles > 0);
    const SparseCounts counts = count_sparse(encode(layout, slices), layout);
    CHECK(counts == expected);

    const OpDef& def = *find_op("matmul");
    const auto cycles = [&](std::optional<SparseCounts> known) {
        return kernel_model("wormhole_b0").time(kernel_shape(op, def, known)).cycles;
    };
    CHECK(kernel_shape(op, def, counts).nz_tiles == counts.tiles);
    SparseCounts more = counts;
    more.tiles *= 2;
    CHECK(cycles(more) > cycles(counts));
    CHECK(cycles({}) > 0);
}

TEST_CASE("flattening an encoding share goes tile by tile and back") {
    Tensor share(1, 64, 64);
    std::vector<std::uint32_t> words(4096);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint32_t>(i) | 0x7F800000U;  // NaN bits stay
    unflatten_encoding(words, share.slice(0));
    CHECK(flatten_encoding(share.slice(0)) == words);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &share.slice(0).at(0, 32), 4);
    CHECK((bits & 0xFFFF) == 1024);
}

TEST_CASE("corrupt encodings are reported with the op's name and never read out of bounds") {
    std::mt19937 random(4);
    SparseLayout layout;
    layout.op = "sp";
    layout.tile_ptr_bits = 5;
    layout.ublock_idx_bits = 4;
    layout.u_kt = 3;
    layout.ublock_rt = 2;
    layout.mblock_m = 2;
    layout.strips = 6;
    layout.sparse_tiles = 9;
    layout.slices = 2;
    const auto good = encode(layout, random_strips(layout, random));
    int rejected = 0;
    for (int round = 0; round < 3000; ++round) {
        auto words = good;
        for (int i = 0; i < 3; ++i)
            words[static_cast<std::size_t>(pick(random, 0, 60))] ^= 1U << static_cast<unsigned>(pick(random, 0, 31));
        try {
            for (const auto& strips : decode_sparse(words, layout))
                for (const auto& strip : strips) REQUIRE(strip.index < layout.strips);
        } catch (const Error& error) {
            ++rejected;
            REQUIRE(error.fault() == Fault::Input);
            REQUIRE(error.message().find("'sp'") != std::string::npos);
        }
    }
    CHECK(rejected > 500);
    const std::vector<std::uint32_t> zeros(1024, 0);
    CHECK_THROWS_WITH(decode_sparse(zeros, layout), Catch::Matchers::Contains("ends inside slice 0"));
    auto far = good;
    far[0] = (far[0] & 0xC0000000U) | 6;
    CHECK_THROWS_WITH(decode_sparse(far, layout), Catch::Matchers::Contains("strip index is 6, must be below 6"));
}

TEST_CASE("a sparse matmul moves the rows its encoding names") {
    auto op = sparse({.mblock_m = 2}, 2, 1);
    Tensor tiles(1, 32, 64), act(1, 64, 32);
    for (std::int64_t r = 0; r < 32; ++r) tiles.slice(0).at(r, 31 - r) = 1;  // tile 0 turns the rows round
    tiles.slice(0).at(4, 32 + 9) = 2;                                        // tile 1: twice row 9 into row 4
    for (std::int64_t r = 0; r < 64; ++r)
        for (std::int64_t c = 0; c < 32; ++c) act.slice(0).at(r, c) = static_cast<float>(r);
    op.in = {{1, 1, 2}};
    op.attr.num_sparse_tiles = 2;
    const auto layout = sparse_layout(op);
    const auto words =
        encode(layout, {{{0, false, {{0, {{0, 0, 0}}}}}, {1, true, {{0, {{0, 0, 1}}}, {1, {{0, 0, 0}}}}}}});
    Tensor encoding(1, 32, 32);
    unflatten_encoding(words, encoding.slice(0));
    const std::vector<const Tensor*> in{&tiles, &act, &encoding};
    op.in_df = {DataFormat::Bfp2_b, DataFormat::Float16_b, DataFormat::RawUInt32};
    set_operands(op, in);
    CHECK(complaints(op) == "");
    for (const auto& out : {run_golden(op, in), run_block(op, in), run_block(op, in, Numerics::Real)}) {
        CHECK(out.slice(0).at(0, 0) == 31);
        CHECK(out.slice(0).at(4, 3) == 27 + 2 * (32 + 9));
        CHECK(out.slice(0).at(32, 0) == 63);
        CHECK(out.slice(0).at(63, 5) == 32);
    }
}

TEST_CASE("blocks of sparse matmuls agree with golden for random encodings, act_t and fracture factors") {
    std::mt19937 random(5);
    for (int round = 0; round < 24; ++round) {
        auto blocking = random_blocking(random);
        blocking.grid_c = round % 3 == 0 ? 4 : blocking.grid_c;
        auto op = sparse(blocking, pick(random, 1, 3), pick(random, 1, 4), round % 2 == 0 ? pick(random, 1, 3) : 0);
        op.attr.fracture_factor = round % 3 == 0 ? 2 : 1;
        op.attr.bias = round % 4 == 1;
        auto in = operands_of(op, random, pick(random, 1, 12));
        if (op.attr.bias) {
            in.tensors.push_back(draw_tensor(op.out.shape(), {}, random));
            op.in_df.push_back(DataFormat::Float16_b);
        }
        set_operands(op, in.pointers());
        INFO("round " << round);
        REQUIRE(complaints(op) == "");
        const auto expected = run_golden(op, in.pointers());
        CHECK(relative_error(run_block(op, in.pointers()), expected) < 1e-5);
        convert(DataFormat::Float16_b, in.tensors[1]);
        CHECK(correlation(run_block(op, in.pointers(), Numerics::Real), run_golden(op, in.pointers())) >= 0.999);
    }
}

TEST_CASE("an integer sparse matmul agrees with golden exactly") {
    std::mt19937 random(6);
    auto op = sparse({.grid_r = 2, .mblock_m = 2, .mblock_n = 2, .t = 2}, 2, 2);
    auto in = operands_of(op, random, 5);
    in.tensors[1] = draw_tensor({2, 4, 2}, {}, random, -100, 100, 1);
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Int32;
    op.in_df = {DataFormat::Int8, DataFormat::Int8, DataFormat::RawUInt32};
    set_operands(op, in.pointers());
    REQUIRE(complaints(op) == "");
    CHECK(run_block(op, in.pointers(), Numerics::Real).data == run_golden(op, in.pointers()).data);
}

TEST_CASE("messages of sparse matmul rules name the error and the correct value") {
    std::mt19937 random(7);
    auto op = sparse({.grid_r = 2, .grid_c = 2}, 2, 2);
    auto in = operands_of(op, random, 4);
    set_operands(op, in.pointers());
    REQUIRE(complaints(op) == "");
    auto bad = op;
    bad.attr.accumulate = true;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("accumulate and identity exclude each other"));
    bad = op;
    bad.attr.fracture_factor = 3;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("fracture_factor 3 must divide the 2 grid columns"));
    bad = op;
    bad.in_df[2] = DataFormat::Float32;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("must be RawUInt32"));
    bad = op;
    bad.attr.sparse_tile_ptr_bits = 1;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("cannot address num_sparse_tiles 4"));
    bad = op;
    bad.attr.sparse_tile_ptr_bits = 0;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("old encoding is not modelled"));
    bad = op;
    bad.in[0].rt = 3;
    CHECK_THAT(complaints(bad), Catch::Matchers::Contains("rows that split over 2 grid rows"));
}
