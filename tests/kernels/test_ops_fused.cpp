#include "tests/kernels/product_ops.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;
using Kind = FusedOperand::Kind;
using Tm = FusedTm::Kind;

namespace {

FusedOperand input(int i) { return {Kind::Input, i}; }
FusedOperand intermed(int i) { return {Kind::Intermed, i}; }
const FusedOperand dest{Kind::Dest, 0};
const FusedOperand output{Kind::Output, 0};

struct Blocks {
    std::int64_t m, n, rt, ct;
};

FusedSubOp sub(const std::string& name, const std::string& type, std::vector<FusedOperand> inputs, FusedOperand to,
               Blocks b, std::vector<FusedOperand> pop = {}) {
    FusedSubOp s;
    s.name = name;
    s.type = type;
    s.loc = {"test.yaml", 20, 9};
    s.inputs = std::move(inputs);
    s.input_tms.resize(s.inputs.size());
    s.output = to;
    s.mblock_m = b.m;
    s.mblock_n = b.n;
    s.ublock_rt = b.rt;
    s.ublock_ct = b.ct;
    s.pop = std::move(pop);
    return s;
}

FusedSubOp with_inner(FusedSubOp s, std::int64_t m_k, std::int64_t u_kt) {
    s.attributes.m_k = m_k;
    s.attributes.u_kt = u_kt;
    return s;
}

FusedSubOp with_tm(FusedSubOp s, std::size_t operand, Tm kind, std::int64_t factor = 1) {
    s.input_tms[operand].push_back({kind, factor});
    return s;
}

OpConfig fused(Blocking out, std::int64_t inputs, std::int64_t intermediates,
               std::vector<std::vector<FusedSubOp>> schedules) {
    OpConfig op;
    op.type = "fused_op";
    op.name = "fused0";
    op.out = out;
    op.acc_df = op.intermed_df = op.out_df = DataFormat::Float16_b;
    auto definition = std::make_shared<FusedDefinition>();
    definition->id = "0";
    definition->loc = {"test.yaml", 18, 3};
    definition->inputs = inputs;
    definition->intermediates = intermediates;
    definition->schedules = std::move(schedules);
    op.fused = definition;
    return op;
}

/// The same op with a changed definition.
template <class Change>
OpConfig changed(const OpConfig& op, Change change) {
    auto definition = *op.fused;
    change(definition);
    auto copy = op;
    copy.fused = std::make_shared<FusedDefinition>(definition);
    return copy;
}

/// Softmax denominator and scaling: row sums by a matmul, reciprocal, multiply with a c broadcast.
OpConfig softmax(std::int64_t grid_r) {
    const Blocks column{3, 1, 2, 1}, full{3, 3, 2, 4};
    auto multiply = with_tm(sub("mul", "multiply", {input(2), intermed(0)}, output, full), 1, Tm::BroadcastC, 12);
    multiply.pop_last = {intermed(0)};
    auto reciprocal = sub("recip", "reciprocal", {intermed(0)}, intermed(0), column);
    reciprocal.pop_last = {intermed(0)};
    return fused({.grid_r = grid_r, .mblock_m = 3, .mblock_n = 3, .ublock_rt = 2, .ublock_ct = 4, .t = 2}, 3, 1,
                 {{with_inner(sub("sum", "matmul", {input(0), input(1)}, intermed(0), column), 3, 4)},
                  {reciprocal},
                  {multiply}});
}

Operands softmax_operands(const OpConfig& op, std::mt19937& random) {
    const auto shape = op.out.shape();
    Operands in;
    in.tensors.push_back(draw_tensor(shape, {}, random, 0.1F, 1));
    in.tensors.push_back(draw_tensor({shape.z, 12, 1}, {}, random, 0.1F, 1));
    in.tensors.push_back(draw_tensor(shape, {}, random, 0.1F, 1));
    return in;
}

/// Chains through dest with tile broadcasts on a grid of several cores.
OpConfig chain(Blocking out) {
    const Blocks b{out.mblock_m, out.mblock_n, out.ublock_rt, out.ublock_ct};
    return fused(
        out, 3, 1,
        {{with_tm(sub("add", "add", {input(0), input(1)}, dest, b), 1, Tm::TileBroadcastC),
          sub("sub", "subtract", {dest, input(2)}, intermed(0), b),
          with_tm(sub("mul", "multiply", {intermed(0), input(1)}, dest, b, {intermed(0)}), 1, Tm::TileBroadcastR),
          sub("exp", "exp", {dest}, output, b)}});
}

void agree(const OpConfig& op, const Operands& in) {
    REQUIRE(complaints(op) == "");
    CHECK(relative_error(run_block(op, in.pointers()), run_golden(op, in.pointers())) < 1e-5);
}

}  // namespace

TEST_CASE("a fused op computes its sub-ops in order, with tile broadcasts and relu inside") {
    const Blocks b{1, 1, 1, 1};
    auto add = with_tm(sub("add", "add", {input(0), input(1)}, dest, b), 1, Tm::TileBroadcastR);
    add.attributes.relu_en = true;
    add.attributes.relu = ReluMode::Min;
    auto op = fused({}, 2, 0, {{add, sub("mul", "multiply", {dest, input(1)}, output, b)}});
    Tensor x(1, 32, 32, -5.0F), y(1, 32, 32, 2.0F);
    x.slice(0).at(3, 4) = 1;
    y.slice(0).at(0, 4) = 10;
    const std::vector<const Tensor*> in{&x, &y};
    set_operands(op, in, DataFormat::Float16_b);
    REQUIRE(complaints(op) == "");
    for (const auto& out : {run_golden(op, in), run_block(op, in), run_block(op, in, Numerics::Real)}) {
        CHECK(out.slice(0).at(3, 4) == (1 + 10) * 2);
        CHECK(out.slice(0).at(5, 4) == (-5 + 10) * 2);
        CHECK(out.slice(0).at(5, 5) == 0);  // -5 + 2 is cut by the relu
    }
}

TEST_CASE("a broadcast inside a fused op repeats each core's own tiles") {
    const Blocks one{1, 1, 1, 1}, four{2, 1, 2, 1};
    auto op = fused(
        {.grid_r = 2, .mblock_m = 2, .ublock_rt = 2}, 2, 1,
        {{sub("nop", "nop", {input(0)}, intermed(0), one),
          with_tm(sub("add", "add", {input(1), intermed(0)}, output, four, {intermed(0)}), 1, Tm::BroadcastR, 4)}});
    Tensor x(1, 64, 32), y(1, 256, 32, 1.0F);
    x.slice(0).at(0, 0) = 10;
    x.slice(0).at(32, 0) = 20;
    const std::vector<const Tensor*> in{&x, &y};
    set_operands(op, in, DataFormat::Float16_b);
    REQUIRE(complaints(op) == "");
    for (const auto& out : {run_golden(op, in), run_block(op, in)})
        for (std::int64_t tile = 0; tile < 8; ++tile) CHECK(out.slice(0).at(tile * 32, 0) == (tile < 4 ? 11 : 21));
}

TEST_CASE("fused softmax blocks agree with golden on one core and on two") {
    std::mt19937 random(15);
    for (const std::int64_t grid_r : {1, 2}) {
        auto op = softmax(grid_r);
        auto in = softmax_operands(op, random);
        set_operands(op, in.pointers(), DataFormat::Float16_b);
        agree(op, in);
        for (auto& t : in.tensors) convert(DataFormat::Float16_b, t);
        const double c = correlation(run_block(op, in.pointers(), Numerics::Real), run_golden(op, in.pointers()));
        CHECK(c >= 0.999);
        CHECK(c < 1);
    }
}

TEST_CASE("fused chains through dest agree with golden for random blockings") {
    std::mt19937 random(16);
    for (int round = 0; round < 10; ++round) {
        auto op = chain(random_blocking(random));
        Operands in;
        for (int k = 0; k < 3; ++k) in.tensors.push_back(draw_tensor(op.out.shape(), {}, random));
        set_operands(op, in.pointers(), DataFormat::Float16_b);
        agree(op, in);
        for (auto& t : in.tensors) convert(DataFormat::Float16_b, t);
        CHECK(correlation(run_block(op, in.pointers(), Numerics::Real), run_golden(op, in.pointers())) >= 0.999);
    }
}

namespace {

/// x -> nop -> intermediate of `from` blocks -> matmul with m_k x u_kt inner tiles, its left operand repeated.
OpConfig broadcast_product(Blocks from, std::int64_t m_k, std::int64_t u_kt, bool same_schedule) {
    const Blocks result{from.m, 2, from.rt, 2};
    const std::int64_t factor = m_k * u_kt / (from.n * from.ct);
    auto product = with_tm(with_inner(sub("mm", "matmul", {intermed(0), input(1)}, intermed(1), result), m_k, u_kt), 0,
                           Tm::BroadcastC, factor);
    product.pop_last = {intermed(0)};
    const auto copy = sub("copy", "nop", {input(0)}, intermed(0), from);
    const auto last = sub("last", "nop", {intermed(1)}, output, result, {intermed(1)});
    std::vector<std::vector<FusedSubOp>> schedules{{copy, product}, {last}};
    if (!same_schedule) schedules = {{copy}, {product}, {last}};
    return fused({.mblock_m = from.m, .mblock_n = 2, .ublock_rt = from.rt, .ublock_ct = 2}, 2, 2, schedules);
}

Operands product_operands(OpConfig& op, Blocks from, std::int64_t inner, std::mt19937& random) {
    Operands in;
    in.tensors = {draw_tensor({1, from.m * from.rt, from.n * from.ct}, {}, random),
                  draw_tensor({1, inner, op.out.mblock_n * op.out.ublock_ct}, {}, random)};
    set_operands(op, in.pointers(), DataFormat::Float16_b);
    return in;
}

}  // namespace

TEST_CASE("a product repeats the columns of a broadcast intermediate") {
    std::mt19937 random(23);
    struct Case {
        Blocks from;
        std::int64_t m_k, u_kt;
    };
    for (const auto& [from, m_k, u_kt] : {Case{{2, 1, 1, 1}, 1, 4}, Case{{2, 1, 2, 1}, 3, 2}, Case{{1, 1, 2, 3}, 2, 6},
                                          Case{{2, 2, 1, 2}, 2, 4}, Case{{1, 2, 1, 1}, 4, 1}})
        for (const bool same_schedule : {true, false}) {
            INFO(from.n << " x " << from.ct << ", m_k " << m_k << ", u_kt " << u_kt);
            auto op = broadcast_product(from, m_k, u_kt, same_schedule);
            const Operands in = product_operands(op, from, m_k * u_kt, random);
            agree(op, in);
            // by hand: row 0, column 0
            const Tensor &x = in.tensors[0], &y = in.tensors[1];
            double sum = 0;
            for (std::int64_t k = 0; k < m_k; ++k)
                for (std::int64_t d = 0; d < u_kt; ++d)
                    for (std::int64_t i = 0; i < 32; ++i)
                        sum += static_cast<double>(x.slice(0).at(0, (k % from.n * from.ct + d % from.ct) * 32 + i)) *
                               static_cast<double>(y.slice(0).at((k * u_kt + d) * 32 + i, 0));
            CHECK(run_golden(op, in.pointers()).slice(0).at(0, 0) == Approx(sum).margin(1e-3));
        }
}

TEST_CASE("inner blocks that do not repeat whole columns of a broadcast intermediate are refused") {
    std::mt19937 random(24);
    const auto complaint = [&](Blocks from, std::int64_t m_k, std::int64_t u_kt) {
        auto op = broadcast_product(from, m_k, u_kt, true);
        product_operands(op, from, m_k * u_kt, random);
        return complaints(op);
    };
    CHECK(complaint({1, 1, 1, 2}, 4, 1).find("they must be multiples of its mblock_n 1 and ublock_ct 2") !=
          std::string::npos);
    CHECK(complaint({1, 2, 1, 1}, 1, 4).find("they must be multiples of its mblock_n 2 and ublock_ct 1") !=
          std::string::npos);
    CHECK(complaint({1, 2, 1, 1}, 2, 2).empty());
}

TEST_CASE("a left matmul operand is shared along grid rows, a right one along grid columns") {
    std::mt19937 random(17);
    const Blocks small{1, 1, 1, 4}, full{4, 1, 2, 4};
    auto add = with_tm(sub("add", "add", {input(2), intermed(0)}, output, full), 1, Tm::BroadcastR, 8);
    add.pop_last = {intermed(0)};
    auto op = fused({.grid_c = 2, .mblock_m = 4, .ublock_rt = 2, .ublock_ct = 4, .t = 2}, 3, 1,
                    {{with_inner(sub("mm", "matmul", {input(0), input(1)}, intermed(0), small), 1, 1)}, {add}});
    Operands in;
    in.tensors = {draw_tensor({2, 1, 1}, {}, random), draw_tensor({2, 1, 8}, {}, random),
                  draw_tensor({2, 8, 8}, {}, random)};
    set_operands(op, in.pointers(), DataFormat::Float16_b);
    agree(op, in);
    const auto* def = find_op("fused_op");
    CHECK(def->use(op, 0, 0, 1).rects == std::vector<TileRect>{{0, 0, 1, 1}});
    CHECK(def->use(op, 1, 0, 1).rects == std::vector<TileRect>{{0, 4, 1, 4}});
    CHECK(def->use(op, 2, 0, 1).rects == std::vector<TileRect>{{0, 4, 8, 4}});
}

TEST_CASE("an operand that is both multiplied and added arrives whole and each use takes its part") {
    std::mt19937 random(18);
    const Blocks b{2, 1, 1, 2};
    auto op = fused({.grid_c = 2, .mblock_m = 2, .ublock_ct = 2}, 2, 1,
                    {{with_inner(sub("mm", "matmul", {input(0), input(1)}, intermed(0), b), 2, 2)},
                     {sub("add", "add", {input(0), intermed(0)}, output, b, {intermed(0)})}});
    Operands in;
    in.tensors = {draw_tensor({1, 2, 4}, {}, random), draw_tensor({1, 4, 4}, {}, random)};
    set_operands(op, in.pointers(), DataFormat::Float16_b);
    agree(op, in);
}

TEST_CASE("a reduce at the end of a fused schedule agrees with golden") {
    std::mt19937 random(19);
    auto reduce = with_inner(sub("red", "reduce", {intermed(0)}, intermed(1), {1, 1, 1, 1}, {intermed(0)}), 2, 1);
    reduce.attributes.reduce_type = "max";
    reduce.attributes.reduce_dim = ReduceDim::R;
    auto op = fused({}, 2, 2,
                    {{sub("add", "add", {input(0), input(1)}, intermed(0), {2, 1, 1, 1}), reduce},
                     {sub("nop", "nop", {intermed(1)}, output, {1, 1, 1, 1}, {intermed(1)})}});
    Operands in;
    in.tensors = {draw_tensor({1, 2, 1}, {}, random), draw_tensor({1, 2, 1}, {}, random)};
    set_operands(op, in.pointers(), DataFormat::Float16_b);
    agree(op, in);
}

TEST_CASE("an integer fused op agrees with golden exactly") {
    std::mt19937 random(20);
    const Blocks b{3, 2, 1, 2};
    auto op = fused({.mblock_m = 3, .mblock_n = 2, .ublock_ct = 2, .t = 2}, 3, 1,
                    {{sub("req", "requantization", {input(0), input(1)}, intermed(0), b),
                      sub("mul", "multiply", {input(2), intermed(0)}, output, b, {intermed(0)})}});
    op.acc_df = DataFormat::Int32;
    op.intermed_df = op.out_df = DataFormat::Int8;
    Operands in;
    in.tensors = {draw_tensor(op.out.shape(), {}, random, -100, 100, 1),
                  draw_tensor(op.out.shape(), {}, random, 0.01F, 0.1F),
                  draw_tensor(op.out.shape(), {}, random, -100, 100, 1)};
    op.in_df = {DataFormat::Int8, DataFormat::Float32, DataFormat::Int8};
    set_operands(op, in.pointers());
    REQUIRE(complaints(op) == "");
    CHECK(run_block(op, in.pointers()).data == run_golden(op, in.pointers()).data);
}

TEST_CASE("messages of fused op rules name the sub-op and the correct value") {
    std::mt19937 random(21);
    auto op = softmax(1);
    const auto in = softmax_operands(op, random);
    set_operands(op, in.pointers(), DataFormat::Float16_b);
    REQUIRE(complaints(op) == "");
    const auto complain = [&](auto change) { return complaints(changed(op, change)); };
    using Catch::Matchers::Contains;
    CHECK_THAT(complain([](auto& d) { d.schedules[2][0].pop_last.clear(); }),
               Contains("intermed0, written by 'recip', is never popped"));
    CHECK_THAT(complain([](auto& d) { d.schedules[1][0].pop_last.clear(); }),
               Contains("'recip' writes intermed0 before the result of 'sum' in it was popped"));
    CHECK_THAT(complain([](auto& d) { d.schedules[0][0].output = dest; }),
               Contains("must write an intermediate, not dest"));
    CHECK_THAT(complain([](auto& d) { d.schedules[0][0].attributes.m_k = 0; }), Contains("m_k and u_kt of at least 1"));
    CHECK_THAT(complain([](auto& d) { d.schedules[0][0].attributes.u_kt = 3; }),
               Contains("'input0' has 2x6x12 tiles after its TMs; sub-op 'sum' needs 2x6x9"));
    CHECK_THAT(complain([](auto& d) { d.schedules[2][0].type = "sub"; }), Contains("cannot be part of a fused op"));
    CHECK_THAT(complain([](auto& d) {
                   d.schedules[2][0].input_tms[1].push_back({Tm::BroadcastR, 2});
               }),
               Contains("only one is possible"));
    CHECK_THAT(complain([](auto& d) {
                   d.schedules[2][0].input_tms[0].push_back({Tm::BroadcastR, 2});
               }),
               Contains("only intermediates can be broadcast"));
    CHECK_THAT(complain([](auto& d) { d.schedules[2][0].mblock_n = 2; }),
               Contains("writes the output with mblock [3, 2]"));
    CHECK_THAT(complain([](auto& d) { d.schedules[2][0].ublock_rt = 3; }), Contains("does not fit into Dst"));
    CHECK_THAT(complain([](auto& d) { d.schedules[1][0].inputs[0] = intermed(4); }),
               Contains("'intermed4' of sub-op 'recip' does not exist"));
    CHECK_THAT(complain([](auto& d) { d.schedules[1][0].inputs[0] = dest; }),
               Contains("the sub-op before it did not write it"));
    CHECK_THAT(complain([](auto& d) { d.schedules.pop_back(); }), Contains("no sub-op writes 'output'"));
    CHECK_THAT(complain([](auto& d) {
                   d.schedules[2].insert(d.schedules[2].begin(), sub("nop", "nop", {input(0)}, dest, {3, 3, 2, 4}));
               }),
               Contains("'mul' must take dest, the result of 'nop', as an operand"));
    CHECK_THAT(complain([](auto& d) { std::swap(d.schedules[0], d.schedules[1]); }),
               Contains("reads intermed0, which holds no result here"));
    auto undefined = op;
    undefined.fused = nullptr;
    CHECK_THAT(complaints(undefined), Contains("is not defined in fused_ops"));
}

TEST_CASE("an SFPU result of two operands cannot stay in dest, an add of small integers can") {
    const Blocks b{1, 1, 1, 1};
    const auto complain = [&](const char* type, DataFormat df) {
        auto op = fused({}, 2, 0,
                        {{sub("first", type, {input(0), input(1)}, dest, b), sub("copy", "nop", {dest}, output, b)}});
        op.acc_df = DataFormat::Int32;
        op.intermed_df = op.out_df = df;
        Tensor x(1, 32, 32);
        set_operands(op, {&x, &x}, df);
        return complaints(op);
    };
    CHECK_THAT(complain("add", DataFormat::Int32),
               Catch::Matchers::Contains("add of Int32 cannot leave its result in dest"));
    CHECK_THAT(complain("maximum", DataFormat::Int8),
               Catch::Matchers::Contains("maximum cannot leave its result in dest"));
    CHECK(complain("add", DataFormat::Int8) == "");
}

TEST_CASE("on a chip with a 16-bit Dst dest can only be input 0") {
    const Blocks b{1, 1, 1, 1};
    auto op =
        fused({}, 1, 0, {{sub("nop", "nop", {input(0)}, dest, b), sub("add", "add", {input(0), dest}, output, b)}});
    Tensor x(1, 32, 32);
    set_operands(op, {&x}, DataFormat::Float16_b);
    CHECK(complaints(op) == "");
    CHECK_THAT(complaints(op, grayskull_features()), Catch::Matchers::Contains("dest can only be input 0"));
}
