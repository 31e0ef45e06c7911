// Graphs of training as text: programs of nodes, and parameters with what replaces them.
#include <catch2/catch.hpp>

#include "compiler/ir/graph.hpp"
#include "compiler/model/compile.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;

namespace {

/// A model y = x * w, with its gradient and a step of gradient descent.
constexpr const char* trained =
    "%x = input : f32[2]\n"
    "%w = parameter [1, 2] {state = \"layer.weight\"} : f32[2] from \"layer.weight\"\n"
    "%y = multiply %x, %w : f32[2]\n"
    "%dw = multiply %x, %y : f32[2] in \"loss\" for backward\n"
    "%sum = input {state = \"grad_acc\"} : f32[2] for optimizer\n"
    "%w_1 = subtract %w, %sum : f32[2] for optimizer\n"
    "output \"y\" = %y\n"
    "output \"grad_acc\" = %dw\n"
    "output \"layer.weight\" = %w_1\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
}

std::string refusal(const std::string& text) {
    try {
        ir::parse_graph(text, "model.tg");
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        return error.what();
    }
    return "it was read";
}

}  // namespace

TEST_CASE("programs of nodes and initial values of parameters are printed and read back equal") {
    const ir::Graph graph = ir::parse_graph(trained, "text");
    graph.verify();
    CHECK(graph.nodes[1].is_parameter());
    CHECK(graph.nodes[1].initial->at(1) == 2);
    CHECK(graph.nodes[2].phase == ir::Phase::Forward);
    CHECK(graph.nodes[3].phase == ir::Phase::Backward);
    CHECK(ir::print_graph(graph) == std::string(trained));
    CHECK(equal(ir::parse_graph(ir::print_graph(graph), "text"), graph));
    ir::Graph other = graph;
    other.nodes[3].phase = ir::Phase::Optimizer;
    CHECK_FALSE(equal(other, graph));
    other = graph;
    other.nodes[1].initial = std::make_shared<ir::Literal>(ir::DType::F32, ir::Dims{2});
    CHECK_FALSE(equal(other, graph));
    for (std::uint32_t seed = 1; seed <= 50; ++seed) {
        ir::Graph made = ir::random_graph(seed);  // later nodes are of later programs
        for (std::size_t id = 0; id < made.nodes.size(); ++id) {
            ir::Node& node = made.nodes[id];
            if (node.is_input()) node.initial = std::make_shared<ir::Literal>(node.type.dtype, node.type.dims);
            node.phase = static_cast<ir::Phase>(3 * id / made.nodes.size());
        }
        CAPTURE(seed);
        made.verify();
        REQUIRE(equal(ir::parse_graph(ir::print_graph(made), "text"), made));
    }
}

TEST_CASE("each mistake in the programs of a graph has its message") {
    CHECK_THAT(refusal(std::string(trained) + "%z = exp %dw\n"),
               Catch::Contains("model.tg:10:6: error: 'z' of the forward program reads 'dw' of the backward program, "
                               "which runs later"));
    CHECK_THAT(refusal(with(trained, "for backward", "for backwards")),
               Catch::Contains("no program is called 'backwards'; there are forward, backward and optimizer"));
    CHECK_THAT(
        refusal("%x = input : f32[2]\n%v = top_k %x {axis = 0, k = 1} for backward\n%i = result %v {index = 1}\n"),
        Catch::Contains("'i' of the forward program is a result of 'v' of the backward program"));
    CHECK_THAT(refusal(with(trained, "output \"layer.weight\" = %w_1\n", "")),
               Catch::Contains("model.tg:2:6: error: nothing replaces parameter 'w'; add 'output \"layer.weight\" = "));
    CHECK_THAT(refusal(std::string(trained) + "output \"layer.weight\" = %dw\n"),
               Catch::Contains("two values replace parameter 'w': 'w_1' and 'dw'"));
    CHECK_THAT(refusal(with(trained, "\"layer.weight\" = %w_1", "\"layer.weight\" = %y")),
               Catch::Contains("parameter 'w' is replaced by 'y' of the forward program"));
    CHECK_THAT(refusal(with(with(trained, "parameter [1, 2]", "parameter [1]"), "} : f32[2] from", "} : f32[1] from")),
               Catch::Contains("parameter 'w' is f32[1] and is replaced by 'w_1', f32[2]"));
    CHECK_THAT(refusal("%w = parameter [1, 2]\n"), Catch::Contains("'%w' needs a type"));
    ir::Graph graph = ir::parse_graph(trained, "text");
    graph.nodes[1].initial = std::make_shared<ir::Literal>(ir::DType::F32, ir::Dims{3});
    CHECK_THROWS_WITH(graph.verify(), Catch::Contains("'w' is f32[2] and has the initial value of another shape"));
}

TEST_CASE("a graph with programs of training is not compiled, since passes make them") {
    CHECK_THROWS_WITH(
        compile(ir::parse_graph(trained, "model.tg"), {}),
        Catch::Contains("model.tg:2:6: unsupported: 'w' is a parameter; write it as a constant, which --training") &&
            Catch::Contains("model.tg:4:7: unsupported: 'dw' is of the backward program; give the forward program"));
}
