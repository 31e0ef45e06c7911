// Concatenations along columns as splices (splice-columns), operands of different formats among them, on the machine.
#include <catch2/catch.hpp>
#include <random>

#include "compiler/model/compile.hpp"
#include "runtime/model.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using ir::Literal;
using ir::Values;

namespace {

/// Few different numbers, which block floats of 8 bits hold beside each other.
Literal few_numbers(const ir::Dims& dims, std::uint32_t seed) {
    std::mt19937 random(seed);
    Literal values(ir::DType::F32, dims);
    for (std::int64_t i = 0; i < values.size(); ++i) values.set(i, static_cast<double>(random() % 3) - 1);
    return values;
}

/// The columns of something narrower from `at` on.
Literal columns_from(std::int64_t at, const ir::Dims& dims) {
    Literal matrix(ir::DType::F32, dims);
    for (std::int64_t i = 0; i < dims[1]; ++i) matrix.set((at + i) * dims[1] + i, 1);
    return matrix;
}

/// relu((x - b, z w, x) side by side); z w as well.
ir::Graph side_by_side(std::int64_t rows, std::uint32_t seed) {
    ir::Graph graph = ir::parse_graph(
        fmt::format(
            "%x = input : f32[{0}, 64]\n%z = input : f32[{0}, 32]\n%b = constant [1] : f32[64]\n"
            "%w = constant [1] : f32[32, 96]\n%first = constant [1] : f32[224, 64]\n%second = constant [1] : f32[224, "
            "96]\n%third = constant [1] : f32[224, 64]\n%d = subtract %x, %b\n%p = matmul %z, %w\n"
            "%dd = map_axis %d, %first {{axis = 1}}\n%pp = map_axis %p, %second {{axis = 1}}\n"
            "%xx = map_axis %x, %third {{axis = 1}}\n%s = add %dd, %pp\n%t = add %s, %xx\n%y = relu %t\n"
            "output \"p\" = %p\noutput \"y\" = %y\n",
            rows),
        "concatenation.tg");
    for (ir::Node& node : graph.nodes) {
        const ir::Dims& dims = node.type.dims;
        if (node.name == "b") node.literal = std::make_shared<Literal>(few_numbers(dims, seed));
        if (node.name == "w") node.literal = std::make_shared<Literal>(few_numbers(dims, seed + 1));
        if (node.name == "first") node.literal = std::make_shared<Literal>(columns_from(0, dims));
        if (node.name == "second") node.literal = std::make_shared<Literal>(columns_from(64, dims));
        if (node.name == "third") node.literal = std::make_shared<Literal>(columns_from(160, dims));
    }
    return graph;
}

const Op* splice_of(const ir::CompiledModel& model) {
    for (const Graph& graph : model.netlist.graphs)
        for (const Op& op : graph.ops)
            if (op.cfg.type == "splice") return &op;
    return nullptr;
}

}  // namespace

TEST_CASE("Concatenations of columns are spliced and keep their values, in mixed formats too") {
    std::uint32_t seed = 3;
    for (const std::string device : {"wh_n150", "gs_e150"})
        for (const DataFormat format : {DataFormat::Float16_b, DataFormat::Bfp8_b})
            for (const std::int64_t rows : {40, 320}) {
                CAPTURE(device, rows, to_string(format));
                const ir::Graph graph = side_by_side(rows, seed += 10);
                ir::CompileOptions options;
                options.device = device;
                options.default_df = format;
                options.fidelity = Fidelity::HiFi4;
                ir::CompiledModel compiled = ir::compile(graph, options);
                const Op* splice = splice_of(compiled);
                REQUIRE(splice);
                for (const DataFormat in : splice->cfg.in_df) CHECK(in == DataFormat::Float16_b);
                runtime::ModelOptions run;
                run.session.threads = 1;
                runtime::Model model(std::move(compiled), run);
                const Values inputs{{"x", few_numbers({rows, 64}, seed)}, {"z", few_numbers({rows, 32}, seed + 2)}};
                ir::require_close(model.run(inputs), ir::evaluate(graph, inputs));
            }
}

TEST_CASE("Columns whose splice fits on no grid are put to their places by products, on the device") {
    ir::Graph graph = ir::parse_graph(
        "%x = input : f32[4096, 1024]\n%z = input : f32[4096, 1024]\n%left = constant [1] : f32[2048, 1024]\n"
        "%right = constant [1] : f32[2048, 1024]\n%a = map_axis %x, %left {axis = 1}\n"
        "%b = map_axis %z, %right {axis = 1}\n%y = add %a, %b\noutput \"y\" = %y\n",
        "wide.tg");
    for (ir::Node& node : graph.nodes)
        if (node.is_constant())
            node.literal = std::make_shared<Literal>(columns_from(node.name == "left" ? 0 : 1024, node.type.dims));
    ir::CompileOptions options;
    options.device = "gs_e150";
    CHECK(splice_of(ir::compile(graph, options)));
    options.t_streaming = false;  // the rows of one column of cores are too many then
    const ir::CompiledModel products = ir::compile(graph, options);
    CHECK_FALSE(splice_of(products));
    std::map<std::string, int> ops;
    for (const Graph& epoch : products.netlist.graphs)
        for (const Op& op : epoch.ops) ++ops[op.cfg.type];
    CHECK(ops == std::map<std::string, int>{{"matmul", 2}, {"add", 1}});
}
