#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <tuple>

#include "netlist/compare/compare.hpp"

using namespace ttsim::impl;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

Comparison rule(Comparison::Type type, double atol, double rtol, double pct, double pcc) {
    Comparison r;
    r.type = type;
    r.atol = atol;
    r.rtol = rtol;
    r.check_pct = pct;
    r.check_pcc = pcc;
    r.flat = false;
    return r;
}

Comparison hw(double pct, double pcc) { return rule(Comparison::Type::AllCloseHw, 0.01, 0.1, pct, pcc); }

QueueComparison::Result compare(const Comparison& r, const Tensor& golden, const Tensor& actual, TileDim tile = {},
                                const ComparedPart& part = {}) {
    QueueComparison comparison(r, tile, part);
    comparison.add(golden, actual);
    return comparison.result();
}

/// One 32x32 tile with values 0, 1, 2, ...
Tensor ramp(std::int64_t rows = 32, std::int64_t cols = 32) {
    Tensor t(1, rows, cols);
    for (std::size_t i = 0; i < t.data.size(); ++i) t.data[i] = static_cast<float>(i);
    return t;
}

/// Two values side by side, in a tile of their own.
bool close(float a, float b) {
    Tensor golden(1, 1, 32, a), actual(1, 1, 32, b);
    return compare(rule(Comparison::Type::AllClose, 0.01, 0.1, 1, 0), golden, actual, {1, 32}).strict_pass;
}

Op op_of(const std::string& type, const std::string& name, const std::vector<std::string>& inputs) {
    Op op;
    op.cfg.type = type;
    op.cfg.name = name;
    op.inputs = inputs;
    op.tms.resize(inputs.size());
    return op;
}

Queue queue_of(const std::string& name, const std::string& input) {
    Queue q;
    q.name = name;
    q.input = input;
    return q;
}

/// in -> op0 -> op1 -> ... -> out
Netlist chain(const std::vector<Op>& ops) {
    Netlist n;
    n.queues = {queue_of("in", "HOST"), queue_of("out", ops.back().name())};
    Graph graph;
    graph.ops = ops;
    n.graphs.push_back(graph);
    return n;
}

}  // namespace

TEST_CASE("values agree within atol plus rtol of the larger one") {
    CHECK(close(1.0F, 1.0F));
    CHECK(close(1.0F, 1.12F));        // 0.12 <= 0.01 + 0.112
    CHECK_FALSE(close(1.0F, 1.13F));  // 0.13 > 0.01 + 0.113
    CHECK(close(1.12F, 1.0F));
    CHECK(close(0.0F, 0.01F));
    CHECK_FALSE(close(0.0F, 0.012F));
    CHECK_FALSE(close(1.0F, -1.0F));
}

TEST_CASE("an infinity agrees with a number of its sign that is nearly as large, a NaN with no number") {
    CHECK_FALSE(close(1.0F, nan_value));
    CHECK_FALSE(close(1.0F, inf));
    CHECK(close(-3e38F, -inf));
    CHECK_FALSE(close(3e38F, -inf));
    CHECK_FALSE(close(inf, 1e30F));
}

namespace {

/// What becomes of a golden element and the result beside it.
enum class Fate { Agrees, Differs, Undefined };
Fate fate(const Comparison& r, float golden, float actual) {
    const auto result = compare(r, Tensor(1, 1, 32, golden), Tensor(1, 1, 32, actual), {1, 32});
    CHECK(result.elements + result.undefined == 32);
    CHECK(result.all_undefined() == (result.elements == 0));
    if (result.undefined == 32) return Fate::Undefined;
    return result.strict_pass ? Fate::Agrees : Fate::Differs;
}

}  // namespace

TEST_CASE("where golden is NaN, nothing is compared") {
    const Comparison tolerant = hw(1, 0.99), exact = rule(Comparison::Type::Exact, 0, 0, 1, 1);
    for (const float result : {nan_value, inf, -inf, 1.0F}) CHECK(fate(tolerant, nan_value, result) == Fate::Undefined);
    for (const float result : {nan_value, inf, -inf, 3e38F}) CHECK(fate(tolerant, inf, result) == Fate::Undefined);
    CHECK(fate(tolerant, inf, 1.0F) == Fate::Differs);
    CHECK(fate(tolerant, 1.0F, nan_value) == Fate::Differs);
    // what is not rounded has to be no number either
    for (const Comparison& same : {exact, float32_comparison()}) {
        CHECK(fate(same, nan_value, nan_value) == Fate::Undefined);
        CHECK(fate(same, -inf, -inf) == Fate::Undefined);
        CHECK(fate(same, nan_value, 1.0F) == Fate::Differs);
        CHECK(fate(same, inf, -inf) == Fate::Differs);
        CHECK(fate(same, 1.0F, 1.0F) == Fate::Agrees);
    }
}

TEST_CASE("equal tensors pass with a correlation of one") {
    const auto r = compare(hw(1, 0.9999), ramp(64, 64), ramp(64, 64));
    CHECK(r.strict_pass);
    CHECK(r.tiles == 4);
    CHECK(r.elements == 4096);
    CHECK(r.entries == 1);
    CHECK(r.pcc == Approx(1));
    CHECK(r.max_error == 0);
    CHECK(r.share_within == 1);
    CHECK(r.first_failure.empty());
}

TEST_CASE("the correlation of a tile is the textbook one") {
    // golden 1 2 3 4, result 1 3 2 5: covariance sum 5.5, variances 5 and 8.75 -> 5.5 / sqrt(43.75)
    Tensor golden(1, 2, 2), actual(1, 2, 2);
    golden.data = {1, 2, 3, 4};
    actual.data = {1, 3, 2, 5};
    const auto r = compare(hw(0, 0.95), golden, actual, {2, 2});
    CHECK(r.pcc == Approx(5.5 / std::sqrt(43.75)).epsilon(1e-12));
    CHECK_FALSE(r.strict_pass);
    CHECK(r.first_failure == "entry 0, z 0, tile (0,0): pcc 0.83152 < 0.95");
    CHECK(compare(hw(0, 0.83), golden, actual, {2, 2}).strict_pass);
    CHECK(r.max_error == 1);
    CHECK(r.max_rel_error == Approx(1.0 / 3));
    CHECK(r.share_within == 0.25);
}

TEST_CASE("every tile is judged by itself") {
    Tensor golden = ramp(32, 64), actual = golden;
    for (std::int64_t r = 0; r < 32; ++r)
        for (std::int64_t c = 32; c < 64; ++c) actual.slice(0).at(r, c) = -golden.slice(0).at(r, c);
    const auto r = compare(hw(0, 0.5), golden, actual);
    CHECK(r.failed_tiles == 1);
    CHECK_THAT(r.first_failure, Catch::Contains("tile (0,1)") && Catch::Contains("pcc -1.0"));
}

TEST_CASE("the last row and column of a tile are judged like the others") {
    Tensor golden = ramp(), actual = golden;
    actual.slice(0).at(31, 31) = 5000;
    CHECK_FALSE(compare(hw(1, 0), golden, actual).strict_pass);
    CHECK(compare(hw(1023.0 / 1024, 0), golden, actual).strict_pass);
}

TEST_CASE("constant tiles are judged by their means, since they have no correlation") {
    const Tensor one(1, 32, 32, 1.0F);
    CHECK(compare(hw(0, 0.99), one, Tensor(1, 32, 32, 1.1F)).strict_pass);
    CHECK_FALSE(compare(hw(0, 0.99), one, Tensor(1, 32, 32, 1.2F)).strict_pass);
    CHECK(compare(hw(1, 0.99), Tensor(1, 32, 32), Tensor(1, 32, 32)).strict_pass);
    Tensor noisy = one;
    for (std::size_t i = 0; i < noisy.data.size(); i += 2) noisy.data[i] = 1.0000001F;
    CHECK(compare(hw(1, 0.99), one, noisy).strict_pass);
    CHECK(compare(hw(1, 0.99), noisy, one).strict_pass);
    // a side that truly varies must at least lie within tolerance everywhere
    Tensor wavy = one;
    for (std::size_t i = 0; i < wavy.data.size(); i += 2) wavy.data[i] = 1.05F;
    CHECK(compare(hw(0.5, 0.99), one, wavy).strict_pass);
    wavy.data[0] = 2;
    CHECK_FALSE(compare(hw(0.5, 0.99), one, wavy).strict_pass);
}

TEST_CASE("a check_pcc of zero leaves the correlation out, a check_pct of zero the values") {
    const Tensor golden = ramp();
    Tensor doubled = golden, reversed = golden;
    for (float& v : doubled.data) v = 2 * v + 7;
    std::reverse(reversed.data.begin(), reversed.data.end());
    CHECK(compare(hw(0, 0.999), golden, doubled).strict_pass);
    CHECK_FALSE(compare(hw(0.5, 0.999), golden, doubled).strict_pass);
    CHECK(compare(hw(0, 0), golden, reversed).strict_pass);
    CHECK(compare(rule(Comparison::Type::AllClose, 1e9, 0, 1, 0.999), golden, reversed).strict_pass);
}

TEST_CASE("a NaN that appears in the result fails the correlation of its tile") {
    Tensor golden = ramp(), actual = golden;
    actual.data[5] = nan_value;
    const auto r = compare(hw(0.9, 0.9), golden, actual);
    CHECK_FALSE(r.strict_pass);
    CHECK(std::isinf(r.max_error));
    golden.data[5] = nan_value;
    const auto left_out = compare(hw(1, 0.9), golden, actual);
    CHECK(left_out.strict_pass);
    CHECK(left_out.elements == 1023);
    CHECK(left_out.undefined == 1);
    actual.data[6] = -1000;  // what is compared has to agree by itself
    CHECK_FALSE(compare(hw(1023.0 / 1024, 0), golden, actual).strict_pass);
}

TEST_CASE("exact means equal values, and equal bits for raw formats") {
    const Comparison exact = rule(Comparison::Type::Exact, 0, 0, 1, 1);
    Tensor golden = ramp(), actual = golden;
    CHECK(compare(exact, golden, actual).strict_pass);
    actual.data[0] = -0.0F;
    CHECK(compare(exact, golden, actual).strict_pass);
    ComparedPart bits;
    bits.bits = true;
    const auto r = compare(exact, golden, actual, {}, bits);
    CHECK_FALSE(r.strict_pass);
    CHECK_THAT(r.first_failure, Catch::Contains("1 values differ"));
    CHECK(r.max_error == 2147483648.0);
    actual = golden;
    actual.data[9] = std::nextafter(actual.data[9], 0.0F);
    CHECK_FALSE(compare(exact, golden, actual).strict_pass);
    // bit patterns that are NaNs as floats
    golden = actual = Tensor(1, 32, 32, std::bit_cast<float>(0xffffffffU));
    CHECK(compare(exact, golden, actual, {}, bits).strict_pass);
}

TEST_CASE("only the part that a rule or an op defines is compared") {
    Tensor golden = ramp(64, 32), actual = golden;
    for (std::int64_t r = 0; r < 64; ++r)
        for (std::int64_t c = 1; c < 32; ++c) actual.slice(0).at(r, c) = -1000;
    ComparedPart column;
    column.col_end = 1;
    const auto r = compare(hw(1, 0.99), golden, actual, {}, column);
    CHECK(r.strict_pass);
    CHECK(r.elements == 64);
    CHECK(r.tiles == 2);
    Comparison ranged = hw(1, 0.99);
    ranged.cols_first = ranged.cols_last = 1;
    CHECK(compare(ranged, golden, actual).strict_pass);
    ranged.cols_last = 2;
    CHECK_FALSE(compare(ranged, golden, actual).strict_pass);
    ranged.flat = true;
    ranged.cols_last = 1;
    CHECK(compare(ranged, golden, actual).elements == 64);
    CHECK(compare(ranged, golden, actual).strict_pass);
}

TEST_CASE("flat queues are judged in runs of 1024 values") {
    Tensor golden = ramp(3, 1000), actual = golden;
    actual.data[2999] = -1e6F;
    Comparison flat = hw(1, 0.99);
    flat.flat = true;
    const auto r = compare(flat, golden, actual);
    CHECK(r.tiles == 3);
    CHECK(r.elements == 3000);
    CHECK(r.failed_tiles == 1);
    CHECK_THAT(r.first_failure, Catch::Contains("values 2048..2999"));
}

TEST_CASE("an output without a verdict never fails but is still measured") {
    ComparedPart part;
    part.judged = false;
    const auto r = compare(hw(1, 1), ramp(), Tensor(1, 32, 32), {}, part);
    CHECK(r.strict_pass);
    CHECK_FALSE(r.judged);
    CHECK(r.max_error == 1023);
}

TEST_CASE("entries add up") {
    QueueComparison comparison(hw(1, 0.99), {}, {});
    comparison.add(ramp(), ramp());
    Tensor wrong = ramp();
    wrong.data[0] = 1e6F;
    comparison.add(ramp(), wrong);
    const auto r = comparison.result();
    CHECK(r.entries == 2);
    CHECK(r.elements == 2048);
    CHECK(r.failed_tiles == 1);
    CHECK_THAT(r.first_failure, Catch::StartsWith("entry 1,"));
    CHECK(r.share_within == 2047.0 / 2048);
}

TEST_CASE("the float32 rule follows the scale of the tile") {
    const Comparison strict = float32_comparison();
    Tensor golden = ramp(), actual = golden;
    actual.data[1] += 0.04F;  // the RMS of 0..1023 is 590
    CHECK(compare(strict, golden, actual).strict_pass);
    actual.data[1] += 0.04F;
    CHECK_FALSE(compare(strict, golden, actual).strict_pass);
    for (float* v = golden.data.data(); v != golden.data.data() + 1024; ++v) *v *= 1e-6F;
    actual = golden;
    actual.data[1] += 1e-6F;
    CHECK_FALSE(compare(strict, golden, actual).strict_pass);
}

TEST_CASE("the float32 rule asks the correlation of all elements together") {
    // every value within 1e-4 of a mean that dwarfs the spread: the values pass, the correlation does not
    Tensor golden(1, 32, 32, 1000), actual = golden;
    for (std::size_t i = 0; i < 1024; ++i) {
        golden.data[i] += 0.02F * static_cast<float>(i % 2);
        actual.data[i] += 0.02F * static_cast<float>(i / 2 % 2);
    }
    const auto r = compare(float32_comparison(), golden, actual);
    CHECK(r.failed_tiles == 0);
    CHECK_FALSE(r.strict_pass);
    CHECK_THAT(r.first_failure, Catch::StartsWith("all entries: pcc"));
}

TEST_CASE("the sums of random tensors agree with the plain formulas") {
    std::mt19937 random(5);
    std::normal_distribution<float> normal(3, 2);
    Tensor a(2, 64, 96), b(2, 64, 96);
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0, worst = 0, n = 0, within = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        a.data[i] = normal(random);
        b.data[i] = a.data[i] + 0.1F * normal(random);
        const double x = a.data[i], y = b.data[i];
        sa += x, sb += y, saa += x * x, sbb += y * y, sab += x * y, n += 1;
        worst = std::max(worst, std::fabs(x - y));
        within += std::fabs(x - y) <= 0.01 + 0.1 * std::max(std::fabs(x), std::fabs(y)) ? 1 : 0;
    }
    const auto r = compare(hw(0, 0), a, b);
    CHECK(r.pcc == Approx((sab - sa * sb / n) / std::sqrt((saa - sa * sa / n) * (sbb - sb * sb / n))).epsilon(1e-9));
    CHECK(r.max_error == worst);
    CHECK(r.share_within == within / n);
}

TEST_CASE("without a comparison-config the loosest row over all ancestors holds") {
    Op multiply = op_of("matmul", "mm", {"in", "in"}), activate = op_of("gelu", "act", {"mm"}),
       sum = op_of("add", "sum", {"act", "act"});
    const Netlist n = chain({multiply, activate, sum});
    const ComparisonRule r = comparison_for(n, n.queues[1], false);
    CHECK(r.comparison.type == Comparison::Type::AllCloseHw);
    CHECK(r.comparison.atol == 0.01);
    CHECK(r.comparison.rtol == 0.30);       // gelu
    CHECK(r.comparison.check_pct == 0.40);  // matmul
    CHECK(r.comparison.check_pcc == 0.99);
    CHECK_FALSE(r.comparison.flat);
    CHECK_THAT(r.source, Catch::StartsWith("usual tolerance of"));
    const Netlist one = chain({op_of("add", "sum", {"in", "in"})});
    CHECK(comparison_for(one, one.queues[1], false).comparison.check_pct == 0.90);
    CHECK(comparison_for(one, one.queues[1], false).comparison.rtol == 0.15);
}

TEST_CASE("formats and fidelity choose the row") {
    const auto product = [](DataFormat out, Fidelity fidelity) {
        Op op = op_of("matmul", "mm", {"in", "in"});
        op.cfg.out_df = out;
        op.cfg.fidelity = fidelity;
        const Netlist n = chain({op});
        const Comparison c = comparison_for(n, n.queues[1], false).comparison;
        return std::vector<double>{c.rtol, c.check_pct, c.check_pcc};
    };
    CHECK(product(DataFormat::Float16_b, Fidelity::LoFi) == std::vector<double>{0.15, 0, 0.90});
    CHECK(product(DataFormat::Float16_b, Fidelity::HiFi4) == std::vector<double>{0.15, 0.40, 0.99});
    CHECK(product(DataFormat::Bfp8_b, Fidelity::HiFi4) == std::vector<double>{0.30, 0.40, 0.90});
    CHECK(product(DataFormat::Bfp4_b, Fidelity::HiFi4) == std::vector<double>{0.30, 0, 0.90});
    CHECK(product(DataFormat::Bfp2_b, Fidelity::HiFi4) == std::vector<double>{0.30, 0, 0.65});
    CHECK(product(DataFormat::Int8, Fidelity::HiFi4) == std::vector<double>{0.15, 0.40, 0.99});
}

TEST_CASE("more than ten ops are judged no stricter than a whole encoder") {
    std::vector<Op> ops{op_of("add", "op0", {"in", "in"})};
    for (int i = 1; i < 10; ++i) ops.push_back(op_of("add", "op" + std::to_string(i), {ops.back().name(), "in"}));
    const Netlist ten = chain(ops);
    CHECK(comparison_for(ten, ten.queues[1], false).comparison.check_pcc == 0.99);
    ops.push_back(op_of("add", "op10", {"op9", "in"}));
    const Netlist eleven = chain(ops);
    const Comparison c = comparison_for(eleven, eleven.queues[1], false).comparison;
    CHECK((c.rtol == 0.15 && c.check_pct == 0.50 && c.check_pcc == 0.92));
}

TEST_CASE("the file's own rule holds, its overrides by name and then by pattern") {
    Netlist n = chain({op_of("add", "sum", {"in", "in"})});
    n.test.comparison = hw(0.7, 0.7);
    CHECK(comparison_for(n, n.queues[1], false).comparison.check_pct == 0.7);
    n.test.comparison_overrides = {{"o.*", hw(0.6, 0.6)}, {"out", hw(0.5, 0.5)}, {"(", hw(0, 0)}};
    CHECK(comparison_for(n, n.queues[1], false).comparison.check_pct == 0.5);
    n.test.comparison_overrides.erase(n.test.comparison_overrides.begin() + 1);
    CHECK(comparison_for(n, n.queues[1], false).comparison.check_pct == 0.6);
    CHECK(comparison_for(n, n.queues[1], false).source == "comparison-config override 'o.*'");
    n.test.comparison->flat = true;
    n.test.comparison_overrides.clear();
    CHECK_FALSE(comparison_for(n, n.queues[1], false).comparison.flat);
    n.graphs[0].ops[0].cfg.untilize = true;
    CHECK(comparison_for(n, n.queues[1], false).comparison.flat);
}

TEST_CASE("strict asks a correlation that the formats on the way allow") {
    const auto strict = [](DataFormat f, Fidelity fidelity) {
        Op op = op_of("matmul", "mm", {"in", "in"});
        op.cfg.out_df = f;
        op.cfg.fidelity = fidelity;
        const Netlist n = chain({op});
        return comparison_for(n, n.queues[1], true).strict_pcc;
    };
    CHECK(strict(DataFormat::Float32, Fidelity::HiFi4) == 0.999);
    CHECK(strict(DataFormat::Float16_b, Fidelity::HiFi3) == 0.99);
    CHECK(strict(DataFormat::Bfp8, Fidelity::HiFi3) == 0.99);
    CHECK(strict(DataFormat::Bfp8, Fidelity::HiFi2) == 0);
    CHECK(strict(DataFormat::Bfp4, Fidelity::HiFi4) == 0);
    const Netlist n = chain({op_of("add", "sum", {"in", "in"})});
    CHECK(comparison_for(n, n.queues[1], false).strict_pcc == 0);
}

TEST_CASE("of reduces and vector modes only the meaningful part is judged, also behind copies") {
    Op reduce = op_of("reduce", "red", {"in"});
    reduce.cfg.attr.reduce_dim = ReduceDim::C;
    Netlist n = chain({reduce, op_of("nop", "copy", {"red"})});
    CHECK(compared_part(n, n.queues[1]).col_end == 1);
    CHECK(compared_part(n, n.queues[1]).row_end > 32);
    CHECK(compared_part(n, n.queues[1]).why == "reduce c keeps column 0");
    n.graphs[0].ops[1].tms[0].tms.push_back({});
    CHECK(compared_part(n, n.queues[1]).col_end > 32);
    n = chain({reduce, op_of("sqrt", "root", {"red"})});
    CHECK(compared_part(n, n.queues[1]).col_end > 32);
    Op exp = op_of("exp", "e", {"in"});
    exp.cfg.attr.vector = VectorMode::R;
    n = chain({exp});
    CHECK(compared_part(n, n.queues[1]).row_end == 4);
    n.graphs[0].ops[0].cfg.tile = {16, 32};
    CHECK(compared_part(n, n.queues[1]).row_end > 32);
}

TEST_CASE("raw outputs are compared as bit patterns") {
    Netlist n = chain({op_of("nop", "copy", {"in"})});
    n.queues[1].df = DataFormat::RawUInt32;
    CHECK(compared_part(n, n.queues[1]).bits);
    CHECK(comparison_for(n, n.queues[1], false).comparison.type == Comparison::Type::Exact);
}

TEST_CASE("large means pass as the vendor compares, and the strict figure stays") {
    // 100 + noise of one part in a thousand, rounded off: no correlation is left of the noise
    Tensor golden(1, 32, 32), actual(1, 32, 32, 100.0F);
    for (std::size_t i = 0; i < golden.data.size(); ++i)
        golden.data[i] = 100.0F + 0.01F * static_cast<float>(i * 7 % 13) - 0.06F;
    for (std::size_t i = 0; i < actual.data.size(); ++i) actual.data[i] += i % 5 == 0 ? 0.05F : 0.0F;
    const auto r = compare(hw(0.9, 0.99), golden, actual);
    CHECK(r.pass);
    CHECK_FALSE(r.strict_pass);
    CHECK(r.pcc < 0.5);
    CHECK(r.vendor_tiles == 1);
    CHECK(r.vendor_failed_tiles == 0);
    CHECK(r.vendor_pcc > 0.9999);
    CHECK_FALSE(r.first_failure.empty());
}

TEST_CASE("the vendor's form leaves out the last row and column and divides by 1024 all the same") {
    // golden is 1 in row 0 and 0 elsewhere; the result also in row 1: of 31 x 31 elements, sums over 1024
    Tensor golden(1, 32, 32), actual(1, 32, 32);
    for (std::size_t c = 0; c < 32; ++c) {
        golden.data[c] = 1;
        actual.data[c] = actual.data[32 + c] = 1;
    }
    // n 1024, a 31, b 62, aa 31, bb 62, ab 31
    const double pcc = (31 - 31.0 * 62 / 1024) / std::sqrt((31 - 31.0 * 31 / 1024) * (62 - 62.0 * 62 / 1024));
    const auto r = compare(hw(0, 0.5), golden, actual);
    CHECK(r.vendor_pcc == Approx(pcc));
    // 31 of 1024 disagree there, 32 of 1024 in all
    const double share = 1 - 31.5 / 1024;
    CHECK(compare(hw(share, 0), golden, actual).pass);
    CHECK_FALSE(compare(hw(share, 0), golden, actual).strict_pass);
    CHECK_FALSE(compare(hw(1 - 30.5 / 1024, 0), golden, actual).pass);

    Tensor last_row = golden;
    for (std::size_t c = 0; c < 32; ++c) last_row.data[31 * 32 + c] = 5;
    for (std::size_t r31 = 0; r31 < 32; ++r31) last_row.data[r31 * 32 + 31] = -5;
    CHECK(compare(hw(1, 0.9999), golden, last_row).pass);
    CHECK_FALSE(compare(hw(1, 0.9999), golden, last_row).strict_pass);
}

TEST_CASE("the vendor's comparison accepts nothing without compared values or with other settings") {
    const Tensor golden = ramp();
    Tensor wrong = golden;
    wrong.data[31 * 32] = -1e6F;
    Comparison one_row = hw(1, 0.99);
    one_row.rows_first = one_row.rows_last = 32;  // its loops would end before they begin
    CHECK_FALSE(compare(one_row, golden, wrong).pass);
    CHECK(compare(one_row, golden, wrong).vendor_tiles == 0);
    Comparison flat = hw(1, 0.99);
    flat.flat = true;
    CHECK_FALSE(compare(flat, golden, wrong).pass);
    CHECK_FALSE(compare(rule(Comparison::Type::Exact, 0, 0, 1, 0), golden, wrong).pass);
    CHECK_FALSE(compare(hw(1, 0.99), golden, wrong, {16, 32}).pass);
    CHECK_FALSE(compare(float32_comparison(), golden, wrong).pass);
    CHECK(compare(hw(1, 0.99), golden, wrong).pass);
}

TEST_CASE("comparisons joined are the comparison of all entries") {
    Tensor bad = ramp();
    bad.data[100] = 1e6F;
    QueueComparison all(hw(1, 0.99), {}, {}), first(hw(1, 0.99), {}, {}), second(hw(1, 0.99), {}, {});
    all.add(ramp(), ramp());
    all.add(ramp(), bad);
    all.add(bad, ramp());
    first.add(ramp(), ramp());
    second.add(ramp(), bad);
    second.add(bad, ramp());
    first.join(second);
    const auto a = all.result(), b = first.result();
    CHECK(a.entries == b.entries);
    CHECK(a.elements == b.elements);
    CHECK(a.failed_tiles == b.failed_tiles);
    CHECK(a.first_failure == b.first_failure);
    CHECK(a.first_failure.starts_with("entry 1, z 0, tile (0,0): "));
    CHECK(a.pcc == Approx(b.pcc));
    CHECK(a.vendor_pcc == Approx(b.vendor_pcc));
    CHECK(a.max_error == b.max_error);
    CHECK(a.share_within == b.share_within);
    CHECK(a.pass == b.pass);
}

TEST_CASE("outputs that io-config lists are judged, the others have statistics only") {
    Netlist n = chain({op_of("nop", "a", {"in"}), op_of("nop", "b", {"between"})});
    n.queues.push_back(queue_of("between", "a"));
    n.queues.push_back(queue_of("side", "a"));
    CHECK(compared_part(n, n.queues[3]).judged);
    n.test.io_outputs = {"out", "typo"};
    CHECK(compared_part(n, n.queues[1]).judged);
    CHECK_FALSE(compared_part(n, n.queues[3]).judged);
    CHECK(compared_part(n, n.queues[3]).why == "io-config lists other outputs");
    CHECK(unknown_outputs(n) == std::vector<std::string>{"typo"});
    CHECK(reported_outputs(n).size() == 2);
    n.test.io_outputs = {"between"};  // one that a graph reads
    CHECK(reported_outputs(n).size() == 3);
    n.test.io_outputs = {"typo"};  // nothing of it is there: as without
    CHECK(compared_part(n, n.queues[3]).judged);
    n.queues[1].name = "out.0";  // a copy of 'out' on chip 0
    n.test.io_outputs = {"out"};
    CHECK(compared_part(n, n.queues[1]).judged);
    CHECK_FALSE(compared_part(n, n.queues[3]).judged);
}

TEST_CASE("judged outputs are the op-fed queues that no graph reads") {
    Netlist n = chain({op_of("nop", "a", {"in"}), op_of("nop", "b", {"between"}), op_of("nop", "c", {"view"})});
    n.queues.push_back(queue_of("between", "a"));
    n.queues.push_back(queue_of("second", "b"));
    n.queues.push_back(queue_of("memory", "b"));
    n.queues.push_back(queue_of("view", "HOST"));
    n.queues.back().alias = "memory";
    std::vector<std::string> names;
    for (const Queue* q : reported_outputs(n)) names.push_back(q->name);
    CHECK(names == std::vector<std::string>{"out", "second"});
}

TEST_CASE("an entry compared part by part, its result unpacked a few slices at a time, is judged as a whole one") {
    std::mt19937 random(3);
    // 3 MiB of floats, with elements that differ, in tiles and in runs of values; slices of 24 x 32 hold no whole runs
    for (const auto& [rows, cols, tile] : {std::tuple{256, 512, TileDim{}}, std::tuple{24, 32, TileDim{8, 32}}}) {
        Tensor golden(12, rows, cols);
        for (float& v : golden.data) v = static_cast<float>(random() % 1000) / 100;
        Tensor actual = golden;
        for (std::size_t i = 0; i < actual.data.size(); i += 1 + random() % 97) actual.data[i] *= 1.2F;
        for (const bool flat : {false, true}) {
            CAPTURE(rows, flat);
            Comparison r = hw(0.9, 0.999);
            r.flat = flat;
            QueueComparison whole(r, tile, {}), parts(r, tile, {});
            std::int64_t most = 0;
            const auto unpack = [&, rows = rows, cols = cols](std::int64_t first, std::int64_t count) {
                Tensor values(count, rows, cols);
                std::copy_n(actual.slice(first).data, values.size(), values.data.begin());
                most = std::max(most, values.size());
                return values;
            };
            const std::int64_t step = rows == 24 ? 12 : 5;
            for (int entry = 0; entry < 2; ++entry) {
                whole.add(golden, actual);
                for (std::int64_t z = 0; z < golden.z; z += step) {
                    Tensor part(std::min(step, golden.z - z), rows, cols);
                    std::copy_n(golden.slice(z).data, part.size(), part.data.begin());
                    parts.add_part(part, z, golden.z, unpack);
                }
            }
            CHECK(most <= std::max<std::int64_t>(1 << 20, flat && rows == 24 ? actual.size() : 0));
            const QueueComparison::Result a = whole.result(), b = parts.result();
            CHECK(b.entries == 2);
            CHECK(a.entries == b.entries);
            CHECK(a.tiles == b.tiles);
            CHECK(a.failed_tiles == b.failed_tiles);
            CHECK(a.failed_tiles > 0);
            CHECK(a.first_failure == b.first_failure);
            CHECK(a.pcc == b.pcc);
            CHECK(a.max_error == b.max_error);
            CHECK(a.max_rel_error == b.max_rel_error);
            CHECK(a.share_within == b.share_within);
            CHECK(a.vendor_pcc == b.vendor_pcc);
        }
    }
}

TEST_CASE("comparing takes about a nanosecond an element", "[.][benchmark]") {
    const Tensor a = ramp(1024, 1024), b = a;
    const auto start = std::chrono::steady_clock::now();
    QueueComparison comparison(hw(1, 0.99), {}, {});
    for (int i = 0; i < 20; ++i) comparison.add(a, b);
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::cout << "compare " << time * 1e9 / (20.0 * 1024 * 1024) << " ns/element\n";
    CHECK(comparison.result().strict_pass);
}
