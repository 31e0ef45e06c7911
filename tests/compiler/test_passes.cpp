#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/ir/pass.hpp"
#include "compiler/lower/pad_range.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

std::map<std::string, Literal> some_inputs(const ir::Graph& graph, std::uint32_t seed) {
    std::map<std::string, Literal> inputs;
    for (const Node& node : graph.nodes) {
        if (!node.is_input()) continue;
        Literal literal(DType::F32, node.type.dims);
        for (std::int64_t i = 0; i < literal.size(); ++i) literal.set(i, std::sin(static_cast<double>(i * 7 + seed)));
        inputs.emplace(node.name, literal);
    }
    return inputs;
}

void check_same_values(const ir::Graph& before, const ir::Graph& after, std::uint32_t seed) {
    const auto inputs = some_inputs(before, seed);
    const auto want = evaluate(before, inputs), have = evaluate(after, inputs);
    for (const auto& [name, literal] : want)
        for (std::int64_t i = 0; i < literal.size(); ++i)
            REQUIRE(have.at(name).at(i) == Approx(literal.at(i)).margin(1e-5));
}

}  // namespace

TEST_CASE("a pass on model ops keeps the values of random graphs") {
    const std::string name = GENERATE(values<std::string>(
        {"fold-constants", "erase-unused", "merge-data-movement", "decompose-softmax", "decompose-elementwise",
         "explicit-broadcast", "fuse-slice-stack", "fold-flatten", "split-data-movement", "split-reshapes",
         "sink-data-movement", "recognize-norms", "recognize-softmax"}));
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(name, seed);
        const ir::Graph before = random_graph(seed);
        ir::Graph after = before;
        find_pass(name)->run(after, {});
        after.verify();
        check_same_values(before, after, seed);
    }
}

TEST_CASE("atan is decomposed accurately, at 0 and for large inputs as well") {
    const ir::Graph before = parse_graph("%x = input : f32[8]\n%y = atan %x\noutput \"y\" = %y\n", "atan.tg");
    Literal x(DType::F32, {8});
    const std::vector<double> values{0, 1e-6, -0.3, 1, -1, 2.5, -40, 1e9};
    for (std::int64_t i = 0; i < 8; ++i) x.set(i, values[static_cast<std::size_t>(i)]);
    for (const auto& [df, error] : {std::pair{DataFormat::Float32, 4e-7}, {DataFormat::Float16_b, 2e-5}}) {
        ir::Graph after = before;
        PassOptions options;
        options.default_df = df;
        find_pass("decompose-elementwise")->run(after, options);
        const Literal y = evaluate(after, {{"x", x}}).at("y");
        for (std::int64_t i = 0; i < 8; ++i) CHECK(std::fabs(y.at(i) - std::atan(x.at(i))) < error);
    }
}

TEST_CASE("every pass of a pipeline exists, and lower-to-buda is reached by every random graph") {
    for (const Pipeline& pipeline : all_pipelines())
        for (const std::string_view pass : pipeline.passes) CHECK(find_pass(pass) != nullptr);
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        ir::Graph graph = random_graph(seed);
        std::vector<const Pass*> passes;
        for (const std::string_view pass : all_pipelines().back().passes) passes.push_back(find_pass(pass));
        run_passes(graph, passes, {}, true);
        for (const Node& node : graph.nodes) {
            const bool table = node.is_constant() && !node.type.format;  // of a sparse product
            CHECK((table || node.type.format == DataFormat::Float16_b ||
                   (node.is_constant() && node.type.format == DataFormat::Bfp2_b)));
        }
        CHECK(equal(parse_graph(print_graph(graph), "text"), graph));
    }
}

TEST_CASE("the index of a sparse product takes room by its runs, not by its rows") {
    // each of 80 columns goes into every 80th row; rows of slices go into others, of which most rows are filling
    const std::string model = GENERATE(values<std::string>(
        {"%x = input : f32[2, 60, 80]\n%y = reshape %x {dims = [2, 4800, 1]}\noutput \"y\" = %y\n",
         "%x = input : f32[8, 96, 64]\n%y = transpose %x {perm = [1, 0, 2]}\noutput \"y\" = %y\n"}));
    ir::Graph graph = parse_graph(model, "moves.tg");
    std::vector<const Pass*> passes;
    for (const std::string_view pass : all_pipelines().back().passes) passes.push_back(find_pass(pass));
    run_passes(graph, passes, {}, true);
    std::size_t products = 0;
    for (const Node& node : graph.nodes) {
        if (node.op != op::buda::sparse) continue;
        const Literal& index = *graph.nodes[node.inputs[1].value].literal;
        REQUIRE(index.gather_map() != nullptr);
        CHECK(20 * std::ssize(index.gather_map()->runs()) < index.size());
        ++products;
    }
    CHECK(products > 0);
}

TEST_CASE("the range of filling elements follows the ops") {
    Node exp;
    exp.op = op::exp;
    CHECK(unary_pads(exp, {}).low == 1);
    CHECK(unary_pads(exp, {}).high == 1);
    CHECK_FALSE(unary_pads(exp, {0, 200}).is_bounded());
    Node reciprocal;
    reciprocal.op = op::reciprocal;
    CHECK(unary_pads(reciprocal, {}).is_bounded());
    CHECK_FALSE(unary_pads(reciprocal, {-1, 1}).is_bounded());
    CHECK(unary_pads(reciprocal, {2, 4}).high == 0.5);
    const auto binary = [](OpId op, PadRange a, PadRange b) {
        Node node;
        node.op = op;
        return binary_pads(node, a, b);
    };
    CHECK(binary(op::multiply, PadRange::unbounded(), {}).is_zero());
    CHECK(binary(op::subtract, {1, 2}, {5, 7}).low == -6);
    CHECK(binary(op::multiply, {-2, 1}, {-3, 4}).low == -8);
    CHECK_FALSE(binary(op::add, PadRange::unbounded(), {}).is_bounded());
}
