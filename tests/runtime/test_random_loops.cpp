// Random graphs with loops and quantizers, on the machine in float32, against what their ops say.
#include <algorithm>
#include <catch2/catch.hpp>

#include "compiler/model/compile.hpp"
#include "runtime/model.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using ir::Values;
using runtime::Model;
using runtime::ModelOptions;

namespace {

/// Whether the model became a program that loops.
bool check_loop_seed(std::uint32_t seed) {
    const ir::Graph graph = ir::random_loop_graph(seed);
    CAPTURE(seed, print_graph(graph, 16));
    ir::CompileOptions options;
    options.device = seed % 2 == 0 ? "wh_n150" : "gs_e150";
    options.default_df = DataFormat::Float32;
    options.loops = seed % 4 == 3 ? ir::Loops::Unrolled : ir::Loops::Programs;
    options.host_fallback = seed % 5 != 0 || options.loops == ir::Loops::Programs;
    options.seed = seed;
    options.microbatch = 1 + seed % 3 / 2;
    const ir::CompiledModel model = ir::compile(graph, options);
    ModelOptions run;
    run.session.threads = 1;
    run.session.numerics = Numerics::Float32;
    run.session.mode = seed % 3 == 0 ? sim::Mode::Full : sim::Mode::Functional;
    Values given = model.inputs;
    for (const ir::Node& node : graph.nodes)  // one that nothing reads has no values
        if (node.is_input()) given.emplace(node.name, ir::Literal(ir::DType::F32, node.type.dims));
    const Values have = Model(model, run).run(model.inputs), want = ir::evaluate(graph, given);
    ir::require_close(have, want);
    const auto& inputs = model.host.to_device;
    return std::any_of(inputs.begin(), inputs.end(), [](const auto& one) { return one.iterations > 0; });
}

}  // namespace

TEST_CASE("A random graph with loops and quantizers agrees with the reference of its ops") {
    int programs = 0;
    for (std::uint32_t seed = 1; seed <= 16; ++seed) programs += check_loop_seed(seed) ? 1 : 0;
    CHECK(programs > 1);
}

// Run by hand or at night: test_runtime "[nightly]"
TEST_CASE("500 random graphs with loops and quantizers agree with the reference of their ops", "[.][nightly]") {
    for (std::uint32_t seed = 1000; seed < 1500; ++seed) check_loop_seed(seed);
}
