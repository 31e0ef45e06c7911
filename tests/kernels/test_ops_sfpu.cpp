#include <catch2/catch.hpp>

#include <limits>

#include "kernels/vector_math.hpp"
#include "tests/kernels/run_op.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

static float first(const std::string& type, float x, void (*set)(OpAttributes&) = nullptr) {
    OpConfig op = eltwise_config(type);
    if (set != nullptr) set(op.attr);
    Tensor in = filled(op.out.shape(), op.tile, x);
    const std::vector<const Tensor*> operands{&in};
    const float golden = find_op(type)->golden(op, operands).data[5];
    const float block = run_block(op, {&in}).data[5];
    INFO(type << "(" << x << "): golden " << golden << ", block " << block);
    const bool agree = (std::isnan(golden) && std::isnan(block)) || golden == block ||
                       std::fabs(golden - block) <= 1e-6F * std::fabs(golden) + 1e-9F;
    CHECK(agree);
    return block;
}

TEST_CASE("SFPU ops give hand-computed values") {
    constexpr float largest = std::numeric_limits<float>::max();
    CHECK(first("exp", 0.0F) == 1.0F);
    CHECK(first("exp", 1.0F) == Approx(2.7182818));
    CHECK(first("exp", 200.0F) == largest);
    CHECK(first("exp", -200.0F) == 0.0F);
    CHECK(first("log", 1.0F) == 0.0F);
    CHECK(first("log", 0.0F) == Approx(-15.942385));
    CHECK(std::isnan(first("log", -1.0F)));
    CHECK(first("sqrt", 9.0F) == 3.0F);
    CHECK(std::isnan(first("sqrt", -9.0F)));
    CHECK(first("reciprocal", 4.0F) == 0.25F);
    CHECK(first("reciprocal", 0.0F) == 8388608.0F);
    CHECK(first("sigmoid", 0.0F) == 0.5F);
    CHECK(first("sigmoid", -3.0F) == Approx(0.04742587));
    CHECK(first("tanh", 0.5F) == Approx(0.46211716));
    CHECK(first("tanh", -20.0F) == -1.0F);
    CHECK(first("sine", 1.5707964F) == Approx(1.0));
    CHECK(first("sine", -0.5F) == Approx(-0.47942554));
    CHECK(first("cosine", 3.1415927F) == Approx(-1.0));
    CHECK(first("cosine", 3e9F) == Approx(std::cos(3e9)).epsilon(1e-6));
    CHECK(first("abs", -2.5F) == 2.5F);
    CHECK(first("square", -3.0F) == 9.0F);
    CHECK(first("power", -2.0F, [](OpAttributes& a) { a.exp = 5; }) == -32.0F);
    CHECK(first("power", 2.0F, [](OpAttributes& a) { a.exp = -2; }) == 0.25F);
    CHECK(first("power", 0.0F, [](OpAttributes& a) { a.exp = 0; }) == 1.0F);
    CHECK(first("gelu", 1.0F) == Approx(0.84119199));
    CHECK(first("gelu", -1.0F) == Approx(-0.15880801));
    CHECK(first("gelu_derivative", 0.0F) == 0.5F);
    CHECK(first("lrelu", -2.0F, [](OpAttributes& a) { a.slope = 0.25; }) == -0.5F);
    CHECK(first("lrelu", -1.0F) == -0.01F);
    CHECK(first("lrelu", 3.0F) == 3.0F);
}

/// Largest relative error of f against exact on n points of [low, high].
template <class F, class G>
static double worst(F f, G exact, float low, float high) {
    double error = 0;
    constexpr int n = 200001;
    for (int i = 0; i < n; ++i) {
        const float x = low + (high - low) * static_cast<float>(i) / static_cast<float>(n - 1);
        const double want = exact(double{x});
        const double off = std::fabs(f(x) - want) / std::max(std::fabs(want), 1e-30);
        error = std::max(error, off);
    }
    return error;
}

TEST_CASE("vector functions are accurate to a few units in the last place") {
    using namespace ttsim::impl::vec;
    CHECK(worst([](float x) { return vec::exp(x); }, [](double x) { return std::exp(x); }, -87.0F, 88.5F) < 2e-7);
    CHECK(worst([](float x) { return vec::log(x); }, [](double x) { return std::log(x); }, 1e-3F, 0.9F) < 3e-7);
    CHECK(worst([](float x) { return vec::log(x); }, [](double x) { return std::log(x); }, 1.1F, 1e6F) < 2e-7);
    CHECK(worst([](float x) { return vec::tanh(x); }, [](double x) { return std::tanh(x); }, -12.0F, 12.0F) < 3e-7);
    CHECK(worst([](float x) { return sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }, -60.0F, 60.0F) <
          3e-7);
    CHECK(worst([](float x) { return sine_from(x, 0); }, [](double x) { return std::sin(x); }, -3.0F, 3.0F) < 2e-7);
    CHECK(worst([](float x) { return sine_from(x, 0) + 2.0F; }, [](double x) { return std::sin(x) + 2; }, -9e7F, 9e7F) <
          3e-7);
    CHECK(worst([](float x) { return sine_from(x, 1) + 2.0F; }, [](double x) { return std::cos(x) + 2; }, -500.0F,
                500.0F) < 3e-7);
    const auto exact_gelu = [](double x) {
        return x / (1 + std::exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
    };
    CHECK(worst([](float x) { return vec::gelu(x); }, exact_gelu, -2.0F, 8.0F) < 1e-6);
}

TEST_CASE("vector functions keep NaN and handle the ends of the range") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    CHECK(std::isnan(vec::exp(nan)));
    CHECK(std::isnan(vec::log(nan)));
    CHECK(std::isnan(vec::tanh(nan)));
    CHECK(std::isnan(vec::sigmoid(nan)));
    CHECK(vec::exp(inf) == std::numeric_limits<float>::max());
    CHECK(vec::exp(-inf) == 0.0F);
    CHECK(vec::exp(-100.0F) == Approx(std::exp(-100.0)).epsilon(0.02).margin(0));
    CHECK(vec::log(inf) == inf);
    CHECK(vec::log(1e-42F) == Approx(std::log(double{1e-42F})));
    CHECK(vec::sigmoid(inf) == 1.0F);
    CHECK(vec::sigmoid(-inf) == 0.0F);
    CHECK(vec::tanh(-inf) == -1.0F);
}

TEST_CASE("SFPU block functions equal golden for every blocking, tile and vector mode") {
    unsigned seed = 1;
    for (const OpDef* def : all_ops()) {
        if (!def->sfpu) continue;
        for (const Blocking& blocking : blockings()) {
            for (const TileDim tile : {TileDim{}, TileDim{16, 32}, TileDim{32, 16}, TileDim{1, 32}}) {
                OpConfig op = eltwise_config(std::string(def->name), blocking, tile);
                op.attr.exp = 3;
                if (seed % 3 == 1) op.attr.vector = VectorMode::R;
                if (seed % 3 == 2) op.attr.vector = VectorMode::C;
                const bool positive = def->needs_positive_operands;
                const Tensor in = random_tensor(op.in[0], tile, positive ? 0.0F : -4.0F, 4.0F, ++seed);
                const std::vector<const Tensor*> operands{&in};
                CAPTURE(std::string(def->name), tile.h, tile.w, seed);
                CHECK(all_close(run_block(op, {&in}), def->golden(op, operands)));
            }
        }
    }
}

TEST_CASE("the vector attribute leaves the rest of each tile as it was") {
    OpConfig op = eltwise_config("square", {.mblock_m = 2, .mblock_n = 2});
    const Tensor in = filled(op.in[0], op.tile, 3.0F);
    op.attr.vector = VectorMode::R;
    Tensor out = run_block(op, {&in});
    CHECK(out.slice(0).at(3, 40) == 9.0F);
    CHECK(out.slice(0).at(4, 40) == 3.0F);
    CHECK(out.slice(0).at(35, 0) == 9.0F);
    op.attr.vector = VectorMode::C;
    out = run_block(op, {&in});
    CHECK(out.slice(0).at(31, 15) == 9.0F);
    CHECK(out.slice(0).at(31, 16) == 3.0F);
    CHECK(out.slice(0).at(63, 47) == 9.0F);
}

TEST_CASE("an operand of smaller tiles fills the corner of each output tile") {
    OpConfig op = eltwise_config("exp", {.mblock_n = 2});
    op.in_tile = {{1, 32}};
    op.attr.vector = VectorMode::R;
    const Tensor in = random_tensor(op.in[0], op.in_tile[0], 0.5F, 1.0F, 3);
    const std::vector<const Tensor*> operands{&in};
    const Tensor out = run_block(op, {&in}), golden = find_op("exp")->golden(op, operands);
    CHECK(all_close(out, golden));
    CHECK(out.slice(0).at(0, 33) == Approx(std::exp(in.data[33])));
    CHECK(out.slice(0).at(1, 0) == 0.0F);
    CHECK(complaints(op) == "");
}

TEST_CASE("dropout keeps and scales the right share, and depends on seed, input, slice and core") {
    OpConfig op = eltwise_config("dropout", {.grid_r = 2, .mblock_m = 4, .mblock_n = 4, .t = 2});
    op.attr.p = 0.25;
    op.attr.seed = 7;
    const Tensor in = filled(op.in[0], op.tile, 3.0F);
    const Tensor out = run_block(op, {&in});
    std::size_t kept = 0;
    for (const float x : out.data) {
        CHECK((x == 0.0F || x == 4.0F));
        kept += x != 0.0F ? 1U : 0U;
    }
    CHECK(static_cast<double>(kept) / static_cast<double>(out.data.size()) == Approx(0.75).margin(0.01));
    CHECK(run_block(op, {&in}).data == out.data);
    const std::size_t half = static_cast<std::size_t>(out.rows * out.cols);
    CHECK_FALSE(std::equal(out.data.begin(), out.data.begin() + static_cast<std::ptrdiff_t>(half),
                           out.data.begin() + static_cast<std::ptrdiff_t>(half)));
    CHECK_FALSE(std::equal(out.data.begin(), out.data.begin() + static_cast<std::ptrdiff_t>(half / 2),
                           out.data.begin() + static_cast<std::ptrdiff_t>(half / 2)));
    op.attr.seed = 8;
    CHECK_FALSE(run_block(op, {&in}).data == out.data);
    op.attr.p = 1.0;
    for (const float x : run_block(op, {&in}).data) REQUIRE(x == 0.0F);
    op.attr.p = 1.5;
    CHECK_THAT(complaints(op), Catch::Contains("p of 'op0' is 1.5; it must lie in 0..1"));
}

TEST_CASE("the mask of dropout depends on seed, input and position only, and golden has the same") {
    const auto result = [](const Blocking& out, std::int64_t seed, std::int64_t input) {
        OpConfig op = eltwise_config("dropout", out);
        op.attr.p = 0.5;
        op.attr.seed = seed;
        op.random.input = input;
        const Tensor in = filled(op.in[0], op.tile, 1.0F);
        const Tensor golden = find_op("dropout")->golden(op, std::vector<const Tensor*>{&in});
        CHECK(run_block(op, {&in}).data == golden.data);
        return golden.data;
    };
    const Blocking whole{.mblock_m = 4, .mblock_n = 4};
    const std::vector<float> mask = result(whole, 3, 0);
    // other grids, blocks and slices of rows
    CHECK(result({.grid_r = 2, .grid_c = 4, .mblock_m = 1, .ublock_rt = 2}, 3, 0) == mask);
    CHECK(result({.grid_c = 2, .mblock_n = 2, .t = 4}, 3, 0) == mask);
    CHECK_FALSE(result(whole, 4, 0) == mask);
    CHECK_FALSE(result(whole, 3, 1) == mask);
    // neither rows nor columns nor inputs are correlated
    const auto agree = [&](const std::vector<float>& other, std::ptrdiff_t shift) {
        std::size_t equal = 0;
        for (std::size_t i = 0; i + static_cast<std::size_t>(shift) < mask.size(); ++i)
            equal += mask[i] == other[i + static_cast<std::size_t>(shift)] ? 1U : 0U;
        return static_cast<double>(equal) / static_cast<double>(mask.size());
    };
    for (const std::ptrdiff_t shift : {1, 2, 32, 128, 256}) CHECK(agree(mask, shift) == Approx(0.5).margin(0.03));
    for (const std::int64_t input : {1, 2, 64}) CHECK(agree(result(whole, 3, input), 0) == Approx(0.5).margin(0.03));
    for (const std::int64_t seed : {0, 4, 1 << 20}) CHECK(agree(result(whole, seed, 0), 0) == Approx(0.5).margin(0.03));
}

TEST_CASE("real numerics round SFPU results to the formats") {
    OpConfig op = eltwise_config("exp");
    Tensor in = filled(op.out.shape(), op.tile, 1.0F);
    const Tensor out = run_block(op, {&in}, Numerics::Real);
    CHECK(out.data[0] == 2.71875F);  // 2.71828 in bfloat16
}
