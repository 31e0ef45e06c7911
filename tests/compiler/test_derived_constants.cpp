// Constants that are made once while a model is compiled.
#include <catch2/catch.hpp>

#include "compiler/ir/derived_constants.hpp"
#include "compiler/ir/pass.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

constexpr std::int64_t large = 1 << 14;

Literal counting(std::int64_t size, float first = 0) {
    Literal literal(DType::F32, {size});
    for (std::int64_t i = 0; i < size; ++i) literal.set(i, first + static_cast<double>(i % 1000));
    return literal;
}

/// The elements the other way round, and how often that was done.
struct Reversal {
    int times = 0;
    Literal of(DerivedConstants& made, const Literal& literal, const std::string& how = "reversed") {
        const Literal* const sources[] = {&literal};
        return made.get(how, sources, [&] {
            ++times;
            Literal back = literal;
            std::reverse(back.floats().begin(), back.floats().end());
            return back;
        });
    }
};

/// Of all constants of the graph that a matmul reads.
std::vector<std::shared_ptr<const void>> weights_of(const ir::Graph& graph) {
    std::vector<std::shared_ptr<const void>> blocks;
    for (const Node& node : graph.nodes)
        if (node.op == op::buda::matmul)
            if (const LiteralPtr& literal = graph.nodes[node.inputs[1].value].literal)
                blocks.push_back(literal->block());
    return blocks;
}

ir::Graph flattened(const std::shared_ptr<DerivedConstants>& made) {
    static const ir::Graph model = [] {
        ir::Graph graph;
        Builder build(graph);
        const ValueId x = build.input("x", {DType::F32, {1, 2, 2, 64}, {}});
        Literal weights(DType::F32, {256, 64});
        for (std::int64_t i = 0; i < weights.size(); ++i) weights.set(i, static_cast<double>(i % 97) / 97);
        const ValueId channels = build.transpose(build.add(op::relu, {x}), {0, 3, 1, 2});
        const ValueId flat = build.reshape(channels, {1, 256});
        graph.outputs.push_back({"y", build.add(op::matmul, {flat, build.constant(std::move(weights))}), {}});
        return graph;
    }();
    ir::Graph graph = model;
    graph.derived_constants = made;
    std::vector<const Pass*> passes;
    for (const Pipeline& pipeline : all_pipelines())
        if (pipeline.name == "default")
            for (const std::string_view name : pipeline.passes) passes.push_back(find_pass(name));
    run_passes(graph, passes, {}, true);
    return graph;
}

}  // namespace

TEST_CASE("a large constant is made once of the same elements") {
    DerivedConstants made;
    Reversal reversal;
    const Literal source = counting(large);
    const Literal first = reversal.of(made, source), second = reversal.of(made, source);
    CHECK(reversal.times == 1);
    CHECK(first.block() == second.block());
    CHECK(second.at(0) == source.at(large - 1));

    CHECK(reversal.of(made, source, "otherwise").block() != first.block());
    CHECK(reversal.of(made, counting(large, 1), "reversed").at(0) == first.at(0) + 1);
    Literal reshaped = source;
    reshaped.reshape({large / 2, 2});
    CHECK(reversal.of(made, reshaped).dims() == Dims{large / 2, 2});
    CHECK(reversal.times == 4);
}

TEST_CASE("small constants are made each time") {
    DerivedConstants made;
    Reversal reversal;
    const Literal source = counting(100);
    reversal.of(made, source);
    reversal.of(made, source);
    CHECK(reversal.times == 2);
}

TEST_CASE("a large constant of small ones, or of none, is made once") {
    DerivedConstants made;
    int times = 0;
    const auto make = [&] {
        ++times;
        return counting(large);
    };
    const Literal small = counting(2), other = counting(2, 1);
    const Literal* const sources[] = {&small};
    const Literal* const others[] = {&other};
    const Literal first = made.get("spread", sources, make, large);
    CHECK(made.get("spread", sources, make, large).block() == first.block());
    CHECK(made.get("spread", others, make, large).block() != first.block());
    CHECK(times == 2);
    const Literal alone = made.get("alone", {}, make);
    CHECK(made.get("alone", {}, make).block() == alone.block());
    CHECK(times == 3);
}

TEST_CASE("small constants that others derive from are identified by their values") {
    DerivedConstants made;
    int times = 0;
    const Literal source = counting(large);
    const auto plus = [&](double value) {
        const Literal small = Literal::scalar(DType::F32, value);
        const Literal* const sources[] = {&source, &small};
        return made.get("plus", sources, [&] {
            ++times;
            Literal sum = source;
            for (float& element : sum.floats()) element += static_cast<float>(value);
            return sum;
        });
    };
    const Literal one = plus(1), again = plus(1), two = plus(2);
    CHECK(times == 2);
    CHECK(again.block() == one.block());
    CHECK(two.at(0) == source.at(0) + 2);
}

TEST_CASE("a released constant is computed again, and not confused with another at its address") {
    DerivedConstants made;
    Reversal reversal;
    for (int k = 0; k < 3; ++k) {
        const Literal source = counting(large, static_cast<float>(k));  // freed each time
        CHECK(reversal.of(made, source).at(large - 1) == k);
    }
    CHECK(reversal.times == 3);
}

TEST_CASE("changing shared elements changes a copy") {
    DerivedConstants made;
    Reversal reversal;
    const Literal source = counting(large);
    Literal first = reversal.of(made, source);
    first.set(0, -1);
    CHECK(reversal.of(made, source).at(0) == source.at(large - 1));
}

TEST_CASE("the source of a constant lives until the constant is released") {
    DerivedConstants made;
    Reversal reversal;
    std::weak_ptr<const void> between;
    const Literal source = counting(large);
    Literal last;
    {
        const Literal middle = reversal.of(made, source);
        between = middle.block();
        last = reversal.of(made, middle, "and back");
    }
    CHECK(last == source);
    CHECK_FALSE(between.expired());
    made.release();
    CHECK(between.expired());
    CHECK(last == source);
}

TEST_CASE("a model that is lowered again has the constants that were made of its own") {
    const auto made = std::make_shared<DerivedConstants>();
    const auto first = flattened(made), second = flattened(made), apart = flattened(nullptr);
    const auto weights = weights_of(first);
    REQUIRE_FALSE(weights.empty());
    CHECK(weights_of(second) == weights);
    CHECK(weights_of(apart) != weights);
    CHECK(equal(first, apart));
}

TEST_CASE("a literal takes elements and gives them back without a copy") {
    std::vector<float> elements{1, 2.5F, -3, 0.1F};
    const float* const memory = elements.data();
    Literal literal = Literal::of_floats(DType::F32, {2, 2}, std::move(elements));
    CHECK(literal.at(1) == 2.5);
    const Literal shared = literal;
    CHECK(std::move(literal).take_floats() == shared.floats());  // a copy: the elements are shared
    CHECK(shared.floats().size() == 4);
    Literal alone = Literal::of_floats(DType::F32, {4}, std::vector<float>(shared.floats()));
    CHECK(std::move(alone).take_floats().size() == 4);
    CHECK(shared.floats().data() == memory);
}

TEST_CASE("a literal rounds given floats to bf16, and keeps 64 bits of integers") {
    Literal rounded = Literal::of_floats(DType::BF16, {1}, {1.001F});
    Literal set(DType::BF16, {1});
    set.set(0, 1.001F);
    CHECK(rounded.at(0) == set.at(0));
    const std::int64_t large = (std::int64_t{1} << 53) + 1;
    CHECK(Literal::of_integers(DType::I64, {1}, {large}).integer(0) == large);
}
