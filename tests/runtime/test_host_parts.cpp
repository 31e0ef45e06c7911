// Models with host ops between device ops: the device runs in parts.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "compiler/files/result_folder.hpp"
#include "compiler/ir/op_table.hpp"
#include "compiler/model/compile.hpp"
#include "runtime/image/image.hpp"
#include "runtime/model.hpp"
#include "runtime/part_values.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/random_graph.hpp"
#include "tests/folders.hpp"

using namespace ttsim::impl;
using ir::Literal;
using ir::Values;
using runtime::Model;
using runtime::ModelOptions;

namespace {

/// A quarter of the ops that the host can compute.
ir::Graph with_host_ops(ir::Graph graph, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (ir::Node& node : graph.nodes) {
        const ir::OpInfo* op = ir::find_op(node.op);
        if (op && op->eval && random() % 4 == 0) node.set(ir::attr::host, true);
    }
    return graph;
}

ir::CompiledModel compiled(const ir::Graph& graph, std::uint32_t seed) {
    ir::CompileOptions options;
    options.device = seed % 4 < 2 ? "gs_e150" : "wh_n150";
    options.default_df = DataFormat::Float32;
    options.microbatch = 1 + seed % 3;
    options.seed = seed;
    return ir::compile(graph, options);
}

ModelOptions exact(std::uint32_t seed) {
    ModelOptions options;
    options.session.threads = 1;
    options.session.numerics = Numerics::Float32;
    if (seed % 4 < 2) options.session.mode = sim::Mode::Functional;
    return options;
}

void check_close(const Values& have, const Values& want) {
    REQUIRE(have.size() == want.size());
    for (const auto& [name, literal] : want) {
        CAPTURE(name);
        REQUIRE(have.at(name).dims() == literal.dims());
        for (std::int64_t i = 0; i < literal.size(); ++i)
            REQUIRE(std::fabs(have.at(name).at(i) - literal.at(i)) <= 1e-4 + 1e-4 * std::fabs(literal.at(i)));
    }
}

/// Inputs that nothing reads have no values.
Values with_all_inputs(Values given, const ir::Graph& graph) {
    for (const ir::Node& node : graph.nodes)
        if (node.is_input()) given.emplace(node.name, Literal(ir::DType::F32, node.type.dims));
    return given;
}

}  // namespace

TEST_CASE("Random models agree with the reference of their ops when some run on the host") {
    const TempFolder folder;
    int in_parts = 0;
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const ir::Graph graph = seed % 2 == 0 ? ir::random_graph(seed) : ir::random_large_graph(seed);
        const ir::CompiledModel model = compiled(with_host_ops(graph, seed), seed);
        in_parts += model.host.program.parts() > 1 ? 1 : 0;
        Model run(model, exact(seed));
        const Values outputs = run.run(model.inputs);
        check_close(outputs, ir::evaluate(graph, with_all_inputs(model.inputs, graph)));

        // a stream, sample by sample
        for (int n = 0; n < 2; ++n) run.push(model.inputs);
        run.flush();
        for (int n = 0; n < 2; ++n) CHECK(run.get() == outputs);

        const std::string out = folder.path() + "/out", tti = folder.path() + "/model.tti";
        ir::write_folder(model, out);
        CHECK(equal(ir::read_folder(out), model));
        const Machine machine = runtime::machine_of(model);
        image::write_image(model, tti, {});
        const image::Image image = image::read_image(tti);
        CHECK(Model(image.model, exact(seed)).run(model.inputs) == outputs);
    }
    CHECK(in_parts >= 3);
}

TEST_CASE("Partitions without a clock give the inputs of the host ops") {
    for (const std::int64_t microbatch : {1, 3}) {
        ir::CompileOptions options;
        options.microbatch = microbatch;
        const ir::CompiledModel model = ir::compile(ir::parse_graph(R"(%x = input : f32[40, 32]
%a = relu %x
%b = sine %a {host = 1}
%ones = constant [1] : f32[32, 32]
%c = matmul %b, %ones
%d = add %c, %a
output "d" = %d
)",
                                                                    "net"),
                                                    options);
        REQUIRE(model.host.program.parts() == 2);
        runtime::PartValues parts(model, runtime::machine_of(model), {});
        ir::HostRun host(model.host.program, model.inputs);
        ir::Entries entries;
        for (int sample = 0; sample < 4; ++sample) add_entries(model.host, 1, host.device_inputs(1), entries);
        const ir::Entries made = parts.run(1, entries, 4);
        host.set_results(1, results_of(model.host, 1, made, 3));
        entries.clear();
        for (int sample = 0; sample < 4; ++sample) add_entries(model.host, 2, host.device_inputs(2), entries);
        host.set_results(2, results_of(model.host, 2, parts.run(2, entries, 4), 3));
        Model run(model);
        CHECK(host.outputs() == run.run(model.inputs));
        const Literal& x = model.inputs.at("x");
        for (std::int64_t i = 0; i < x.size(); ++i) {
            double sum = std::max(x.at(i), 0.0);
            for (std::int64_t k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) sum += std::sin(std::max(x.at(k), 0.0));
            REQUIRE(std::fabs(host.outputs().at("d").at(i) - sum) < 0.1);
        }
    }
}

TEST_CASE("A value that several parts read goes to each of them") {
    std::string text = "%x = input : f32[32, 32]\n%w = constant [0.0625] : f32[32, 32]\n%v0 = matmul %x, %w\n";
    for (int n = 0; n < 4; ++n)
        text += fmt::format("%s{0} = sine %v{0}\n%p{0} = matmul %s{0}, %w\n%v{1} = add %p{0}, %v0\n", n, n + 1);
    const ir::Graph graph = ir::parse_graph(text + "output \"y\" = %v4\n", "net");
    ir::Graph marked = graph;
    for (ir::Node& node : marked.nodes)
        if (node.op == ir::op::sine) node.set(ir::attr::host, true);
    const ir::CompiledModel model = compiled(marked, 1);
    CHECK(model.host.program.parts() == 5);
    CHECK(model.programs.size() == 5);
    Model run(model, exact(1));
    check_close(run.run(model.inputs), ir::evaluate(graph, model.inputs));
}
