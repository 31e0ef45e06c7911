#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <thread>

#include "kernels/ops/sparse_encoding.hpp"
#include "netlist/stimulus/stimulus.hpp"

using namespace ttsim::impl;

namespace {

Queue host(const std::string& name, TileShape shape = {1, 1, 1}, DataFormat df = DataFormat::Float16_b) {
    Queue q;
    q.name = name;
    q.input = "HOST";
    q.df = df;
    q.blocking.t = shape.z;
    q.blocking.mblock_m = shape.rt;
    q.blocking.mblock_n = shape.ct;
    return q;
}

Op op_of(const std::string& type, const std::string& name, const std::vector<std::string>& inputs) {
    Op op;
    op.cfg.type = type;
    op.cfg.name = name;
    op.inputs = inputs;
    op.tms.resize(inputs.size());
    return op;
}

Netlist with(const std::vector<Queue>& queues, const std::vector<Op>& ops = {}) {
    Netlist n;
    n.file = "n.yaml";
    n.queues = queues;
    n.graphs.emplace_back();
    n.graphs[0].ops = ops;
    return n;
}

Netlist with_stimulus(const Queue& queue, const Stimulus& s) {
    Netlist n = with({queue});
    n.test.stimulus = s;
    return n;
}

Stimulus of_type(Stimulus::Type type) {
    Stimulus s;
    s.type = type;
    return s;
}

std::unique_ptr<StimulusSource> source_of(const Netlist& n, std::uint32_t seed = 0) {
    return make_stimulus(n, {}, seed, StimulusOrder::PerQueue);
}

/// Values of an entry in generation order: tile by tile, row-major inside.
std::vector<float> in_order(const Tensor& t, TileDim tile = {}) {
    std::vector<float> values;
    for (std::int64_t z = 0; z < t.z; ++z)
        for (std::int64_t r = 0; r < t.rows; r += tile.h)
            for (std::int64_t c = 0; c < t.cols; c += tile.w)
                for (std::int64_t i = 0; i < tile.elements(); ++i)
                    values.push_back(t.slice(z).at(r + i / tile.w, c + i % tile.w));
    return values;
}

std::uint32_t raw(float v) { return std::bit_cast<std::uint32_t>(v); }

std::pair<float, float> range_of(const Tensor& t) {
    const auto [low, high] = std::minmax_element(t.data.begin(), t.data.end());
    return {*low, *high};
}

bool all_are(const Tensor& t, float value) {
    return std::all_of(t.data.begin(), t.data.end(), [&](float v) { return v == value; });
}

/// A dense matmul with inner dimension k_tiles * 32.
Op matmul(const std::string& name, const std::string& left, const std::string& right, std::int64_t k_tiles) {
    Op op = op_of("matmul", name, {left, right});
    op.cfg.attr.m_k = k_tiles;
    op.cfg.attr.u_kt = 1;
    return op;
}

std::vector<Op> many_ops(int count) {
    std::vector<Op> ops;
    for (int i = 0; i < count; ++i) ops.push_back(op_of("nop", "op" + std::to_string(i), {}));
    return ops;
}

}  // namespace

TEST_CASE("each host queue has the generator seed plus its number in name order") {
    const Netlist n = with({host("b", {2, 3, 2}), host("a"), host("c")});
    const auto source = source_of(n, 10);
    std::mt19937 engine(12);  // b is the second
    std::uniform_real_distribution<float> uniform(0.001F, 1.0F);
    for (int entry = 0; entry < 3; ++entry)
        for (const float value : in_order(source->next("b"))) REQUIRE(value == uniform(engine));
}

TEST_CASE("normal values are drawn as doubles in tile order and go on from entry to entry") {
    Stimulus s = of_type(Stimulus::Type::Normal);
    s.mean = 0.5;
    s.stddev = 2;
    const Netlist n = with_stimulus(host("q", {1, 2, 3}), s);
    const auto source = source_of(n);
    std::mt19937 engine(1);
    std::normal_distribution<double> normal(0.5, 2);
    for (int entry = 0; entry < 2; ++entry)
        for (const float value : in_order(source->next("q"))) REQUIRE(value == static_cast<float>(normal(engine)));
}

TEST_CASE("integer formats get integers, raw formats their bit patterns") {
    Stimulus s;
    s.low = -2.9;
    s.high = 5.9;
    const Netlist n = with_stimulus(host("q", {1, 1, 1}, DataFormat::Int8), s);
    std::mt19937 engine(1);
    std::uniform_int_distribution<int> numbers(-2, 5);
    for (const float value : in_order(source_of(n)->next("q"))) REQUIRE(value == static_cast<float>(numbers(engine)));

    s.low = 0;
    s.high = 32127;
    const Netlist m = with_stimulus(host("q", {1, 1, 1}, DataFormat::RawUInt32), s);
    std::mt19937 raw_engine(1);
    std::uniform_int_distribution<std::uint32_t> indices(0, 32127);
    for (const float value : in_order(source_of(m)->next("q"))) REQUIRE(raw(value) == indices(raw_engine));

    Stimulus normal = of_type(Stimulus::Type::Normal);
    normal.stddev = 10;
    const Netlist k = with_stimulus(host("q", {1, 1, 1}, DataFormat::Int32), normal);
    std::mt19937 normal_engine(1);
    std::normal_distribution<double> values(0, 10);
    for (const float value : in_order(source_of(k)->next("q")))
        REQUIRE(value == static_cast<float>(std::round(values(normal_engine))));
}

TEST_CASE("a part of every tile is filled and the rest is zero, and only that part uses draws") {
    Stimulus s;
    s.rows_first = 2;
    s.rows_last = 3;
    s.cols_first = 5;
    s.cols_last = 5;
    const Netlist n = with_stimulus(host("q", {1, 1, 2}), s);
    const Tensor entry = source_of(n)->next("q");
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (const std::int64_t c : {4, 36})
        for (const std::int64_t r : {1, 2}) CHECK(entry.slice(0).at(r, c) == uniform(engine));
    CHECK(std::count_if(entry.data.begin(), entry.data.end(), [](float v) { return v != 0; }) == 4);
}

TEST_CASE("the initializers constant, tile number and step fill entries as defined") {
    Stimulus s = of_type(Stimulus::Type::Constant);
    s.value = -1.5;
    CHECK(all_are(source_of(with_stimulus(host("q"), s))->next("q"), -1.5F));

    s = of_type(Stimulus::Type::DebugTileId);
    s.base = 10;
    s.step = 0.5;
    const Netlist tiles = with_stimulus(host("q", {2, 2, 3}), s);
    const auto source = source_of(tiles);
    for (int entry = 0; entry < 2; ++entry) {
        const Tensor t = source->next("q");
        CHECK(t.slice(0).at(0, 0) == 10);
        CHECK(t.slice(0).at(31, 95) == 11);    // tile 2
        CHECK(t.slice(0).at(32, 0) == 11.5F);  // tile 3
        CHECK(t.slice(1).at(63, 95) == 15.5F);
    }

    s.base = 0;
    s.step = 1;
    s.type = Stimulus::Type::Step;
    const Tensor running = source_of(with_stimulus(host("q", {1, 1, 2}), s))->next("q");
    CHECK((running.slice(0).at(0, 1) == 1 && running.slice(0).at(1, 0) == 32 && running.slice(0).at(0, 32) == 1024));
    s.type = Stimulus::Type::StepRowwise;
    const Tensor row = source_of(with_stimulus(host("q", {1, 2, 2}, DataFormat::UInt16), s))->next("q");
    CHECK((row.slice(0).at(0, 63) == 63 && row.slice(0).at(63, 63) == 63 && row.slice(0).at(63, 0) == 0));
    s.type = Stimulus::Type::StepColumnwise;
    const Tensor column = source_of(with_stimulus(host("q", {1, 2, 2}), s))->next("q");
    CHECK((column.slice(0).at(63, 0) == 63 && column.slice(0).at(0, 63) == 0));
}

TEST_CASE("constants in raw formats are bit patterns") {
    Stimulus s = of_type(Stimulus::Type::Constant);
    s.value = 7;
    CHECK(raw(source_of(with_stimulus(host("q", {1, 1, 1}, DataFormat::RawUInt32), s))->next("q").data[0]) == 7);
}

TEST_CASE("overrides go by name, then by pattern, then by the name without its chip") {
    Netlist n = with({host("weights.0"), host("weights.1"), host("input.3")});
    const auto value = [](double v) {
        Stimulus s = of_type(Stimulus::Type::Constant);
        s.value = v;
        return s;
    };
    n.test.stimulus = value(1);
    n.test.stimulus_overrides = {
        {"weights.*", value(2)}, {"weights.1", value(3)}, {"input", value(4)}, {"*bad", value(5)}};
    const auto source = source_of(n);
    CHECK(all_are(source->next("weights.0"), 2));
    CHECK(all_are(source->next("weights.1"), 3));
    CHECK(all_are(source->next("input.3"), 4));
    CHECK(source->describe("weights.0") == "stimulus-config override 'weights.*'");
}

TEST_CASE("without a stimulus the size of the file decides the range") {
    const auto range = [](const std::string& file, int ops) {
        Netlist n = with({host("q", {1, 8, 8})}, many_ops(ops));
        n.file = file;
        return range_of(source_of(n)->next("q"));
    };
    CHECK(range("op.yaml", 20).first >= 0.001F);
    CHECK(range("op.yaml", 21).first < -0.99F);
    CHECK(range("verif/graph_tests/x.yaml", 1).first < -0.99F);
    CHECK(range("op.yaml", 1).second > 0.99F);
}

TEST_CASE("the right operand of a dense matmul is scaled by the inner dimension") {
    Netlist n = with({host("x", {1, 8, 8}), host("w", {1, 8, 8})}, {matmul("mm", "x", "w", 4)});
    auto [low, high] = range_of(source_of(n)->next("w"));
    CHECK((low >= 0.001F && low < 0.0012F && high <= 2.0F / 128 && high > 0.0155F));
    CHECK(range_of(source_of(n)->next("x")).second > 0.99F);

    for (const Op& op : many_ops(20)) n.graphs[0].ops.push_back(op);  // 21 ops: rams only
    CHECK(range_of(source_of(n)->next("w")).second > 0.99F);
    n.queues[1].type = QueueType::Ram;
    std::tie(low, high) = range_of(source_of(n)->next("w"));
    const float edge = std::sqrt(3.0F / 128);
    CHECK((low >= -edge && low < -0.99F * edge && high <= edge && high > 0.99F * edge));
    n.test.stimulus = Stimulus{};
    CHECK(range_of(source_of(n)->next("w")).second > 0.99F);
}

TEST_CASE("constants of the reference compiler are recognized by name") {
    const std::vector<std::string> names{"lc.input_tensor.a_s_brcst_m2_0_0.0",
                                         "lc.input_tensor.b_s_brcst_m1_0_0.0",
                                         "constant_1_norm_var_plus_eps",
                                         "lc.input_tensor.norm.dc.reduce_avg.0.0",
                                         "lc.input_tensor.norm_mean.0",
                                         "lc.input_tensor.norm_var.0",
                                         "lc.input_tensor.softmax.dc.reduce_sum.1.0",
                                         "dc.input_tensor.layernorm_1.4",
                                         "dc.input_tensor.layernorm_1.1"};
    std::vector<Queue> queues{host("x")};
    for (const std::string& name : names) queues.push_back(host(name));
    Netlist n = with(
        queues, {matmul("avg", "x", names[3], 8), matmul("mean", "x", names[4], 2), matmul("sum", "x", names[6], 24),
                 op_of("add", "plus", {"x", names[7]}), op_of("nop", "copied", {"plus"}),
                 op_of("sqrt", "root", {"copied"}), op_of("multiply", "times", {"sum", names[8]})});
    const auto source = source_of(n);
    const Tensor column = source->next(names[0]), row = source->next(names[1]);
    CHECK((column.slice(0).at(31, 0) == 1 && column.slice(0).at(0, 1) == 0));
    CHECK((row.slice(0).at(0, 31) == 1 && row.slice(0).at(1, 0) == 0));
    const std::vector<double> values{1e-5, 1.0 / 256, 1.0 / 64, 1, 1, 1e-5, 1.0 / 768};
    for (std::size_t i = 0; i < values.size(); ++i) {
        INFO(names[i + 2]);
        CHECK(all_are(source->next(names[i + 2]), static_cast<float>(values[i])));
    }
    CHECK(source->describe(names[3]) == "constant by name: 1/256");
    Stimulus s = of_type(Stimulus::Type::Constant);
    s.value = 3;
    n.test.stimulus_overrides = {{".*norm_mean.*", s}};
    CHECK(all_are(source_of(n)->next(names[4]), 3));
}

TEST_CASE("a general stimulus covers constants too, but for a few names in inference tests") {
    const std::vector<std::string> names{"constant_1_norm_var_plus_eps",
                                         "lc.input_tensor.norm_mean.0",
                                         "lc.input_tensor.norm_var.0",
                                         "lc.input_tensor.softmax_sum.0",
                                         "lc.input_tensor.norm.dc.reduce_avg.0.0",
                                         "mean_input"};
    std::vector<Queue> queues;
    for (const std::string& name : names) queues.push_back(host(name));
    Netlist n = with(queues);
    n.test.stimulus = of_type(Stimulus::Type::Constant);
    n.test.stimulus->value = 7;
    const auto values = [&] {
        std::vector<float> found;
        const auto source = source_of(n);
        for (const std::string& name : names) found.push_back(source->next(name).data[0]);
        return found;
    };
    CHECK(values() == std::vector<float>(6, 7));
    n.test.io_inputs = {"mean_input"};  // an inference test says what its inputs are
    const float share = 1.0F / 128;
    CHECK(values() == std::vector<float>{std::numeric_limits<float>::epsilon(), share, share, 1, 7, 7});
    n.test.args["sequence_lenth"] = 384;
    CHECK(values()[1] == 1.0F / 384);
    Stimulus own = of_type(Stimulus::Type::Constant);
    own.value = 3;
    n.test.stimulus_overrides = {{".*eps", own}};
    CHECK(values()[0] == 3);
}

namespace {

FusedSubOp sub_op(const std::string& type, std::vector<FusedOperand> inputs, FusedOperand output) {
    FusedSubOp sub;
    sub.type = sub.name = type;
    sub.inputs = std::move(inputs);
    sub.output = output;
    return sub;
}

Op fused_of(const std::string& name, const std::vector<std::string>& inputs, std::vector<FusedSubOp> subs) {
    Op op = op_of("fused_op", name, inputs);
    auto fused = std::make_shared<FusedDefinition>();
    fused->inputs = static_cast<std::int64_t>(inputs.size());
    fused->intermediates = 1;
    fused->schedules = {std::move(subs)};
    op.cfg.fused = fused;
    return op;
}

}  // namespace

TEST_CASE("a constant of a fused op has the value that its sub-op requires") {
    using Kind = FusedOperand::Kind;
    const FusedOperand dest{Kind::Dest, 0}, intermed{Kind::Intermed, 0}, output{Kind::Output, 0};
    const auto in = [](int n) { return FusedOperand{Kind::Input, n}; };
    // sum * share, + eps, root; a matmul before it in the graph gives the sum
    const Netlist n = with({host("x"), host("ones"), host("dc.a.1"), host("dc.a.2"), host("dc.a.3"), host("dc.a.4")},
                           {matmul("sum", "x", "ones", 3),
                            fused_of("f", {"sum", "dc.a.1", "dc.a.2", "dc.a.3", "dc.a.4"},
                                     {sub_op("multiply", {in(0), in(1)}, dest), sub_op("add", {dest, in(2)}, intermed),
                                      sub_op("sqrt", {intermed}, dest), sub_op("add", {dest, in(3)}, dest),
                                      sub_op("multiply", {dest, in(4)}, output)})});
    const auto source = source_of(n);
    CHECK(all_are(source->next("dc.a.1"), 1.0F / 96));
    CHECK(all_are(source->next("dc.a.2"), 1e-5F));
    CHECK(source->describe("dc.a.3") == "default: uniform (0.001, 1)");
    CHECK(source->describe("dc.a.4") == "default: uniform (0.001, 1)");
}

TEST_CASE("weights of depthwise products and prologue queues are scaled by the number of summands") {
    const auto depthwise = [](const std::string& name, const std::string& weight) {
        Op op = op_of("depthwise", name, {"x", weight});
        op.cfg.attr.m_k = 3;
        op.cfg.attr.u_kt = 1;
        return op;
    };
    Netlist n = with({host("x"), host("alone"), host("w0"), host("w1"), host("w2"), host("w")},
                     {depthwise("d", "alone"), depthwise("d0", "w0"), depthwise("d1", "w1"), depthwise("d2", "w2"),
                      op_of("add", "a0", {"d0", "d1"}), op_of("nop", "copy", {"a0"}),
                      op_of("add", "a1", {"copy", "d2"}), matmul("mm", "a1", "w", 4)});
    CHECK(source_of(n)->describe("alone") == "default: uniform (0.001, 2/96)");
    CHECK(source_of(n)->describe("w1") == "default: uniform (0.001, 2/288)");
    for (const Op& op : many_ops(20)) n.graphs[0].ops.push_back(op);
    CHECK(source_of(n)->describe("w") == "default: uniform (-1, 1)");
    Program program;
    Instruction execute;
    execute.kind = Instruction::Kind::Execute;
    QueueSetting setting;
    setting.queue = "w";
    setting.prologue = Operand{"", 1};
    execute.settings = {setting};
    program.instructions = {execute};
    n.programs = {program};
    CHECK(source_of(n)->describe("w") == "default: uniform (-sqrt(3/128), sqrt(3/128))");
    setting.prologue = Operand{"", 0};
    n.programs[0].instructions[0].settings = {setting};
    CHECK(source_of(n)->describe("w") == "default: uniform (-1, 1)");
}

TEST_CASE("host data that reaches a root or logarithm is positive") {
    // x and w reach the root through a queue between two ops, y is squared on its way, z subtracted
    Queue between = host("between");
    between.input = "p";
    Queue weight = host("w");
    weight.type = QueueType::Ram;
    Netlist n = with({host("x"), host("y"), host("z"), weight, between},
                     {matmul("p", "x", "w", 2), op_of("square", "s", {"y"}), op_of("add", "a", {"between", "s"}),
                      op_of("nop", "c", {"a"}), op_of("sqrt", "root", {"c"}), op_of("subtract", "d", {"z", "x"}),
                      op_of("log", "l", {"d"})});
    for (const Op& op : many_ops(20)) n.graphs[0].ops.push_back(op);
    const auto source = source_of(n);
    CHECK(range_of(source->next("x")).first >= 0.001F);
    CHECK(source->describe("w") == "default: uniform (0.001, 2/64)");
    CHECK(source->describe("y") == "default: uniform (-1, 1)");
    CHECK(source->describe("z") == "default: uniform (-1, 1)");
    n.graphs[0].ops[0].cfg.attr.relu_en = true;  // what a relu gives is good whatever it takes
    n.graphs[0].ops[0].cfg.attr.relu = ReluMode::Min;
    CHECK(source_of(n)->describe("x") == "default: uniform (-1, 1)");
}

TEST_CASE("a general stimulus with negative values is not used for inputs of a root or logarithm") {
    // variance = (x * x) w, + eps: x may have any sign, since it is squared; copies are stepped over
    Netlist n = with({host("x"), host("w"), host("eps"), host("y")},
                     {op_of("nop", "c0", {"x"}), op_of("nop", "c1", {"x"}), op_of("multiply", "xx", {"c0", "c1"}),
                      matmul("variance", "xx", "w", 2), op_of("add", "plus", {"variance", "eps"}),
                      op_of("sqrt", "root", {"plus"}), op_of("multiply", "scaled", {"root", "y"})});
    n.test.stimulus = of_type(Stimulus::Type::Normal);
    n.test.stimulus->stddev = 0.1;
    n.test.stimulus->cols_first = n.test.stimulus->cols_last = 1;
    const auto source = source_of(n);
    for (const char* name : {"w", "eps"}) {
        const Tensor values = source->next(name);
        CHECK(range_of(values).first == 0);
        CHECK(values.slice(0).at(0, 0) >= 0.001F);
        CHECK(values.slice(0).at(0, 1) == 0);  // the part of each tile is kept
    }
    for (const char* name : {"x", "y"}) CHECK(source->describe(name) == "stimulus-config");
    Stimulus own = *n.test.stimulus;
    n.test.stimulus_overrides = {{"w", own}};  // who names a queue means it
    CHECK(source_of(n)->describe("w") == "stimulus-config override 'w'");
    n.test.stimulus_overrides = {};
    n.test.stimulus->type = Stimulus::Type::Uniform;
    n.test.stimulus->low = 0.25;
    CHECK(source_of(n)->describe("w") == "stimulus-config");
    n.test.stimulus->low = -1;
    CHECK(source_of(n)->describe("w") != "stimulus-config");
}

TEST_CASE("embedding indices lie in the table, topk indices count along the row") {
    Op embedding = op_of("embedding", "e", {"table", "index"});
    embedding.cfg.in = {{1, 3, 1}, {1, 1, 1}};
    Op topk = op_of("topk", "t", {"table", "order"});
    Netlist n = with({host("table", {1, 3, 1}), host("index", {1, 1, 1}, DataFormat::RawUInt32),
                      host("order", {1, 1, 2}, DataFormat::UInt16)},
                     {embedding, topk});
    n.test.stimulus = of_type(Stimulus::Type::Normal);
    const auto source = source_of(n);
    std::set<std::uint32_t> seen;
    for (int entry = 0; entry < 4; ++entry)
        for (const float v : source->next("index").data) seen.insert(raw(v));
    CHECK((*seen.begin() == 0 && *seen.rbegin() == 95 && seen.size() == 96));
    CHECK(source->next("order").slice(0).at(5, 40) == 40);
    // a general stimulus that gives valid indices is taken as it is
    n.test.stimulus = of_type(Stimulus::Type::Constant);
    n.test.stimulus->value = 1;
    CHECK(raw(source_of(n)->next("index").data[0]) == 1);
}

namespace {

/// Sparse matmul: 2 x 2 cores, operand 2 with `tiles` encoding tiles per grid row, broadcast to both columns.
Netlist sparse_netlist(std::int64_t tiles, std::int64_t t = 3) {
    Op op = op_of("matmul", "mm", {"tiles", "act", "encoding"});
    op.cfg.attr.identity = true;
    op.cfg.attr.m_k = 6;
    op.cfg.attr.u_kt = 4;
    op.cfg.attr.sparse_tile_ptr_bits = 6;
    op.cfg.attr.sparse_ublock_idx_bits = 4;
    op.cfg.out.grid_r = 2;
    op.cfg.out.grid_c = 2;
    op.cfg.out.mblock_m = 3;
    op.cfg.out.ublock_rt = 2;
    op.cfg.out.t = t;
    op.cfg.in = {{1, 2, 20}, {t, 24, 2}, {1, 2, 2 * tiles}};
    Queue sparse = host("tiles", {1, 2, 10}, DataFormat::Bfp2_b),
          encoding = host("encoding", {1, 2, tiles}, DataFormat::RawUInt32);
    return with({sparse, host("act", {t, 24, 2}), encoding}, {op});
}

std::vector<std::vector<SparseStrip>> decoded(const Netlist& n, const Tensor& entry, std::int64_t grid_row) {
    const std::vector<std::uint32_t> words = flatten_encoding(entry.slice(0).sub(grid_row * 32, 0, 32, entry.cols));
    return decode_sparse(words, sparse_layout(n.graphs[0].ops[0].cfg));
}

std::size_t products(const std::vector<std::vector<SparseStrip>>& slices) {
    std::size_t count = 0;
    for (const auto& slice : slices)
        for (const SparseStrip& strip : slice)
            for (const SparseBlock& block : strip.blocks) count += block.tiles.size();
    return count;
}

}  // namespace

TEST_CASE("sparse tiles hold one 1 in each row") {
    const Netlist n = sparse_netlist(8);
    const Tensor entry = source_of(n)->next("tiles");
    std::set<std::int64_t> columns;
    for (std::int64_t r = 0; r < entry.rows; ++r)
        for (std::int64_t c = 0; c < entry.cols; c += 32) {
            std::int64_t ones = 0;
            for (std::int64_t i = 0; i < 32; ++i)
                if (entry.slice(0).at(r, c + i) == 1) ++ones, columns.insert(i);
            REQUIRE(ones == 1);
        }
    CHECK(columns.size() == 32);
}

TEST_CASE("a sparse encoding decodes to strips of its own slice, differently for each grid row") {
    const Netlist n = sparse_netlist(8);
    const Tensor entry = source_of(n)->next("encoding");
    const auto first = decoded(n, entry, 0), second = decoded(n, entry, 1);
    CHECK(first != second);
    for (const auto& slices : {first, second}) {
        REQUIRE(slices.size() == 3);
        for (std::size_t z = 0; z < 3; ++z) {
            REQUIRE(slices[z].size() == 6);  // 6 output rows read every fourth of 24 activation rows
            for (std::size_t s = 0; s < 6; ++s) {
                CHECK(slices[z][s].index == static_cast<std::int64_t>(6 * z + s));
                REQUIRE(slices[z][s].blocks.size() == 1);
                const SparseBlock& block = slices[z][s].blocks[0];
                CHECK(block.ublock_row == static_cast<std::int64_t>(s / 2));
                CHECK((block.tiles.size() == 1 || block.tiles.size() == 2));
                for (std::size_t k = 0; k < block.tiles.size(); ++k) {
                    CHECK(block.tiles[k].row == static_cast<std::int64_t>(s % 2));
                    CHECK(block.tiles[k].d == static_cast<std::int64_t>(k));
                }
            }
        }
        CHECK((products(slices) > 18 && products(slices) < 28));  // 1.2 for each of 18 rows on average
    }
}

TEST_CASE("the default encoding reads activations again for each kernel offset") {
    Netlist n = sparse_netlist(8, 8);
    n.graphs[0].ops[0].cfg.attr.act_t = 1;  // 24 activation rows, and 48 output rows
    n.graphs[0].ops[0].cfg.in[1].z = n.queues[1].blocking.t = 1;
    const auto slices = decoded(n, source_of(n)->next("encoding"), 0);
    REQUIRE(slices.size() == 8);
    for (std::size_t z = 0; z < 8; ++z) {
        REQUIRE(!slices[z].empty());
        CHECK(slices[z].front().index == slices[z % 4].front().index);
        CHECK((products({slices[z]}) >= 6 && products({slices[z]}) <= 12));
    }
    CHECK(slices[0].front().index == 0);
    CHECK(slices[3].back().index == 5);
}

TEST_CASE("zero frequencies and counts of the file are kept") {
    Netlist n = sparse_netlist(8);
    Stimulus dense = of_type(Stimulus::Type::SparseEncoding);
    dense.matmul_ident_name = "mm";
    dense.zero_ublock_freq = dense.zero_tile_freq = 0;
    n.test.stimulus_overrides = {{"encoding", dense}};
    CHECK(products(decoded(n, source_of(n)->next("encoding"), 0)) == 18 * 3 * 8);
    Stimulus counts = of_type(Stimulus::Type::SparseEncodingNzCounts);
    counts.matmul_ident_name = "mm";
    counts.nz_strips = 2;
    counts.nz_ublocks = 2;
    counts.nz_tiles = 5;
    n.test.stimulus_overrides = {{"encoding", counts}};
    const auto slices = decoded(n, source_of(n)->next("encoding"), 1);
    CHECK(products(slices) == 3 * 2 * 2 * 5);
    CHECK(slices[2].size() == 2);
    counts.matmul_ident_name = "nobody";
    n.test.stimulus_overrides = {{"act", counts}};
    n.graphs[0].ops[0].inputs[1] = "other";
    CHECK_THROWS_WITH(source_of(n), Catch::Contains("'nobody'"));
}

TEST_CASE("an encoding for inner blocks of one tile keeps to the rows its entries can name") {
    Netlist n = sparse_netlist(8);
    OpAttributes& attr = n.graphs[0].ops[0].cfg.attr;
    attr.u_kt = 1;
    Stimulus dense = of_type(Stimulus::Type::SparseEncoding);
    dense.matmul_ident_name = "mm";
    dense.zero_ublock_freq = dense.zero_tile_freq = 0;
    n.test.stimulus_overrides = {{"encoding", dense}};
    CHECK(products(decoded(n, source_of(n)->next("encoding"), 0)) == 18 * 3 * 2);
    attr.sparse_tile_ptr_bits = 15;  // one bit is left, and the inner index takes it
    attr.sparse_ublock_idx_bits = 4;
    CHECK(products(decoded(n, source_of(n)->next("encoding"), 0)) == 18 * 3 * 1);
}

TEST_CASE("an encoding that does not fit is drawn sparser until it does") {
    Netlist n = sparse_netlist(1, 40);
    Stimulus dense = of_type(Stimulus::Type::SparseEncoding);
    dense.matmul_ident_name = "mm";
    dense.zero_ublock_freq = dense.zero_tile_freq = 0;  // 40*6 strips of 24 products: 14 KB
    n.test.stimulus_overrides = {{"encoding", dense}};
    const auto slices = decoded(n, source_of(n)->next("encoding"), 0);
    CHECK(slices.size() == 40);
    CHECK(products(slices) > 0);
    const Netlist impossible = sparse_netlist(1, 1000);
    const auto source = source_of(impossible);
    CHECK_THROWS_WITH(source->next("encoding"), Catch::Contains("1000 slices"));
}

TEST_CASE("one generator over all queues fills entries in name order, regardless of request order") {
    const Netlist n = with({host("b"), host("a"), host("c")});
    std::mt19937 engine(5);
    std::uniform_real_distribution<float> uniform(0.001F, 1.0F);
    std::map<std::string, std::vector<std::vector<float>>> wanted;
    const std::map<std::string, std::int64_t> entries{{"a", 2}, {"b", 1}, {"c", 2}};
    for (const auto& [name, count] : entries)
        for (std::int64_t i = 0; i < count; ++i) {
            std::vector<float> values(1024);
            for (float& v : values) v = uniform(engine);
            wanted[name].push_back(values);
        }
    const auto source = make_stimulus(n, entries, 5, StimulusOrder::TestOp);
    CHECK(source->next("c").data == wanted["c"][0]);
    CHECK(source->next("a").data == wanted["a"][0]);
    CHECK(source->next("b").data == wanted["b"][0]);
    CHECK(source->next("a").data == wanted["a"][1]);
    CHECK(source->next("c").data == wanted["c"][1]);
}

TEST_CASE("queues read from several threads give the same values as from one") {
    std::vector<Queue> queues;
    for (int i = 0; i < 4; ++i) queues.push_back(host("q" + std::to_string(i), {1, 4, 4}));
    const Netlist n = with_stimulus(queues[0], of_type(Stimulus::Type::Normal));
    Netlist all = n;
    all.queues = queues;
    const auto alone = source_of(all), together = source_of(all);
    std::vector<std::vector<float>> results(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            for (int entry = 0; entry < 8; ++entry) results[i] = together->next("q" + std::to_string(i)).data;
        });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < 4; ++i) {
        std::vector<float> last;
        for (int entry = 0; entry < 8; ++entry) last = alone->next("q" + std::to_string(i)).data;
        CHECK(last == results[i]);
    }
}
