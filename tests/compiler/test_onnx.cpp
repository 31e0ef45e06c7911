#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/files/model_files.hpp"
#include "tests/compiler/fresh_folder.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;
namespace fs = std::filesystem;

namespace {

/// Of the package libonnx-testdata, which scripts/setup installs.
constexpr const char* data = "/usr/share/libonnx-testdata/data/node";

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

ModelFiles files_for(const std::string& model, const TempFolder& folder) {
    ModelFiles files;
    files.model = model;
    files.out = folder.path() + "/out";
    return files;
}

void compile(const ModelFiles& files, const CompileOptions& options = {}) { compile_files(files, options); }

}  // namespace

TEST_CASE("a file that is not a model is refused with its position, and nothing is left behind") {
    const TempFolder folder;
    const std::string file = folder.path() + "/model.onnx";
    std::string content =
        GENERATE(as<std::string>{}, "", "no model at all", std::string("\x0a\xff\xff\xff\xff\x0f", 6));
    std::ofstream(file, std::ios::binary) << content;
    const ModelFiles files = files_for(file, folder);
    try {
        compile(files);
        FAIL("it was taken for a model");
    } catch (const Error& error) {
        CHECK(error.exit_code() == 2);
        CHECK_THAT(error.what(), Catch::Contains("model.onnx: error: it is not an ONNX model, or it is cut off"));
    }
    CHECK_FALSE(fs::exists(files.out));
    CHECK_FALSE(fs::exists(files.out + ".partial"));
}

TEST_CASE("a model cut off anywhere, or with a byte changed, compiles or is refused, never worse") {
    REQUIRE(fs::exists(data));
    const TempFolder folder;
    const std::string whole = bytes_of(std::string(data) + "/test_gemm_all_attributes/model.onnx");
    const std::string file = folder.path() + "/model.onnx";
    for (std::size_t at = 0; at < whole.size(); at += 3) {
        CAPTURE(at);
        std::string broken = whole;
        if (at % 2 == 0)
            broken.resize(at);
        else
            broken[at] = static_cast<char>(broken[at] ^ 0x55);
        std::ofstream(file, std::ios::binary | std::ios::trunc) << broken;
        try {
            compile(files_for(file, folder));
        } catch (const Error& error) {
            REQUIRE((error.exit_code() == 2 || error.exit_code() == 4));
        }
    }
}

TEST_CASE("wrong names on the command line are answered with the right ones") {
    REQUIRE(fs::exists(data));
    const TempFolder folder;
    ModelFiles files = files_for(std::string(data) + "/test_add/model.onnx", folder);
    files.shapes["z"] = {1};
    CHECK_THROWS_WITH(compile(files),
                      Catch::Contains("--shape names 'z', but the model has no such input; did you mean 'x'?"));
    files.shapes.clear();
    CompileOptions options;
    options.device = "wh_n15";
    CHECK_THROWS_WITH(compile(files, options), Catch::Contains("--device 'wh_n15' is neither a product") &&
                                                   Catch::Contains("did you mean 'wh_n150'?"));
    files.inputs["q"] = std::string(data) + "/test_add/test_data_set_0/input_0.pb";
    CHECK_THROWS_WITH(compile(files), Catch::Contains("--input names 'q', but the model has no such input"));
    files.inputs = {{"x", std::string(data) + "/test_abs/test_data_set_0/missing.pb"}};
    CHECK_THROWS_WITH(compile(files), Catch::Contains("missing.pb: error: there is no such file"));
    CHECK_FALSE(fs::exists(files.out));
}

TEST_CASE("the same model compiles to the same bytes") {
    REQUIRE(fs::exists(data));
    const TempFolder folder;
    ModelFiles files = files_for(std::string(data) + "/test_softmax_axis_1/model.onnx", folder);
    compile(files);
    const std::string netlist = bytes_of(files.out + "/netlist.yaml"), steps = bytes_of(files.out + "/host_steps.json");
    compile(files);
    CHECK(bytes_of(files.out + "/netlist.yaml") == netlist);
    CHECK(bytes_of(files.out + "/host_steps.json") == steps);
}

TEST_CASE("a folder that holds something else is not overwritten") {
    const TempFolder folder;
    const std::string model = folder.path() + "/m.tg";
    std::ofstream(model) << "%x = input : f32[2]\n%y = exp %x\noutput \"y\" = %y\n";
    ModelFiles files = files_for(model, folder);
    fs::create_directories(files.out);
    std::ofstream(files.out + "/notes.txt") << "mine";
    CHECK_THROWS_WITH(compile(files), Catch::Contains("the folder holds something else"));
    CHECK(bytes_of(files.out + "/notes.txt") == "mine");
}

TEST_CASE("an op that fits on no grid is reported with the limit and by how much") {
    const TempFolder folder;
    const std::string model = folder.path() + "/m.tg";
    // 100,000 tile rows by one tile column: at most the 8 rows of the grid share them, 12,500 tiles of 2 KiB each
    std::ofstream(model) << "%x = input : f32[3200000, 7]\n%y = exp %x\noutput \"y\" = %y\n";
    CHECK_NOTHROW(compile(files_for(model, folder)));  // it comes in slices
    CompileOptions whole;
    whole.t_streaming = false;
    try {
        compile(files_for(model, folder), whole);
        FAIL("it was placed");
    } catch (const Error& error) {
        CHECK(error.exit_code() == 4);
        CHECK_THAT(error.what(), Catch::Contains("fits on no grid up to 8x8: it needs at least") ||
                                     Catch::Contains("fits on no grid up to 9x8: it needs at least"));
        CHECK_THAT(error.what(), Catch::Contains("B too much"));
    }
}
