// Models compiled in memory, step by step, and as folders.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "compiler/files/model_files.hpp"
#include "compiler/files/result_folder.hpp"
#include "compiler/model/compile.hpp"
#include "compiler/onnx/read.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Files of a folder and their contents.
std::map<std::string, std::string> contents(const std::string& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder))
        all[entry.path().filename().string()] = bytes_of(entry.path());
    return all;
}

constexpr const char* half = "%x = input : f16[3, 40]\n%c = constant [0.5] : f16[40]\n%y = add %x, %c\n";

ir::Graph small_graph() { return parse_graph(std::string(half) + "output \"y\" = %y\n", "half.tg"); }

}  // namespace

TEST_CASE("a compiled model reads back equal from its folder, and is written again to the same bytes") {
    const TempFolder folder;
    for (std::uint32_t seed = 1; seed <= 24; ++seed) {
        CAPTURE(seed);
        CompileOptions options;
        options.seed = seed;
        options.microbatch = 1 + seed % 3;
        options.device = seed % 2 == 0 ? "gs_e150" : "wh_n150";
        options.default_df = seed % 4 == 0 ? DataFormat::Bfp8_b : DataFormat::Float16_b;
        CompiledModel model = compile(seed == 1 ? small_graph() : random_graph(seed), options);
        model.command = "ttsim compile something";
        const std::string first = folder.path() + "/a", second = folder.path() + "/b";
        write_folder(model, first);
        CompiledModel read = read_folder(first);
        CHECK(equal(read.host, model.host));
        CHECK(equal(read.netlist, model.netlist));
        CHECK(equal(read, model));
        write_folder(read, second);
        CHECK(contents(first) == contents(second));
        if (read.constants.empty()) continue;
        Tensor changed = *read.constants.front().entry.tensor();
        changed.data.front() += 1;
        read.constants.front().entry = std::move(changed);
        CHECK_FALSE(equal(read, model));
    }
}

TEST_CASE("a graph in memory compiles to the same result as its file") {
    const TempFolder folder;
    const ir::Graph graph = random_graph(7);
    ModelFiles files;
    files.model = folder.path() + "/model.tg";
    files.out = folder.path() + "/file";
    files.command = "c";
    std::ofstream(files.model) << print_graph(graph);
    compile_files(files, {});
    CompiledModel model = compile(graph, {});
    model.command = "c";
    write_folder(model, folder.path() + "/memory");
    CHECK(contents(folder.path() + "/memory") == contents(files.out));
}

TEST_CASE("a compilation stops behind any of its steps") {
    const std::vector<std::string> steps = compile_steps();
    REQUIRE(steps.size() > 10);
    CHECK(steps[steps.size() - 2] == "schedule");
    CHECK(steps.back() == "emit");
    const ir::Graph graph =
        parse_graph("%x = input : f32[8, 40]\n%y = softmax %x {axis = 1}\noutput \"y\" = %y\n", "s.tg");
    bool lowered = false;
    for (const std::string& step : steps) {
        CAPTURE(step);
        const CompileState state = compile_until(graph, {}, step);
        CHECK_NOTHROW(state.graph.verify());
        CHECK(state.schedule.has_value() == (step == "schedule" || step == "emit"));
        CHECK(state.emitted.has_value() == (step == "emit"));
        lowered = lowered || step == "lower-to-buda";
        const bool device = std::any_of(state.graph.nodes.begin(), state.graph.nodes.end(),
                                        [](const Node& node) { return node.op.on_device(); });
        CHECK(device == lowered);
    }
    CHECK(std::set<std::string>(steps.begin(), steps.end()).size() == steps.size());
    CHECK_THROWS_WITH(compile_until(graph, {}, "shedule"), Catch::Contains("did you mean 'schedule'?"));
}

TEST_CASE("values that do not fit a model's inputs are refused by name") {
    CompileOptions options;
    options.inputs.emplace("z", Literal(DType::F16, {3, 40}));
    CHECK_THROWS_WITH(compile(small_graph(), options),
                      Catch::Contains("a sample names 'z', but the model has no such input; did you mean 'x'?"));
    options.inputs = {{"x", Literal(DType::F16, {4, 40})}};
    CHECK_THROWS_WITH(compile(small_graph(), options),
                      Catch::Contains("its shape is [4, 40]; input 'x' is f16[3, 40]"));
    CHECK_THROWS_WITH(compile(ir::Graph{}, {}), Catch::Contains("the model has no outputs"));
}

TEST_CASE("constants that are used once, and as they are, are parameters") {
    const ir::Graph graph = parse_graph(
        "%x = input : f32[4, 8]\n"
        "%w = constant [0.5] : f32[8, 8]\n"
        "%b = constant [1] : f32[8]\n"
        "%s = constant [2] : f32[]\n"
        "%p = matmul %x, %w\n%q = add %p, %b\n%r = multiply %q, %s\n%t = add %r, %s\noutput \"y\" = %t\n",
        "p.tg");
    CompiledModel model = compile(graph, {});
    std::vector<std::string> names;
    for (const ModelParameter& parameter : model.parameters) names.push_back(parameter.name);
    CHECK(names == std::vector<std::string>{"w"});  // b is repeated in all rows, s is used twice
    CHECK_THROWS_WITH(replace(model, "v", Literal(DType::F32, {8})), Catch::Contains("did you mean"));
    CHECK_THROWS_WITH(replace(model, "w", Literal(DType::F32, {9})), Catch::Contains("is f32[8, 8], not f32[9]"));
}

TEST_CASE("an ONNX model in memory is read as its file is") {
    const std::string file = "/usr/share/libonnx-testdata/data/node/test_add/model.onnx";
    REQUIRE(fs::exists(file));  // of the package libonnx-testdata, which scripts/setup installs
    const ir::Graph graph = parse_onnx(bytes_of(file), "a model", {});
    CHECK(equal(graph, read_onnx(file, {})));
    CHECK(input_names(graph) == std::vector<std::string>{"x", "y"});
    CHECK_THROWS_WITH(parse_onnx("nothing", "a model", {}), Catch::Contains("a model: error: it is not an ONNX model"));
}
