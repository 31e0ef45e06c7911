#include <catch2/catch.hpp>

#include <set>

#include "kernels/ops/golden_result.hpp"
#include "tests/kernels/run_op.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

TEST_CASE("every op has a name of its own, a summary, operands and functions") {
    std::set<std::string_view> names;
    for (const OpDef* op : all_ops()) {
        CAPTURE(std::string(op->name));
        CHECK(names.insert(op->name).second);
        CHECK(find_op(op->name) == op);
        CHECK_FALSE(op->summary.empty());
        CHECK(op->min_inputs >= 1);
        CHECK(op->max_inputs >= op->min_inputs);
        CHECK(op->check != nullptr);
        CHECK(op->golden != nullptr);
        CHECK(op->use != nullptr);
        CHECK(op->block != nullptr);
    }
    CHECK(names.size() >= 33);
    CHECK(find_op("drainer") == nullptr);
}

static void check_attributes(std::span<const AttrDef> attributes, std::set<std::string_view>& names) {
    for (const AttrDef& a : attributes) {
        CAPTURE(std::string(a.name));
        CHECK(names.insert(a.name).second);
        CHECK_FALSE(a.meaning.empty());
        CHECK(a.low <= a.high);
        CHECK((a.kind == AttrKind::Word || a.words.empty()));
        if (!a.words.empty()) CHECK(a.words.find(a.default_text) != std::string_view::npos);
    }
}

TEST_CASE("attributes are named once per op, explained, and not both common and special") {
    for (const OpDef* op : all_ops()) {
        CAPTURE(std::string(op->name));
        std::set<std::string_view> names;
        check_attributes(common_attributes(), names);
        check_attributes(op->attributes, names);
        const bool has_vector = names.contains("vector");
        if (op->sfpu) CHECK(has_vector);
    }
}

/// Something else than the default.
static AttrValue sample(const AttrDef& attr) {
    switch (attr.kind) {
        case AttrKind::Bool:
            return true;
        case AttrKind::Integer:
            return attr.low > 0 ? attr.high : std::int64_t{1} + (attr.default_text == "1" ? 1 : 0);
        case AttrKind::Number:
            return 0.5;
        case AttrKind::Word:
            for (const std::string& word : attribute_words(attr))
                if (word != attr.default_text) return word;
            return std::string("any");
        case AttrKind::List:
            return std::vector<std::int64_t>(attr.entries != 0 ? attr.entries : 2, 3);
        case AttrKind::Map:
            break;
    }
    return std::map<int, std::int64_t>{{1, 4}};
}

TEST_CASE("every attribute holds the value set, and starts with the default of its record") {
    const auto check_all = [](std::span<const AttrDef> attributes) {
        for (const AttrDef& attr : attributes) {
            CAPTURE(std::string(attr.name));
            OpAttributes held;
            CHECK(is_default(held, attr));
            if (attr.kind == AttrKind::Bool)
                CHECK((attr.default_text == "true") == (attribute_number(held, attr) != 0));
            if ((attr.kind == AttrKind::Integer && attr.default_text != "none") || attr.kind == AttrKind::Number)
                CHECK(std::stod(std::string(attr.default_text)) == attribute_number(held, attr));
            const AttrValue value = sample(attr);
            set_attribute(held, attr, value);
            CHECK_FALSE(held == OpAttributes{});
            const bool old_spelling = attr.name == "srnd_fpu_en" || attr.name == "single_tile";
            CHECK(is_default(held, attr) == old_spelling);
            if (!old_spelling) CHECK(attribute(held, attr) == value);
        }
    };
    check_all(common_attributes());
    for (const OpDef* op : all_ops()) {
        CAPTURE(std::string(op->name));
        check_all(op->attributes);
    }
}

TEST_CASE("an attribute without a field is kept by name, and not at all while it is the default") {
    constexpr AttrDef tilt{.name = "tilt", .kind = AttrKind::Number, .default_text = "0.25", .meaning = "a test's"};
    OpAttributes held;
    CHECK(attribute_number(held, tilt) == 0.25);
    set_attribute(held, tilt, 2.0);
    CHECK(attribute_number(held, tilt) == 2.0);
    CHECK_FALSE(held == OpAttributes{});
    set_attribute(held, tilt, 0.25);
    CHECK(held == OpAttributes{});
}

TEST_CASE("an attribute must lie in the range of its record") {
    OpConfig op = eltwise_config("dropout");
    op.attr.p = std::numeric_limits<double>::quiet_NaN();
    CHECK_THAT(complaints(op), Catch::Contains("p of 'op0' is nan; it must lie in 0..1"));
    op.attr.p = 1;
    CHECK(complaints(op) == "");
    op = eltwise_config("quantization");
    op.attr.zero_point = 3e9;
    CHECK_THAT(complaints(op), Catch::Contains("zero_point of 'op0' is 3000000000; it must lie in "));
}

TEST_CASE("element-wise ops use rectangles that tile their operands exactly") {
    for (const OpDef* op : all_ops()) {
        if (op->op_class == OpClass::Matmul || op->op_class == OpClass::Depthwise || op->op_class == OpClass::Reduce ||
            op->op_class == OpClass::Fused || op->name == "splice" || op->name == "embedding" || op->name == "topk")
            continue;
        CAPTURE(std::string(op->name));
        for (const Blocking& b : blockings()) {
            const OpConfig cfg = eltwise_config(std::string(op->name), b);
            std::int64_t covered = 0;
            for (std::int64_t i = 0; i < b.grid_r; ++i) {
                for (std::int64_t j = 0; j < b.grid_c; ++j) {
                    const OperandUse use = op->use(cfg, 0, i, j);
                    REQUIRE(use.rects.size() == 1);
                    const TileRect r = use.rects[0];
                    CHECK(r.r0 >= 0);
                    CHECK(r.c0 >= 0);
                    CHECK(r.r0 + r.nr <= b.shape().rt);
                    CHECK(r.c0 + r.nc <= b.shape().ct);
                    covered += r.nr * r.nc;
                    CHECK(use.chunk_rt * use.chunk_ct == use.clear_tiles);
                }
            }
            CHECK(covered == b.shape().rt * b.shape().ct);
        }
    }
}

TEST_CASE("a correct op raises no complaint on the chips that can run it") {
    for (const OpDef* op : all_ops()) {
        if (op->op_class != OpClass::Sfpu && op->op_class != OpClass::Binary && op->name != "nop") continue;
        const OpConfig cfg = eltwise_config(std::string(op->name), blockings()[1]);
        CHECK(complaints(cfg) == "");
        CHECK(complaints(cfg, grayskull_features()) == "");
    }
}

TEST_CASE("a ublock that does not fit into Dst is refused with the limit") {
    OpConfig op = eltwise_config("nop", {.ublock_rt = 4, .ublock_ct = 3});
    CHECK_THAT(complaints(op),
               Catch::Contains("the 4x3 ublock of 'op0' has 12 tiles and does not fit into Dst; with acc_df "
                               "Float16_b at most 8 tiles fit"));
    op = eltwise_config("nop", {.ublock_rt = 2, .ublock_ct = 4});
    CHECK(complaints(op) == "");
    op.acc_df = DataFormat::Float32;
    CHECK_THAT(complaints(op), Catch::Contains("with acc_df Float32 at most 4 tiles fit"));
    ChipFeatures first_wormhole = wormhole_features();
    first_wormhole.dest_tiles_16b = 32;
    first_wormhole.dest_tiles_32b = 16;
    CHECK(complaints(op, first_wormhole) == "");
}

TEST_CASE("features a chip lacks are refused") {
    OpConfig op = eltwise_config("exp");
    op.acc_df = DataFormat::Float32;
    CHECK(complaints(op) == "");
    CHECK_THAT(complaints(op, grayskull_features()),
               Catch::Contains("acc_df of 'op0' is Float32; this chip's Dst has 16-bit"));

    op = eltwise_config("exp", {}, {16, 32});
    CHECK(complaints(op) == "");
    CHECK_THAT(complaints(op, grayskull_features()),
               Catch::Contains("tile_dim of 'op0' is 16x32; on this chip it must be 32x32"));
    op.tile = {5, 32};
    CHECK_THAT(complaints(op), Catch::Contains("tile_dim of 'op0' is 5x32; legal are"));

    op = eltwise_config("add");
    op.attr.stoch_rnd_mode = "fpu";
    CHECK(complaints(op) == "");
    CHECK_THAT(complaints(op, grayskull_features()),
               Catch::Contains("asks for stochastic rounding, which this chip does not have"));
    op.acc_df = DataFormat::Float32;
    CHECK_THAT(complaints(op),
               Catch::Contains("stoch_rnd_mode fpu of 'op0' cannot be used with acc_df Float32; pack can"));
    op.acc_df = DataFormat::Float16;
    op.attr.stoch_rnd_mode = "all";
    op.out_df = DataFormat::Bfp8;
    CHECK_THAT(complaints(op), Catch::Contains("stoch_rnd_mode all of 'op0' cannot be used with out_df Bfp8; fpu can"));
    op.attr.stoch_rnd_mode = "some";
    CHECK_THAT(complaints(op), Catch::Contains("stoch_rnd_mode of 'op0' is 'some'; it must be none, fpu, pack or all"));

    op = eltwise_config("exp");
    op.attr.sfpu_on_pack = true;
    CHECK(complaints(op) == "");
    CHECK_THAT(complaints(op, grayskull_features()),
               Catch::Contains("sfpu_execution_thread of 'op0' is pack; on this chip it must be math"));

    op = eltwise_config("add");
    op.attr.l1_acc = true;
    CHECK(complaints(op) == "");
    CHECK_THAT(complaints(op, grayskull_features()),
               Catch::Contains("'op0' has l1_acc, which this chip's packer does not have"));
    op.intermed_df = DataFormat::Bfp8_b;
    CHECK_THAT(complaints(op),
               Catch::Contains("intermed_df of 'op0' is Bfp8_b; with l1_acc it must be Float32, Float16_b or Int32"));
}

TEST_CASE("gradient ops obey the rules of accumulation") {
    OpConfig op = eltwise_config("add");
    op.gradient = true;
    CHECK(complaints(op) == "");
    CHECK_THAT(complaints(op, grayskull_features()),
               Catch::Contains("which add cannot be on this chip; matmul, multiply and datacopy can"));
    op = eltwise_config("multiply");
    op.gradient = true;
    CHECK(complaints(op, grayskull_features()) == "");
    op.intermed_df = DataFormat::Float16;
    CHECK_THAT(complaints(op),
               Catch::Contains("is a gradient_op with out_df Float16_b and intermed_df Float16; they must be equal"));
    op.out_df = op.intermed_df = DataFormat::Bfp4_b;
    CHECK_THAT(complaints(op), Catch::Contains("intermed_df of 'op0' is Bfp4_b, too coarse for partial sums"));
    op = eltwise_config("exp");
    op.gradient = true;
    CHECK_THAT(complaints(op), Catch::Contains("which exp cannot be on this chip"));
}

TEST_CASE("untilize_output needs row order and a plain format") {
    OpConfig op = eltwise_config("nop");
    op.untilize = true;
    CHECK(complaints(op) == "");
    op.out.order = UblockOrder::Column;
    CHECK_THAT(complaints(op), Catch::Contains("'op0' has untilize_output; its ublock_order must be r"));
    op.out.order = UblockOrder::Row;
    op.out_df = DataFormat::Bfp8_b;
    CHECK_THAT(complaints(op), Catch::Contains("it must be Float16, Float16_b or Float32, Int8 or Int32"));
    op.in_df = {DataFormat::Int8};
    op.out_df = DataFormat::Int8;
    op.acc_df = DataFormat::Int32;
    CHECK(complaints(op) == "");
}

TEST_CASE("relu rules depend on the output format") {
    OpConfig op = eltwise_config("nop");
    op.attr.relu_en = true;
    CHECK_THAT(complaints(op), Catch::Contains("'op0' has relu_en without a relu_mode; it must be min or max"));
    op.attr.relu = ReluMode::Min;
    CHECK(complaints(op) == "");
    op.attr.relu_threshold = -1.0F;
    CHECK_THAT(complaints(op), Catch::Contains("relu_threshold of 'op0' is -1; it must be 0 or more"));
    op.attr.relu_threshold = 127.0F;
    op.in_df = {DataFormat::Int8};
    op.out_df = DataFormat::Int8;
    op.acc_df = DataFormat::Int32;
    CHECK_THAT(complaints(op), Catch::Contains("with out_df Int8 it must be below 127"));
    op.out_df = DataFormat::Int32;
    CHECK_THAT(complaints(op), Catch::Contains("must have relu_mode min and relu_threshold 0 with out_df Int32"));
    op.attr.relu_threshold = 0.0F;
    CHECK(complaints(op) == "");
}

TEST_CASE("integer and raw formats are refused where the op cannot take them") {
    OpConfig op = eltwise_config("add");
    op.in_df = {DataFormat::Int8, DataFormat::Int8};
    op.out_df = DataFormat::Int8;
    CHECK_THAT(complaints(op), Catch::Contains("acc_df of 'op0' is Float16_b; with integer formats it must be Int32"));
    op.acc_df = DataFormat::Int32;
    CHECK(complaints(op) == "");
    op.in_df[1] = DataFormat::Float16;
    CHECK_THAT(complaints(op),
               Catch::Contains("inputs of 'op0' are Int8 and Float16; both must be integers or both floats"));
    op.in_df[1] = DataFormat::UInt16;
    CHECK_THAT(complaints(op), Catch::Contains("in_df[1] of 'op0' is UInt16, which only topk takes"));
    op.in_df[1] = DataFormat::RawUInt32;
    CHECK_THAT(complaints(op), Catch::Contains("with which add cannot compute; raw formats can only be moved"));
    op = eltwise_config("exp");
    op.in_df = {DataFormat::Int8};
    CHECK_THAT(complaints(op), Catch::Contains("'op0' has integer formats, which exp cannot take"));
    op = eltwise_config("exp");
    op.acc_df = DataFormat::Int32;
    CHECK_THAT(complaints(op), Catch::Contains("is Int32, but none of its inputs nor its output is an integer"));
    op = eltwise_config("subtract");
    op.in_df = {DataFormat::Int32, DataFormat::Int8};
    op.out_df = op.acc_df = DataFormat::Int32;
    CHECK_THAT(complaints(op), Catch::Contains("in_df[0] of 'op0' is Int32; subtract takes Int8 or UInt8"));
    op = eltwise_config("nop", {}, {16, 32});
    op.in_df = {DataFormat::Int8};
    op.out_df = DataFormat::Int8;
    op.acc_df = DataFormat::Int32;
    CHECK_THAT(complaints(op), Catch::Contains("has tiles other than 32x32, which Int8 and Int32 do not support"));
}

TEST_CASE("wrong operand counts, shapes and sizes are reported without a crash") {
    OpConfig op = eltwise_config("add");
    op.in.pop_back();
    op.in_df.pop_back();
    op.in_tile.pop_back();
    CHECK_THAT(complaints(op), Catch::Contains("'op0' has 1 inputs; add needs 2 here"));
    op = eltwise_config("add");
    op.in_df.pop_back();
    CHECK_THAT(complaints(op), Catch::Contains("in_df of 'op0' lists 1 formats for 2 inputs"));
    op = eltwise_config("add");
    op.in[1] = {1, 2, 3};
    CHECK_THAT(complaints(op),
               Catch::Contains("input 1 of 'op0' has 1x2x3 tiles (slices x rows x columns) after its TMs; add "
                               "needs the output's 1x1x1"));
    op = eltwise_config("add");
    op.in_tile[1] = {16, 32};
    CHECK_THAT(complaints(op), Catch::Contains("inputs of 'op0' have tile_dim 32x32 and 16x32; add needs equal ones"));
    op = eltwise_config("add");
    op.out.mblock_m = 0;
    CHECK_THAT(complaints(op), Catch::Contains("mblock rows of 'op0' is 0; it must be 1 or more"));
    for (const OpDef* def : all_ops()) {
        OpConfig empty;
        empty.type = def->name;
        empty.name = "op0";
        Diagnostics out;
        check_common(empty, wormhole_features(), out);
        def->check(empty, wormhole_features(), out);
        CHECK_FALSE(out.empty());
    }
    op.type = "drainer";
    Diagnostics out;
    check_common(op, wormhole_features(), out);
    REQUIRE(out.size() == 1);
    CHECK(out.items()[0].message == "'op0' has the unknown type 'drainer'");
}

TEST_CASE("kernel broadcasts name existing inputs once") {
    OpConfig op = eltwise_config("add");
    op.attr.kernel_broadcast = {{1, 4}};
    CHECK(complaints(op) == "");
    op.attr.kernel_broadcast_per_t = {{1, 4}, {2, 0}};
    const std::string text = complaints(op);
    CHECK_THAT(
        text,
        Catch::Contains("input 1 of 'op0' is in kernel_broadcast and in kernel_broadcast_per_t; only one may name it"));
    CHECK_THAT(text, Catch::Contains("kernel_broadcast_per_t of 'op0' names input 2; it has 2 inputs"));
    CHECK_THAT(text, Catch::Contains("kernel_broadcast_per_t of 'op0' gives input 2 0 tiles; it must be 1 or more"));
}

TEST_CASE("the packer adds, then rectifies, then converts") {
    OpConfig op = eltwise_config("nop");
    Tensor x(op.out.shape(), op.tile), previous(op.out.shape(), op.tile);
    x.data = std::vector<float>(1024, 0.0F);
    const float values[] = {-3.0F, 0.5F, 2.0F, 9.0F, 4.5F};
    std::copy(std::begin(values), std::end(values), x.data.begin());
    previous.data[1] = 2.0F;
    op.attr.relu_en = true;
    op.attr.relu = ReluMode::Min;
    op.attr.relu_threshold = 2.0F;
    Tensor out = run_block(op, {&x}, Numerics::Float32, &previous);
    CHECK(out.data[0] == 0.0F);
    CHECK(out.data[1] == 2.5F);
    CHECK(out.data[2] == 0.0F);  // 2 is not above 2
    CHECK(out.data[3] == 9.0F);
    Tensor golden = x;
    finish_golden(op, &previous, golden);
    CHECK(all_close(out, golden, 0, 0));
    op.attr.relu = ReluMode::Max;
    out = run_block(op, {&x});
    CHECK(out.data[0] == 0.0F);
    CHECK(out.data[1] == 0.5F);
    CHECK(out.data[3] == 2.0F);
    golden = x;
    finish_golden(op, nullptr, golden);
    CHECK(all_close(out, golden, 0, 0));
}

TEST_CASE("integer results round half away from zero and saturate in both numerics") {
    for (const Numerics numerics : {Numerics::Real, Numerics::Float32}) {
        OpConfig op = eltwise_config("nop");
        op.in_df = {DataFormat::Int32};
        op.out_df = DataFormat::Int8;
        op.acc_df = DataFormat::Int32;
        Tensor x(op.out.shape(), op.tile);
        x.data[0] = 300.0F;
        x.data[1] = -300.0F;
        x.data[2] = 5.0F;
        Tensor out = run_block(op, {&x}, numerics);
        CHECK(out.data[0] == 127.0F);
        CHECK(out.data[1] == -127.0F);
        CHECK(out.data[2] == 5.0F);
        Tensor golden = x;
        finish_golden(op, nullptr, golden);
        CHECK(all_close(out, golden, 0, 0));
        op.out_df = DataFormat::UInt8;
        out = run_block(op, {&x}, numerics);
        CHECK(out.data[0] == 255.0F);
        CHECK(out.data[1] == 0.0F);
    }
}
