// Images of models that are trained.
#include <catch2/catch.hpp>
#include <filesystem>

#include "compiler/files/training_file.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/merge.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/runtime/image_files.hpp"
#include "tests/runtime/training_models.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

ir::CompiledModel compiled_network(const std::string& device, ir::OptimizerKind kind) {
    ir::CompileOptions options = options_for(DataFormat::Float16_b, device, kind);
    options.training->optimizer.learning_rate = 0.01;
    options.training->optimizer.compensated = true;
    options.training->input_gradients = {"x"};
    return ir::compile(ir::parse_graph(network_text(), "test.tg"), options);
}

}  // namespace

TEST_CASE("a model that is trained has the same bits from its image") {
    const ir::Literal x = random_literal({4, 1, 2, 8, 8}, 1, 5), g = random_literal({4, 1, 10}, 1, 6);
    const TempFolder folder;
    const std::string file = folder.path() + "/net.tti";
    for (const char* device : {"wh_n150", "gs_e150"})
        for (const ir::OptimizerKind kind : {ir::OptimizerKind::AdamW, ir::OptimizerKind::Lars}) {
            const ir::CompiledModel model = compiled_network(device, kind);
            std::filesystem::remove(file);
            image::write_image(model, file, {});
            const image::Image image = image::read_image(file);
            INFO(device);
            CHECK(image.record.training);
            CHECK(image.model.microbatch_count == 2);
            CHECK(bits_of_two_steps(image.model, x, g) == bits_of_two_steps(model, x, g));
        }
}

TEST_CASE("a damaged list of trained parameters is refused with its key") {
    const ir::CompiledModel model = compiled_network("wh_n150", ir::OptimizerKind::Sgd);
    const TempFolder temporary;
    const std::string folder = temporary.path(), text = ir::training_text(model);
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        REQUIRE(changed.find(from) != std::string::npos);
        changed.replace(changed.find(from), from.size(), to);
        write_bytes(folder + "/" + ir::training_file, changed);
        ir::CompiledModel read;
        read.netlist = model.netlist;
        try {
            ir::read_training(FolderFiles(folder), read);
        } catch (const Error& error) {
            CHECK(error.fault() == Fault::Input);
            return std::string(error.what());
        }
        return std::string("it was read");
    };
    CHECK(refusal("\"sgd\"", "\"sgd\"") == "it was read");
    CHECK_THAT(refusal("\"sgd\"", "\"sdg\""), Catch::Contains("kind") && Catch::Contains("'sdg', which is unknown"));
    CHECK_THAT(refusal("\"run_opt_0\"", "\"run_opt_9\""), Catch::Contains("the netlist has no such program"));
    CHECK_THAT(refusal("\"ram\":\"b", "\"ram\":\"no"), Catch::Contains("the netlist has no such ram"));
    CHECK_THAT(refusal("\"elements\":[[0,", "\"elements\":[[1,"), Catch::Contains("elements"));
    CHECK_THAT(refusal("\"dims\":[", "\"dims\":[99999999,"), Catch::Contains("dims"));
}

TEST_CASE("images of models that are trained are not merged") {
    const TempFolder folder;
    image::write_image(compiled_network("wh_n150", ir::OptimizerKind::Sgd), folder.path() + "/net.tti", {});
    image::MergeOptions options;
    options.folder = folder.path();
    options.models = {"net"};
    const std::string merged = folder.path() + "/merged.tti";
    CHECK_THROWS_WITH(image::merge_images(options, merged),
                      Catch::Contains("net.tti") && Catch::Contains("its model is trained"));
    CHECK_FALSE(std::filesystem::exists(merged));
}
