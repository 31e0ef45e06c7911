// Compiled models on sessions: inputs and outputs by name.
#include <onnx/messages.pb.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "compiler/files/result_folder.hpp"
#include "compiler/host/reference.hpp"
#include "compiler/model/compile.hpp"
#include "compiler/model/model_run.hpp"
#include "compiler/onnx/read.hpp"
#include "runtime/model.hpp"
#include "sim/run.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/random_graph.hpp"
#include "tests/folders.hpp"
#include "tests/runtime/resident.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;
namespace onnx = ttsim::onnx;
using ir::CompiledModel;
using ir::CompileOptions;
using ir::DType;
using ir::Literal;
using ir::Values;
using runtime::Model;
using runtime::ModelOptions;

namespace {

void add_weights(onnx::GraphProto& graph, const std::string& name, const std::vector<std::int64_t>& dims) {
    auto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    std::int64_t size = 1;
    for (const std::int64_t d : dims) {
        tensor.add_dims(d);
        size *= d;
    }
    for (std::int64_t i = 0; i < size; ++i) tensor.add_float_data(static_cast<float>((i * 37 + 11) % 64 - 32) / 128.0F);
}

/// y = softmax(relu(x w + b) v), x is 32 x 64.
std::string onnx_bytes() {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    onnx::GraphProto& graph = *model.mutable_graph();
    auto& x = *graph.add_input();
    x.set_name("x");
    auto& type = *x.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t d : {32, 64}) type.mutable_shape()->add_dim()->set_dim_value(d);
    add_weights(graph, "w", {64, 96});
    add_weights(graph, "b", {96});
    add_weights(graph, "v", {96, 32});
    const auto add = [&](const char* op, const std::vector<std::string>& in, const char* out) {
        auto& node = *graph.add_node();
        node.set_op_type(op);
        node.set_name(out);
        for (const std::string& name : in) node.add_input(name);
        node.add_output(out);
    };
    add("MatMul", {"x", "w"}, "p");
    add("Add", {"p", "b"}, "q");
    add("Relu", {"q"}, "r");
    add("MatMul", {"r", "v"}, "s");
    add("Softmax", {"s"}, "y");
    graph.add_output()->set_name("y");
    return model.SerializeAsString();
}

ir::Graph small_graph() {
    return ir::parse_graph(
        "%x = input : f32[4, 8]\n%w = constant [0.5, 0.25, -1, 2, 1, 0, -0.5, 1.5] : f32[8, 1]\n%b = constant [1] : "
        "f32[1]\n%p = matmul %x, %w\n%y = add %p, %b\noutput \"y\" = %y\n",
        "small.tg");
}

Literal numbers(const ir::Dims& dims, int seed) {
    Literal values(DType::F32, dims);
    for (std::int64_t i = 0; i < values.size(); ++i)
        values.set(i, static_cast<double>((i * 29 + seed * 17) % 41 - 20) / 16);
    return values;
}

CompiledModel compiled(const ir::Graph& graph, const std::string& device = "wh_n150",
                       DataFormat df = DataFormat::Float16_b, std::int64_t microbatch = 1) {
    CompileOptions options;
    options.device = device;
    options.default_df = df;
    options.microbatch = microbatch;
    return compile(graph, options);
}

ModelOptions one_thread(Numerics numerics = Numerics::Real) {
    ModelOptions options;
    options.session.threads = 1;
    options.session.numerics = numerics;
    return options;
}

double distance(const Literal& a, const Literal& b) {
    REQUIRE(a.dims() == b.dims());
    double most = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a.at(i) - b.at(i)));
    return most;
}

/// The folder run as `ttsim run` does it, with the model's inputs of the compile.
Values run_folder(const CompiledModel& model, const std::string& folder) {
    write_folder(model, folder);
    ir::ModelRunOptions options;
    options.place = folder;
    const auto device = [&](const ir::HostSteps& steps, ir::Entries inputs, std::int64_t samples) {
        sim::RunOptions run;
        run.netlist = folder + "/netlist.yaml";
        run.inputs_dir = folder;
        run.device = steps.device;
        run.check = false;
        run.threads = 1;
        const ir::Executes executes = ir::fill_executes(steps.microbatch, samples, inputs);
        run.params[model.forward().executes] = executes.count;
        run.inputs_count = executes.inputs_count;
        run.host_values = std::make_shared<const ir::Entries>(std::move(inputs));
        ir::Entries results;
        for (const ir::BoundTensor& tensor : steps.from_device) results[tensor.queue].resize(1);
        run.sink = [&](const std::string& queue, std::int64_t entry, Tensor value) {
            const auto found = results.find(queue);
            if (found != results.end() && entry == 0) found->second[0] = std::move(value);
        };
        sim::run(run);
        return results;
    };
    Values outputs;
    const ir::ModelRunReport report = run_model(ir::read_folder(folder), options, device);
    for (const ir::ModelOutput& output : report.outputs) outputs.emplace(output.name, output.value);
    CHECK(report.pass());
    return outputs;
}

}  // namespace

TEST_CASE("A model in memory agrees with the float32 model, and with its folder bit for bit") {
    const TempFolder folder;
    for (const char* device : {"gs_e150", "wh_n150"})
        for (const DataFormat df : {DataFormat::Float16_b, DataFormat::Bfp8_b})
            for (const bool onnx : {true, false}) {
                CAPTURE(device, to_string(df), onnx);
                const CompiledModel model =
                    compiled(onnx ? ir::parse_onnx(onnx_bytes(), "net", {}) : small_graph(), device, df);
                Model run(model, one_thread());
                const Values outputs = run.run(model.inputs);
                REQUIRE(outputs.size() == 1);
                const ir::Reference reference(*model.reference, model.host.program.graph);
                CHECK(distance(outputs.at("y"), reference.outputs(model.inputs)->at("y")) < (onnx ? 0.02 : 0.1));
                CHECK(outputs == run_folder(model, folder.path() + "/out"));
                Model again(ir::read_folder(folder.path() + "/out"), one_thread());
                CHECK(again.run(model.inputs) == outputs);
                CHECK(run.session().now() > 0);
            }
}

TEST_CASE("Random models in memory agree with their folders") {
    const TempFolder folder;
    for (std::uint32_t seed = 40; seed < 52; ++seed) {
        CAPTURE(seed);
        const CompiledModel model = compiled(ir::random_graph(seed), seed % 2 == 0 ? "gs_e150" : "wh_n150",
                                             DataFormat::Float16_b, 1 + seed % 3);
        Model run(model, one_thread());
        CHECK(run.run(model.inputs) == run_folder(model, folder.path() + "/out"));
    }
}

TEST_CASE("Several samples come out as each of them does alone, whatever the microbatch") {
    const CompiledModel model = compiled(small_graph(), "wh_n150", DataFormat::Float16_b, 3);
    Model run(model, one_thread());
    for (const std::int64_t samples : {2, 3, 7}) {
        CAPTURE(samples);
        const Literal all = numbers({samples, 4, 8}, 3);
        const Literal outputs = run.run({{"x", all}}).at("y");
        REQUIRE(outputs.dims() == ir::Dims{samples, 4, 1});
        for (std::int64_t k = 0; k < samples; ++k) {
            Literal one(DType::F32, {4, 8});
            for (std::int64_t i = 0; i < 32; ++i) one.set(i, all.at(32 * k + i));
            const Literal alone = run.run({{"x", one}}).at("y");
            for (std::int64_t i = 0; i < 4; ++i) CHECK(outputs.at(4 * k + i) == alone.at(i));
        }
    }
}

TEST_CASE("A stream gives outputs in the order of what was pushed") {
    Model run(compiled(small_graph(), "wh_n150", DataFormat::Float16_b, 2), one_thread());
    Model other(compiled(small_graph()), one_thread());
    CHECK_THROWS_WITH(run.get(), Catch::Contains("no sample is in flight"));
    for (int seed = 0; seed < 3; ++seed) run.push({{"x", numbers({4, 8}, seed)}});
    CHECK(run.in_flight() == 3);
    CHECK_THROWS_WITH(run.run({{"x", numbers({4, 8}, 0)}}), Catch::Contains("3 samples of push() are in flight"));
    for (int seed = 0; seed < 2; ++seed) CHECK(run.get() == other.run({{"x", numbers({4, 8}, seed)}}));
    CHECK_THROWS_WITH(run.get(), Catch::Contains("push() 1 more, or flush()"));
    run.flush();
    CHECK(run.get() == other.run({{"x", numbers({4, 8}, 2)}}));
    CHECK(run.in_flight() == 0);
    for (int seed = 0; seed < 4; ++seed) run.push({{"x", numbers({4, 8}, seed)}});
    int more = 4;
    CHECK_THROWS_WITH(
        [&] {
            for (; more < 100; ++more) run.push({{"x", numbers({4, 8}, more)}});
        }(),
        Catch::Contains("get() outputs"));
    for (int seed = 0; seed < more - more % 2; ++seed) CHECK(run.get() == other.run({{"x", numbers({4, 8}, seed)}}));
}

TEST_CASE("Replaced parameters give the results of a model compiled with them") {
    for (const DataFormat df : {DataFormat::Float16_b, DataFormat::Bfp8_b}) {
        ir::Graph graph = ir::parse_onnx(onnx_bytes(), "net", {});
        Model run(compiled(graph, "wh_n150", df), one_thread());
        std::vector<std::string> names;
        for (const runtime::ModelTensor& parameter : run.parameters()) names.push_back(parameter.name);
        CHECK(names == std::vector<std::string>{"w", "b", "v"});
        const Values inputs{{"x", numbers({32, 64}, 5)}};
        const Values before = run.run(inputs);
        for (ir::Node& node : graph.nodes)
            if (node.is_constant()) {
                const Literal value = numbers(node.type.dims, 9);
                run.set_parameter(node.origin, value);
                CHECK(run.parameter(node.origin) == value);
                node.literal = std::make_shared<Literal>(value);
            }
        Model fresh(compiled(graph, "wh_n150", df), one_thread());
        const Values after = run.run(inputs);
        CHECK(after != before);
        CHECK(after == fresh.run(inputs));
    }
}

TEST_CASE("Replaced kernels and biases of convolutions give the results of a model compiled with them") {
    const auto graph_of = [](const std::string& attributes, const ir::Dims& kernel) {
        ir::Graph graph = ir::parse_graph(
            fmt::format("%x = input : f32[1, 4, 10, 10]\n%w = constant [0.5] : f32[{}]\n%b = constant [1] : f32[{}]\n"
                        "%c = conv %x, %w, %b {}\n%y = relu %c\noutput \"y\" = %y\n",
                        fmt::join(kernel, ", "), kernel[0], attributes),
            "conv.tg");
        for (ir::Node& node : graph.nodes)
            if (node.is_constant()) node.literal = std::make_shared<Literal>(numbers(node.type.dims, 3));
        return graph;
    };
    const std::vector<std::pair<std::string, ir::Dims>> convolutions{{"{pads = [1, 1, 1, 1]}", {6, 4, 3, 3}},
                                                                     {"{strides = [2, 2]}", {40, 4, 3, 3}},
                                                                     {"{}", {8, 4, 1, 1}},
                                                                     {"{group = 4, pads = [1, 1, 1, 1]}", {4, 1, 3, 3}},
                                                                     {"{group = 2}", {6, 2, 2, 2}}};
    for (const auto& [attributes, kernel] : convolutions) {
        CAPTURE(attributes, kernel);
        ir::Graph graph = graph_of(attributes, kernel);
        Model run(compiled(graph), one_thread());
        REQUIRE(run.parameters().size() == 2);
        const Values inputs{{"x", numbers({1, 4, 10, 10}, 5)}};
        const Values before = run.run(inputs);
        for (ir::Node& node : graph.nodes) {
            if (!node.is_constant()) continue;
            const Literal value = numbers(node.type.dims, 9);
            run.set_parameter(node.name, value);
            node.literal = std::make_shared<Literal>(value);
        }
        const Values after = run.run(inputs);
        CHECK(after != before);
        CHECK(after == Model(compiled(graph), one_thread()).run(inputs));
        Literal far = numbers({kernel[0]}, 1);
        far.set(0, 1e6);
        CHECK_THROWS_WITH(
            run.set_parameter("b", far),
            Catch::Contains("parameter 'b': 1e+06 is beyond 32, for which the model must be compiled anew"));
        CHECK(run.run(inputs) == after);
    }
}

TEST_CASE("Random models with replaced parameters agree with models compiled with them") {
    int replaced = 0;
    for (std::uint32_t seed = 40; seed < 80; ++seed) {
        ir::Graph graph = ir::random_graph(seed);
        Model run(compiled(graph), one_thread());
        for (const runtime::ModelTensor& parameter : run.parameters()) {
            CAPTURE(seed, parameter.name);
            if (!ir::is_float(parameter.type.dtype)) continue;
            const Literal value = numbers(parameter.type.dims, 9);
            run.set_parameter(parameter.name, value);
            for (ir::Node& node : graph.nodes)
                if (node.is_constant() && ir::parameter_name(node) == parameter.name)
                    node.literal = std::make_shared<Literal>(value);
            ++replaced;
        }
        CAPTURE(seed);
        CHECK(run.run(run.compiled().inputs) == Model(compiled(graph), one_thread()).run(run.compiled().inputs));
    }
    CHECK(replaced > 1);
}

TEST_CASE("A model compiled for a chip's path is one for the chip") {
    CompileOptions options;
    options.device = (test::source_folder() / "examples/own_chip/chips/tiny").string();
    const CompiledModel model = compile(small_graph(), options);
    CHECK(model.netlist.archs == std::vector<std::string>{"tiny"});
    CHECK(model.host.device == "tiny");
    Model run(model, one_thread());
    CHECK(run.session().machine().chips.front().params.name == "tiny");
    CHECK(run.run(model.inputs).size() == 1);
}

TEST_CASE("Wrong names, shapes and types are reported by name, and change nothing") {
    Model run(compiled(small_graph()), one_thread());
    CHECK_THROWS_WITH(run.run({{"X", numbers({4, 8}, 0)}}),
                      Catch::Contains("the call names 'X', but the model has no such input; did you mean 'x'?"));
    CHECK_THROWS_WITH(run.run({}), Catch::Contains("input 'x' f32[4, 8] has no value"));
    CHECK_THROWS_WITH(run.run({{"x", numbers({8, 4}, 0)}}), Catch::Contains("its shape is [8, 4]; input 'x'"));
    CHECK_THROWS_WITH(run.run({{"x", Literal(DType::I64, {4, 8})}}), Catch::Contains("input 'x' is f32[4, 8]"));
    CHECK_THROWS_WITH(run.push({{"x", numbers({2, 4, 8}, 0)}}), Catch::Contains("push() takes one sample"));
    CHECK_THROWS_WITH(run.set_parameter("a", numbers({1}, 0)), Catch::Contains("no parameter 'a'"));
    CHECK_THROWS_WITH(run.set_parameter("w", numbers({1}, 0)),
                      Catch::Contains("parameter 'w' is f32[8, 1], not f32[1]"));
    CHECK(run.session().now() == 0);
    CHECK(run.inputs().at(0).name == "x");
    CHECK(run.outputs().at(0).type.dims == ir::Dims{4, 1});
}

TEST_CASE("Timing mode runs a model without values") {
    ModelOptions options = one_thread();
    options.session.mode = sim::Mode::Timing;
    Model timing(compiled(small_graph()), options);
    Model full(compiled(small_graph()), one_thread());
    const Values inputs{{"x", numbers({40, 4, 8}, 1)}};  // rounds repeat, and the host pushes and pops between them
    CHECK(timing.run(inputs).empty());
    CHECK_FALSE(full.run(inputs).empty());
    CHECK(timing.session().now() == full.session().now());
}

TEST_CASE("A second run does not elaborate again") {
    ModelOptions options = one_thread();
    options.session.mode = GENERATE(sim::Mode::Full, sim::Mode::Timing, sim::Mode::Functional);
    Model model(compiled(small_graph()), options);
    const Values inputs{{"x", numbers({4, 8}, 1)}};
    model.run(inputs);
    const std::int64_t plans = model.session().report().plans;
    CHECK(plans > 0);
    model.run(inputs);
    CHECK(model.session().report().plans == plans);
}

TEST_CASE("A warm model that is run 1,000 times does not grow") {
    Model run(compiled(small_graph()), one_thread());
    const Values inputs{{"x", numbers({4, 8}, 1)}};
    for (int n = 0; n < 100; ++n) run.run(inputs);
    const std::int64_t before = resident();
    const Values first = run.run(inputs);
    for (int n = 0; n < 1000; ++n) REQUIRE(run.run(inputs) == first);
    CHECK(resident() - before < 1 << 20);
}
