// Loops that become programs, compared with the unrolled model.
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/files/result_folder.hpp"
#include "compiler/ir/op_table.hpp"
#include "compiler/model/compile.hpp"
#include "runtime/image/image.hpp"
#include "runtime/model.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/random_graph.hpp"
#include "tests/folders.hpp"

using namespace ttsim::impl;
using ir::Literal;
using ir::Values;
using runtime::Model;
using runtime::ModelOptions;

namespace {

constexpr int iterations = 7;

/// One turn of a loop called `loop`: h' = tanh(x_t * W + h * R), c' = c / 2 + h'.
std::string iteration(const std::string& loop, int t, const std::string& slice, const std::string& before) {
    const std::string mark = fmt::format(R"({{loop = "{}", iteration = {}}})", loop, t);
    std::string text = fmt::format(R"(%pick_{0}{1} = constant [{2}] : f32[1, {3}]
%row_{0}{1} = map_axis %x, %pick_{0}{1} {{axis = 0, loop = "{0}", iteration = {1}}}
%x_{0}{1} = reshape %row_{0}{1} {{dims = [2, 48], loop = "{0}", iteration = {1}}}
%xw_{0}{1} = matmul %x_{0}{1}, %W {4}
)",
                                   loop, t, slice, iterations, mark);
    if (before.empty())
        text +=
            fmt::format("%h_{0}{1} = tanh %xw_{0}{1} {2}\n%c_{0}{1} = multiply %h_{0}{1}, %half {2}\n", loop, t, mark);
    else
        text += fmt::format(R"(%hr_{0}{1} = matmul %h_{0}{2}, %R {3}
%s_{0}{1} = add %xw_{0}{1}, %hr_{0}{1} {3}
%h_{0}{1} = tanh %s_{0}{1} {3}
%d_{0}{1} = multiply %c_{0}{2}, %half {3}
%c_{0}{1} = add %d_{0}{1}, %h_{0}{1} {3}
)",
                            loop, t, before, mark);
    return text + fmt::format("%y_{0}{1} = reshape %h_{0}{1} {{dims = [1, 2, 64], loop = \"{0}\", iteration = {1}}}\n",
                              loop, t);
}

/// Two loops over the same slices, one from behind; all results of both, and what one leaves.
ir::Graph model_of_loops() {
    std::string text = "%x = input : f32[7, 2, 48]\n%half = constant [0.5] : f32[]\n";
    const auto matrix = [&](const char* name, int rows, double scale) {
        text += fmt::format("%{} = constant [", name);
        for (int i = 0; i < rows * 64; ++i)
            text += fmt::format("{}{:.4f}", i == 0 ? "" : ", ", scale * std::sin(1.7 * i + rows));
        text += fmt::format("] : f32[{}, 64]\n", rows);
    };
    matrix("W", 48, 0.3);
    matrix("R", 64, 0.2);
    std::vector<std::string> forth, back(iterations);
    for (int t = 0; t < iterations; ++t) {
        for (const std::string loop : {"f", "b"}) {
            const int place = loop == "f" ? t : iterations - 1 - t;
            std::string slice;
            for (int k = 0; k < iterations; ++k) slice += fmt::format("{}{}", k == 0 ? "" : ", ", k == place ? 1 : 0);
            text += iteration(loop, t, slice, t == 0 ? "" : std::to_string(t - 1));
        }
        forth.push_back(fmt::format("%y_f{}", t));
        back[static_cast<std::size_t>(iterations - 1 - t)] = fmt::format("%y_b{}", t);
    }
    for (std::size_t t = 0; t < back.size(); ++t) forth.insert(forth.begin() + 2 * static_cast<long>(t) + 1, back[t]);
    text += fmt::format("%all = join {} {{axis = 0}}\n", fmt::join(forth, ", "));
    return ir::parse_graph(
        text + fmt::format("%z = relu %all\noutput \"z\" = %z\noutput \"c\" = %c_f{}\n", iterations - 1), "loops");
}

ir::CompiledModel compiled(const ir::Graph& graph, ir::Loops loops, std::int64_t microbatch,
                           const std::string& device) {
    ir::CompileOptions options;
    options.device = device;
    options.default_df = DataFormat::Float32;
    options.loops = loops;
    options.microbatch = microbatch;
    return ir::compile(graph, options);
}

ModelOptions exact(sim::Mode mode) {
    ModelOptions options;
    options.session.threads = 1;
    options.session.numerics = Numerics::Float32;
    options.session.mode = mode;
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

}  // namespace

TEST_CASE("A loop as a program agrees with the unrolled loop") {
    const ir::Graph graph = model_of_loops();
    for (const std::string device : {"gs_e150", "wh_n150"})
        for (const std::int64_t microbatch : {1, 2}) {
            CAPTURE(device, microbatch);
            const ir::CompiledModel model = compiled(graph, ir::Loops::Programs, microbatch, device);
            const auto& inputs = model.host.to_device;
            REQUIRE(std::any_of(inputs.begin(), inputs.end(),
                                [](const auto& one) { return one.iterations == iterations - 1; }));
            const Values want = ir::evaluate(graph, model.inputs);
            Model functional(model, exact(sim::Mode::Functional)), full(model, exact(sim::Mode::Full));
            const Values outputs = functional.run(model.inputs);
            check_close(outputs, want);
            CHECK(full.run(model.inputs) == outputs);
            CHECK(full.run(model.inputs) == outputs);  // nothing is left of the run before
            for (int n = 0; n < 3; ++n) full.push(model.inputs);
            full.flush();
            for (int n = 0; n < 3; ++n) CHECK(full.get() == outputs);
        }
}

TEST_CASE("Loops survive folders and images") {
    const TempFolder folder;
    const ir::CompiledModel model = compiled(model_of_loops(), ir::Loops::Programs, 1, "wh_n150");
    const Values outputs = Model(model, exact(sim::Mode::Functional)).run(model.inputs);
    ir::write_folder(model, folder.path() + "/out");
    CHECK(equal(ir::read_folder(folder.path() + "/out"), model));
    image::write_image(model, folder.path() + "/model.tti", {});
    const image::Image image = image::read_image(folder.path() + "/model.tti");
    CHECK(Model(image.model, exact(sim::Mode::Functional)).run(model.inputs) == outputs);
}

TEST_CASE("Short loops, and loops whose iterations differ, are unrolled") {
    ir::Graph graph = model_of_loops();
    const auto loops = [](const ir::CompiledModel& model) {
        const auto& inputs = model.host.to_device;
        return std::count_if(inputs.begin(), inputs.end(), [](const auto& one) { return one.iterations > 0; });
    };
    CHECK(loops(compiled(graph, ir::Loops::IfProfitable, 1, "wh_n150")) == 0);
    CHECK(loops(compiled(graph, ir::Loops::Unrolled, 1, "wh_n150")) == 0);
    for (ir::Node& node : graph.nodes)
        if (node.name == "h_f4" || node.name == "h_b4") node.op = ir::op::sigmoid;
    const ir::CompiledModel model = compiled(graph, ir::Loops::Programs, 1, "wh_n150");
    CHECK(loops(model) == 0);
    check_close(Model(model, exact(sim::Mode::Functional)).run(model.inputs), ir::evaluate(graph, model.inputs));
}
