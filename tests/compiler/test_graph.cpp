#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <random>

#include "compiler/ir/builder.hpp"
#include "compiler/ir/derivation.hpp"
#include "compiler/ir/next_nonzero.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ops/window.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

TEST_CASE("a printed graph reads back equal") {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        const ir::Graph graph = random_graph(seed);
        graph.verify();
        REQUIRE(equal(parse_graph(print_graph(graph), "text"), graph));
    }
}

TEST_CASE("zeros of both signs, NaN and control characters are printed so that they read back equal") {
    const ir::Graph graph = parse_graph(
        "%x = input : f32[2]\n"
        "%zeros = constant [0, -0] : f32[2]\n"
        "%y = layer_norm %x {axis = 0, epsilon = nan} : f32[2] from \"a\tb\\x0ac\\\\x0a\"\n"
        "%z = divide %y, %zeros\n"
        "output \"z\\x01\" = %z\n",
        "text");
    CHECK(graph.nodes[2].origin == "a\tb\nc\\x0a");
    CHECK(graph.outputs[0].name == "z\x01");
    CHECK_FALSE(graph.nodes[1].literal->is_splat());
    CHECK(equal(parse_graph(print_graph(graph), "text"), graph));
    CHECK_THROWS_WITH(parse_graph("output \"\\x0\" = %x\n", "text"),
                      Catch::Contains("two hexadecimal digits are wanted after '\\x'"));
}

TEST_CASE("verify finds a stale type, a value before its definition and a name given twice") {
    ir::Graph graph = parse_graph("%x = input : f32[2]\n%y = exp %x\noutput \"y\" = %y\n", "text");
    graph.verify();
    ir::Graph stale = graph;
    stale.nodes[1].type.dims = {3};
    CHECK_THROWS_WITH(stale.verify(), Catch::Contains("has type f32[3], must be f32[2]"));
    ir::Graph early = graph;
    early.nodes[1].inputs[0].value = 1;
    CHECK_THROWS_WITH(early.verify(), Catch::Contains("y comes before its input"));
    ir::Graph twice = graph;
    twice.nodes[1].name = "x";
    CHECK_THROWS_WITH(twice.verify(), Catch::Contains("the name 'x' comes twice"));
}

namespace {

constexpr const char* two_results =
    "%x = input : f32[2, 4]\n"
    "%v = top_k %x {axis = 1, k = 2} : f32[2, 2], i64[2, 2]\n"
    "%i = result %v {index = 1}\n"
    "output \"i\" = %i\n";

}  // namespace

TEST_CASE(
    "a node with several results is printed with all types, reads back equal, and stays for its further results") {
    ir::Graph graph = parse_graph(two_results, "text");
    graph.verify();
    REQUIRE(graph.nodes[1].more_types == std::vector<Type>{{DType::I64, {2, 2}, {}}});
    CHECK(graph.type(2) == Type{DType::I64, {2, 2}, {}});
    CHECK(print_graph(graph).find("%v = top_k %x {axis = 1, k = 2} : f32[2, 2], i64[2, 2]\n") != std::string::npos);
    CHECK(equal(parse_graph(print_graph(graph), "text"), graph));
    ir::Graph other = graph;
    other.nodes[1].more_types.front().dtype = DType::I32;
    CHECK_FALSE(equal(graph, other));
    CHECK_THROWS_WITH(other.verify(),
                      Catch::Contains("v = top_k has type f32[2, 2], i32[2, 2], must be f32[2, 2], i64[2, 2]"));
    CHECK(graph.erase_unused() == 0);
    graph.outputs.clear();
    CHECK(graph.erase_unused() == 2);
}

TEST_CASE("what names no further result is refused with the results that there are") {
    const auto refused = [](std::string text, const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
        try {
            parse_graph(text, "text");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("it was read");
    };
    CHECK_THAT(refused(two_results, "index = 1", "index = 2"),
               Catch::Contains("'i' is result 2 of 'v' (top_k); its further results are 1 to 1"));
    CHECK_THAT(refused(two_results, "index = 1", "index = 0"), Catch::Contains("'i' is result 0 of 'v'"));
    CHECK_THAT(refused(two_results, "result %v", "result %x"),
               Catch::Contains("'i' is a further result of 'x' (input), which has one; read 'x' itself"));
    CHECK_THAT(refused(two_results, ", i64[2, 2]", ""),
               Catch::Contains("the result of top_k is f32[2, 2], i64[2, 2], not f32[2, 2]"));
    CHECK_THAT(refused(two_results, "f32[2, 4]", "f32[2, 4], f32[1]"), Catch::Contains("'%x' has one result"));
}

TEST_CASE("all results of constants are folded together, in the builder and in a pass") {
    ir::Graph graph;
    Builder build(graph);
    const ValueId x = build.model_constant(Literal::vector({3, 9, 4}));
    begin_derivations(graph);
    const ValueId most = build.add(op::top_k, {x}, {attr::axis(0), attr::k(2)});
    const ValueId places = build.result(most, 1);
    REQUIRE(build.literal(most) != nullptr);
    REQUIRE(build.literal(places) != nullptr);
    CHECK(build.literal(most)->integers() == std::vector<std::int64_t>{9, 4});
    CHECK(build.literal(places)->integers() == std::vector<std::int64_t>{1, 2});
    // of other values of the constant, each result is its own
    const DerivationPtr from = graph.nodes[places].derivation;
    REQUIRE(from != nullptr);
    CHECK(from->type == Type{DType::I64, {2}, {}});
    CHECK(apply_derivation(*from, Literal::vector({3, 1, 7})).integers() == std::vector<std::int64_t>{2, 0});

    ir::Graph read = parse_graph(
        "%c = constant [3, 9, 4] : f32[3]\n"
        "%v = top_k %c {axis = 0, k = 2}\n"
        "%i = result %v {index = 1}\n"
        "output \"v\" = %v\n"
        "output \"i\" = %i\n",
        "text");
    find_pass("fold-constants")->run(read, {});
    REQUIRE(read.nodes.size() == 2);
    CHECK(read.nodes[read.outputs[1].value].literal->integers() == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("a rule replaces a node with several results by one value for each") {
    ir::Graph graph = parse_graph(two_results, "text");
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::top_k) return std::nullopt;
        const ValueId least = build.add(op::top_k, {in[0]}, {attr::axis(1), attr::k(2), attr::largest(false)});
        build.set_results(least, {build.cast(build.result(least, 1), DType::I32)});
        return least;
    });
    graph.verify();
    CHECK(graph.nodes[graph.outputs[0].value].op == op::cast);
}

TEST_CASE("a literal keeps to its element type") {
    Literal whole(DType::I64, {3});
    whole.set(0, 2.9);
    whole.set(1, -2.9);
    whole.set(2, 1e30);
    CHECK(whole.integer_elements() == std::vector<std::int64_t>{2, -2, std::numeric_limits<std::int64_t>::min()});
    Literal truth(DType::Bool, {2});
    truth.set(0, 0.5);
    CHECK(truth.integer_elements() == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("integers of 8 bits are bytes until all of them are wanted") {
    const std::vector<std::int64_t> values{-1, 2, -128};
    const Literal bytes = Literal::of_bytes(DType::I8, {3}, "\xff\x02\x80");
    CHECK(bytes.size() == 3);
    CHECK(bytes.at(2) == -128);
    CHECK(bytes.integer_elements() == values);
    CHECK(bytes.integers() == values);
    CHECK_FALSE(bytes.is_splat());
    CHECK(Literal::of_bytes(DType::U8, {2}, "\xff\xff").is_splat());
    CHECK(Literal::of_bytes(DType::U8, {2}, "\xff\xff").at(1) == 255);
    Literal wide(DType::I8, {3});
    wide.integer_elements() = values;
    CHECK(wide == bytes);
    CHECK(bytes == wide);
    CHECK(bytes == Literal::of_bytes(DType::I8, {3}, "\xff\x02\x80"));
    Literal changed = bytes;
    changed.set(1, 300);  // modulo 2^8
    CHECK(changed.at(1) == 44);
    CHECK(bytes.at(1) == 2);
    CHECK_FALSE(changed == bytes);
}

TEST_CASE("floats that are made when they are read are as others") {
    int made = 0;
    const Literal later = Literal::computed_on_read(DType::F32, {2, 2}, [&made] {
        ++made;
        return std::vector<float>{1, 2, 3, 4};
    });
    const Literal copy = later;
    CHECK(later.size() == 4);
    CHECK(later.block() == copy.block());
    CHECK(later == copy);
    CHECK(made == 0);
    CHECK(later.copied_floats() == std::vector<float>{1, 2, 3, 4});
    CHECK(later.with_floats([](const std::vector<float>& floats) { return floats.size(); }) == 4);
    CHECK(made == 2);  // none of them stays
    CHECK(copy.at(3) == 4);
    CHECK(later.floats()[1] == 2);
    CHECK(made == 3);  // for both
    CHECK_FALSE(later.is_splat());
    Literal changed = later;
    changed.set(0, 7);
    CHECK(changed.at(0) == 7);
    CHECK(changed.at(3) == 4);
    CHECK(later.at(0) == 1);
    CHECK_FALSE(changed == later);
    changed.set(0, 1);
    CHECK(changed == later);
    CHECK(later == changed);
    const Literal wrong = Literal::computed_on_read(DType::F32, {3}, [] { return std::vector<float>{1}; });
    CHECK_THROWS_AS(wrong.floats(), Error);
}

TEST_CASE("runs are appended as their elements are") {
    std::mt19937 random(5);
    for (int round = 0; round < 500; ++round) {
        GatherMap parts, at_once, one_by_one;
        std::int64_t at = 0;
        for (auto left = 1 + random() % 6; left > 0; --left) {
            GatherMap piece;  // a few runs of its own
            std::int64_t place = 0;
            for (auto runs = 1 + random() % 2; runs > 0; --runs) {
                const auto step = static_cast<std::int64_t>(1 + random() % 2),
                           down = static_cast<std::int64_t>(random() % 2);
                auto row = static_cast<std::int64_t>(random() % 3 + 8);
                for (auto n = 1 + random() % 5; n > 0; --n, place += step, row += down ? -1 : 1)
                    piece.append(place, row);
            }
            const auto rows = static_cast<std::int64_t>(random() % 3);
            for (const GatherMap::Run& run : piece.runs()) at_once.append(run, at, rows);
            piece.each(0, place, [&](std::int64_t to, std::int64_t row) { one_by_one.append(at + to, rows + row); });
            at += place;
        }
        CHECK(at_once == one_by_one);
        const auto first = static_cast<std::int64_t>(random()) % at;
        one_by_one.each_run(0, first, [&](const GatherMap::Run& run) { parts.append(run, 0, 0); });
        one_by_one.each_run(first, at, [&](const GatherMap::Run& run) { parts.append(run, 0, 0); });
        CHECK(parts == one_by_one);
    }
}

TEST_CASE("zeros of both signs are skipped, anything else is not") {
    std::mt19937 random(6);
    for (int round = 0; round < 300; ++round) {
        std::vector<float> values(random() % 40);
        for (float& value : values) switch (random() % 12) {
                case 0:
                    value = 1e-45F;
                    break;
                case 1:
                    value = std::numeric_limits<float>::quiet_NaN();
                    break;
                default:
                    value = random() % 2 ? 0.0F : -0.0F;
            }
        const float *const begin = values.data(), *const end = begin + values.size();
        for (const float* from = begin; from != end; ++from)
            CHECK(next_nonzero(from, end) == std::find_if(from, end, [](float v) { return !(v == 0); }));
        CHECK(next_nonzero(end, end) == end);
    }
}

TEST_CASE("a gather map is the same as runs or as integers") {
    // in steps from 2 on, alone, and in steps back
    const std::vector<std::int64_t> values{-1, -1, 5, -1, 7, -1, 9, 0, -1, -1, 4, 3, 2, -1};
    GatherMap picks;
    for (std::int64_t i = 0; i < std::ssize(values); ++i)
        if (values[static_cast<std::size_t>(i)] >= 0) picks.append(i, values[static_cast<std::size_t>(i)]);
    CHECK(picks.runs().size() == 3);
    const Literal runs = Literal::of_gather_map({7, 2}, picks);
    Literal wide(DType::I32, {7, 2});
    wide.integer_elements() = values;
    CHECK(runs.size() == 14);
    for (std::int64_t i = 0; i < runs.size(); ++i) CHECK(runs.at(i) == wide.at(i));
    for (std::int64_t first = 0; first <= runs.size(); ++first)
        for (std::int64_t end = first; end <= runs.size(); ++end) {
            std::vector<std::pair<std::int64_t, std::int64_t>> found, want;
            runs.for_each_gathered(first, end, [&](std::int64_t i, std::int64_t row) { found.emplace_back(i, row); });
            wide.for_each_gathered(first, end, [&](std::int64_t i, std::int64_t row) { want.emplace_back(i, row); });
            CHECK(found == want);
        }
    CHECK(runs == wide);
    CHECK(runs == Literal::of_gather_map({7, 2}, picks));
    CHECK_FALSE(runs == Literal::of_gather_map({7, 2}, {}));
    CHECK(runs.integer_elements() == values);
    CHECK_FALSE(runs.is_splat());
    CHECK(Literal::of_gather_map({3}, {}).is_splat());
    Literal changed = runs;
    changed.set(0, 8);
    CHECK(changed.at(0) == 8);
    CHECK(changed.gather_map() == nullptr);
    CHECK(runs.at(0) == -1);
}

TEST_CASE("the builder folds values that depend on constants only") {
    ir::Graph graph;
    Builder build(graph);
    const ValueId sum = build.add(op::add, {build.constant(Literal::vector({1, 2})), build.scalar(3, DType::I64)});
    REQUIRE(build.literal(sum) != nullptr);
    CHECK(build.literal(sum)->integer_elements() == std::vector<std::int64_t>{4, 5});
    const ValueId x = build.input("x", {DType::F32, {2, 3}, {}});
    CHECK(build.literal(build.add(op::exp, {x})) == nullptr);
    CHECK(build.transpose(x, {0, 1}) == x);
    CHECK(build.reshape(x, {2, 3}) == x);
    CHECK(build.map_axis(x, 1, identity(3)) == x);
}

TEST_CASE("a long name of the model is cut to the limits of a netlist and a file system, and stays unique") {
    ir::Graph graph;
    Builder build(graph);
    const std::string name(5000, 'a');
    build.set_origin(name);
    const ValueId x = build.input(name, {DType::F32, {2}, {}});
    const ValueId y = build.add(op::exp, {build.add(op::exp, {x})});
    graph.outputs.push_back({name, y, {}});
    graph.verify();
    for (const Node& node : graph.nodes) {
        CHECK(node.name.size() < 200);
        CHECK(node.origin == name);
    }
}

TEST_CASE("a window covers the input positions of its attributes") {
    Node node;
    node.name = "n";
    node.op = op::conv;
    node.attrs = {attr::strides(std::vector<std::int64_t>{2}), attr::pads(std::vector<std::int64_t>{1, 0}),
                  attr::dilations(std::vector<std::int64_t>{2})};
    const Window w = windows(node, {6}, {2}).at(0);
    CHECK(w.out == 3);  // (6 + 1 - 3) / 2 + 1
    CHECK(w.source(0, 0) == -1);
    CHECK(w.source(0, 1) == 1);
    CHECK(w.source(2, 1) == 5);
    node.op = op::conv_transpose;
    const Window t = windows(node, {3}, {2}).at(0);
    CHECK(t.out == 6);  // 2 * (3 - 1) + (2 - 1) * 2 + 1 - 1
    CHECK(t.source(1, 0) == 1);
    CHECK(t.source(1, 1) == 0);
    CHECK(t.source(0, 0) == -1);
}
