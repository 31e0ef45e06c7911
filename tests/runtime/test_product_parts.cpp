// Products in parts of their columns (split-products) against whole ones, on the machine.
#include <catch2/catch.hpp>
#include <random>

#include "compiler/model/compile.hpp"
#include "runtime/model.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using ir::Literal;
using ir::Values;
using runtime::Model;
using runtime::ModelOptions;

namespace {

/// Few different numbers, so that sums are exact in every order and format they pass.
Literal small_numbers(const ir::Dims& dims, std::uint32_t seed) {
    std::mt19937 random(seed);
    Literal values(ir::DType::F32, dims);
    for (std::int64_t i = 0; i < values.size(); ++i) values.set(i, static_cast<double>(random() % 3) - 1);
    return values;
}

/// relu(x w + b) v, with columns a splice takes in one run and in several.
ir::Graph two_products(std::int64_t rows, std::int64_t middle, std::int64_t columns, std::uint32_t seed) {
    ir::Graph graph = ir::parse_graph(
        fmt::format("%x = input : f32[{0}, 40]\n%w = constant [1] : f32[40, {1}]\n%b = constant [1] : f32[{1}]\n%v = "
                    "constant [1] : f32[{1}, {2}]\n%p = matmul %x, %w\n%q = add %p, %b\n%r = relu %q\n%s = matmul %r, "
                    "%v\noutput \"r\" = %r\noutput \"s\" = %s\n",
                    rows, middle, columns),
        "products.tg");
    for (ir::Node& node : graph.nodes)
        if (node.is_constant()) node.literal = std::make_shared<Literal>(small_numbers(node.type.dims, ++seed));
    return graph;
}

ir::CompiledModel compiled(const ir::Graph& graph, std::int64_t first, std::int64_t second) {
    ir::CompileOptions options;
    options.device = "wh_n150";
    options.default_df = DataFormat::Float32;
    options.overrides["nop"].parts = first;
    options.overrides["matmul_1"].parts = second;
    return ir::compile(graph, options);
}

ModelOptions exact() {
    ModelOptions options;
    options.session.threads = 1;
    options.session.numerics = Numerics::Float32;
    return options;
}

}  // namespace

TEST_CASE("A product in parts gives the result of the whole, with other parameters too") {
    std::uint32_t seed = 7;
    struct Case {
        std::int64_t rows, middle, columns, first, second;
    };
    // the last columns are filled up; runs of 4 and of 5 tiles on several cores
    for (const auto& [rows, middle, columns, first, second] :
         {Case{1, 256, 128, 4, 2}, Case{40, 250, 90, 8, 3}, Case{3, 1024, 640, 2, 2}, Case{33, 640, 1024, 5, 8}}) {
        CAPTURE(rows, middle, columns);
        ir::Graph graph = two_products(rows, middle, columns, seed += 10);
        const Values inputs{{"x", small_numbers({rows, 40}, seed)}};
        Model parts(compiled(graph, first, second), exact());
        ir::require_close(parts.run(inputs), ir::evaluate(graph, inputs));
        for (ir::Node& node : graph.nodes) {
            if (!node.is_constant()) continue;
            const Literal value = small_numbers(node.type.dims, ++seed);
            parts.set_parameter(node.name, value);
            node.literal = std::make_shared<Literal>(value);
        }
        ir::require_close(parts.run(inputs), ir::evaluate(graph, inputs));
    }
}
