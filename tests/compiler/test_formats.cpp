// What formats lose and cost: phases of the multipliers, digits that are pushed, the cheapest ways together.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/backend/redundant_fidelity_phases.hpp"
#include "compiler/formats/format_costs.hpp"
#include "compiler/host/host_rounding.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

OpConfig product(DataFormat in0, DataFormat in1, Fidelity fidelity, const std::string& type = "matmul") {
    OpConfig op;
    op.type = type;
    op.in_df = {in0, in1};
    op.fidelity = fidelity;
    return op;
}

}  // namespace

TEST_CASE("phases that would multiply zeros are left out") {
    constexpr auto b16 = DataFormat::Float16_b, b8 = DataFormat::Bfp8_b, b4 = DataFormat::Bfp4_b;
    const auto least = [](DataFormat a, DataFormat b, Fidelity f, const char* type = "matmul") {
        return without_redundant_fidelity_phases(product(a, b, f, type));
    };
    CHECK(least(b16, b16, Fidelity::HiFi4) == Fidelity::HiFi4);
    CHECK(least(b16, b16, Fidelity::HiFi3) == Fidelity::HiFi3);
    CHECK(least(b8, b16, Fidelity::HiFi4) == Fidelity::HiFi2);
    CHECK(least(b8, b8, Fidelity::HiFi3) == Fidelity::HiFi2);
    CHECK(least(b8, b8, Fidelity::LoFi) == Fidelity::LoFi);
    CHECK(least(b16, b4, Fidelity::HiFi4) == Fidelity::HiFi2_B);
    CHECK(least(b16, b4, Fidelity::HiFi2) == Fidelity::LoFi);
    CHECK(least(b8, b4, Fidelity::HiFi4) == Fidelity::LoFi);
    // elementwise the first operand has the port of fewer digits
    CHECK(least(b4, b16, Fidelity::HiFi4, "multiply") == Fidelity::HiFi2_B);
    CHECK(least(b16, b8, Fidelity::HiFi4, "multiply") == Fidelity::HiFi2);
    CHECK(least(DataFormat::Int8, DataFormat::Int8, Fidelity::HiFi4) == Fidelity::HiFi4);
    CHECK(least(b8, b8, Fidelity::HiFi4, "add") == Fidelity::HiFi4);
    // two phases would cut a digit off the second operand
    CHECK(with_second_operand(product(b16, b16, Fidelity::HiFi2, "multiply")) == Fidelity::HiFi3);
    CHECK(with_second_operand(product(b16, b16, Fidelity::HiFi2)) == Fidelity::HiFi2);
}

TEST_CASE("constants are rounded to the digits that are multiplied") {
    std::vector<float> values{1.03125F, 1.09F, -1.09F, 0.0F};
    round_for_push(DataFormat::Float16_b, values, {5, 1});  // steps of 1/16: a tie goes to the even neighbour
    CHECK(values == std::vector<float>{1.0F, 1.0625F, -1.0625F, 0.0F});
    std::vector<float> blocks{1.09F};
    round_for_push(DataFormat::Bfp8_b, blocks, {5, 1});
    CHECK(blocks == std::vector<float>{1.0625F});
    CHECK(visible_digits(product(DataFormat::Bfp8_b, DataFormat::Bfp8_b, Fidelity::LoFi), 1) == 5);
    CHECK(visible_digits(product(DataFormat::Bfp8_b, DataFormat::Bfp8_b, Fidelity::LoFi), 0) == 7);
    CHECK(visible_digits(product(DataFormat::Bfp8_b, DataFormat::Bfp8_b, Fidelity::HiFi2), 1) == 7);
    CHECK(visible_digits(product(DataFormat::Bfp8_b, DataFormat::Bfp8_b, Fidelity::LoFi), 2) == 0);

    // what is cut off the other operand is made up for, except where integers are to stay exact
    const double cut = truncated_share(product(DataFormat::Float16_b, DataFormat::Bfp8_b, Fidelity::HiFi2), 0);
    CHECK(cut == Approx(2.0 / 3 / 256));
    CHECK(truncated_share(product(DataFormat::Bfp8_b, DataFormat::Bfp8_b, Fidelity::LoFi), 0) == 0);
    CHECK(truncated_share(product(DataFormat::Float16_b, DataFormat::Bfp8_b, Fidelity::HiFi3), 0) == 0);
    std::vector<float> some{0.5F, 1.5F}, whole{3.0F, 250.0F};
    round_for_push(DataFormat::Float32, some, {0, 1.25});
    round_for_push(DataFormat::Float32, whole, {0, 1.25});
    CHECK(some == std::vector<float>{0.625F, 1.875F});
    CHECK(whole == std::vector<float>{3.0F, 250.0F});
    // and where a format has no digits for it: one digit of 1/64 would become half, seven of 0.5 127/256
    for (const DataFormat format : {DataFormat::Bfp2_b, DataFormat::Bfp8_b, DataFormat::Float16_b}) {
        std::vector<float> means{1.0F / 64, 0.0F}, odd{1.0F / 64, 0.3F};
        round_for_push(format, means, {0, 1 / 1.002});
        round_for_push(format, odd, {0, 1 / 1.002});
        CHECK(means == std::vector<float>{1.0F / 64, 0.0F});
        if (format != DataFormat::Float16_b) CHECK(odd[1] == Approx(0.3 / 1.002));
    }

    Netlist netlist;
    netlist.graphs.resize(1);
    for (const Fidelity fidelity : {Fidelity::LoFi, Fidelity::HiFi3}) {
        Op op;
        op.cfg = product(DataFormat::Float16_b, DataFormat::Float16_b, fidelity);
        op.inputs = {"x", fidelity == Fidelity::LoFi ? "w" : "v"};
        netlist.graphs[0].ops.push_back(op);
    }
    Op both = netlist.graphs[0].ops[1];
    both.inputs = {"x", "w"};
    CHECK(multipliers_by_queue(netlist).at("w") == Multipliers{5, 1 / (1 - cut)});
    netlist.graphs[0].ops.push_back(both);  // the other reader sees more of both operands
    CHECK(multipliers_by_queue(netlist).at("w") == Multipliers{8, 1});
    both.cfg.type = "add";
    netlist.graphs[0].ops.push_back(both);  // all
    CHECK(multipliers_by_queue(netlist).at("w") == Multipliers{0, 1});
    CHECK(multipliers_by_queue(netlist).at("v") == Multipliers{8, 1});
}

TEST_CASE("constants rounded in pieces are those rounded at once") {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    for (const DataFormat df :
         {DataFormat::Float16_b, DataFormat::Float16, DataFormat::Float32, DataFormat::Bfp8_b, DataFormat::RawUInt32})
        for (const Multipliers& by : {Multipliers{}, Multipliers{5, 1}, Multipliers{0, 1.002}, Multipliers{7, 1.25, 8}})
            for (const float first : {0.3F, 2.0F, infinite}) {
                std::vector<float> whole(333, first), pieces;
                for (std::size_t i = 1; i < whole.size(); ++i)
                    whole[i] = i % 50 == 0  ? -infinite
                               : first == 2 ? static_cast<float>(i)
                                            : std::sin(whole[i - 1] + 1) / 3;
                const PushRounding rounding(df, whole, by);
                for (std::size_t at = 0; at < whole.size(); at += 100) {
                    std::vector<float> piece(
                        whole.begin() + static_cast<std::ptrdiff_t>(at),
                        whole.begin() + static_cast<std::ptrdiff_t>(std::min(at + 100, whole.size())));
                    rounding.apply(piece);
                    pieces.insert(pieces.end(), piece.begin(), piece.end());
                }
                round_for_push(df, whole, by);
                CHECK(std::equal(whole.begin(), whole.end(), pieces.begin(), pieces.end(), [](float a, float b) {
                    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
                }));
                CHECK((df == DataFormat::RawUInt32 ||
                       std::none_of(whole.begin(), whole.end(), [](float v) { return std::isinf(v); })));
            }
}

TEST_CASE("Float32 constants among 16-bit numbers are rounded to the precision of the registers") {
    std::vector<float> values{1 + 0x1p-11F, 1 + 3 * 0x1p-11F, 1 + 0x1p-10F};
    round_for_push(DataFormat::Float32, values, {.kept = 11});
    CHECK(values == std::vector<float>{1, 1 + 0x1p-9F, 1 + 0x1p-10F});

    Netlist netlist;
    netlist.graphs.resize(1);
    Op op;
    op.cfg = product(DataFormat::Float16_b, DataFormat::Float16_b, Fidelity::HiFi4);
    op.cfg.in_df.push_back(DataFormat::Float32);
    op.cfg.acc_df = DataFormat::Float32;
    op.inputs = {"x", "w", "bias"};
    netlist.graphs[0].ops.push_back(op);
    op.cfg.acc_df = DataFormat::Float16_b;
    op.inputs = {"x", "w", "cut"};
    netlist.graphs[0].ops.push_back(op);
    op.cfg.in_df = {DataFormat::Float32, DataFormat::Float32, DataFormat::Float32};  // also run without rounding
    op.inputs = {"x", "v", "all"};
    netlist.graphs[0].ops.push_back(op);
    op.cfg.type = "quantization";
    op.cfg.acc_df = DataFormat::Int32;
    op.cfg.in_df = {DataFormat::Float32, DataFormat::Float32};
    op.inputs = {"x", "scale"};
    netlist.graphs[0].ops.push_back(op);
    const auto all = multipliers_by_queue(netlist);
    CHECK(all.at("bias").kept == 11);
    CHECK(all.at("cut").kept == 8);
    CHECK(all.at("all").kept == 0);
    CHECK(all.at("scale").kept == 11);
    CHECK(all.at("scale").gain == Approx(1 / (1 - truncated_share(24, 11))));
}

TEST_CASE("the cheapest ways together lose no more than is allowed") {
    std::vector<FormatUnit> units(2);
    units[0].op = "a";
    units[1].op = "b";
    units[1].narrow = units[1].wide;  // always in 16 bits
    CostTable table(2);
    //              most accurate ... fastest; of a, of b
    const std::array<std::array<SettingCost, 2>, levels.size()> costs{{{{{40, 1}, {40, 1}}},
                                                                       {{{30, 2}, {30, 1}}},
                                                                       {{{20, 4}, {20, 2}}},
                                                                       {{{18, 10}, {20, 2}}},
                                                                       {{{9, 50}, {10, 3}}},
                                                                       {{{8, 900}, {9, 40}}}}};
    for (std::size_t level = 0; level < levels.size(); ++level) table.add(level, {costs[level][0], costs[level][1]});
    const std::vector<double> even{1, 1};
    CHECK(cheapest(units, table, even, 1e9) == std::vector<OpSetting>{{true, 4}, {false, 4}});
    const auto some = cheapest(units, table, even, 14);
    CHECK(noise_of(table, even, some) <= 14);
    CHECK(some[1] == OpSetting{false, 3});  // b gains most for what it loses
    // between levels: the fast product with its result in 16 bits
    CHECK(table.of(0, {false, 3})->noise == Approx(50 - (10 - 4)));
    CHECK(table.of(0, {false, 3})->cycles == Approx(9 + (20 - 18)));
    // nothing is allowed: what loses least
    CHECK(cheapest(units, table, even, 0)[0] == OpSetting{false, 0});
    // b's losses weigh more than a's
    CHECK(cheapest(units, table, {1, 1000}, 1100)[1] == OpSetting{false, 1});
    CHECK_FALSE(CostTable(1).of(0, {false, 0}));
}

TEST_CASE("the rounding error of a constant") {
    Literal literal(DType::F32, {1, 32, 32});
    for (std::int64_t i = 0; i < literal.size(); ++i) literal.set(i, static_cast<double>(i % 31) / 31.0);
    const double lofi = rounding_noise(literal, DataFormat::Bfp8_b, Fidelity::LoFi, 1);
    const double hifi = rounding_noise(literal, DataFormat::Bfp8_b, Fidelity::HiFi2, 1);
    const double bfp4 = rounding_noise(literal, DataFormat::Bfp4_b, Fidelity::LoFi, 1);
    CHECK(hifi < lofi);
    CHECK(lofi < bfp4);
    CHECK(hifi > 0);
    CHECK(bfp4 < 0.1);
}
