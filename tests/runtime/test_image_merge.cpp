// Merged images: names, memory, and that each model computes what it did alone.
#include <catch2/catch.hpp>
#include <filesystem>
#include <numeric>

#include "compiler/model/compile.hpp"
#include "netlist/checks/instances.hpp"
#include "runtime/image/merge.hpp"
#include "runtime/model.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using image::Image;
using image::MergeOptions;
using image::MergeReport;

namespace {

constexpr std::uint64_t wormhole_reserve = 108'658'688;

ir::CompiledModel model_for(std::uint32_t seed, const std::string& device, bool dynamic) {
    ir::CompileOptions options;
    options.device = device;
    options.emit.dynamic_queues = dynamic;
    if (!dynamic) return compile(ir::random_graph(seed), options);
    options.overrides["matmul"].epoch_break = true;  // a queue lies between two epochs
    return compile(ir::parse_graph("%x = input : f32[64, 64]\n%y = input : f32[64, 64]\n%a = exp %x\n"
                                   "%b = matmul %a, %y\noutput \"z\" = %b\n",
                                   "two.tg"),
                   options);
}

/// Images m0, m1, ... in the folder.
MergeOptions images_in(const std::string& folder, std::uint32_t count, const std::string& device = "wh_n150",
                       bool dynamic = false) {
    MergeOptions options;
    options.folder = folder;
    options.arch = device.starts_with("gs") ? "grayskull" : "wormhole_b0";
    for (std::uint32_t i = 0; i < count; ++i) {
        options.models.push_back("m" + std::to_string(i));
        image::write_image(model_for(90 + i, device, dynamic), folder + "/" + options.models.back() + ".tti", {});
    }
    return options;
}

ir::Values run_image(const Image& image) {
    runtime::ModelOptions options;
    options.session.threads = 1;
    options.session.mode = sim::Mode::Functional;
    options.machine = image.machine;
    return runtime::Model(image.model, options).run(image.model.inputs);
}

void check_outputs(const MergeOptions& options, const std::string& merged) {
    const ir::Values all = run_image(image::read_image(merged));
    std::size_t outputs = 0;
    for (std::size_t i = 0; i < options.models.size(); ++i)
        for (const auto& [name, value] :
             run_image(image::read_image(options.folder + "/" + options.models[i] + ".tti"))) {
            CAPTURE(i, name);
            CHECK(all.at("model_" + std::to_string(i) + "_" + name) == value);
            ++outputs;
        }
    CHECK(all.size() == outputs);
}

/// Bytes of all buffers in a channel.
std::uint64_t bytes_in(const Netlist& netlist, std::int64_t channel) {
    std::uint64_t bytes = 0;
    for (const Queue& queue : netlist.queues)
        for (const BufferAddress& at : queue.buffers)
            if (at.channel == channel) bytes += static_cast<std::uint64_t>(queue_buffer_bytes(queue));
    return bytes;
}

}  // namespace

TEST_CASE("Each of ten merged models computes what it did alone; the footprint is the sum over the queues") {
    const TempFolder folder;
    const MergeOptions options = images_in(folder.path(), 10);
    const std::string merged = folder.path() + "/merged.tti";
    const MergeReport report = merge_images(options, merged);
    check_outputs(options, merged);
    const Image read = image::read_image(merged);
    CHECK(read.record.netlist == "unzipped_tti/merged_netlist.yaml");
    REQUIRE(report.memory.dram.size() == 6);
    for (std::size_t k = 0; k < 6; ++k)
        CHECK(report.memory.dram[k] == wormhole_reserve + bytes_in(read.model.netlist, static_cast<std::int64_t>(k)));
    CHECK(report.memory.host == std::vector<std::uint64_t>{0, 0, 0, 0});
    CHECK(report.memory.notes.empty());
    CHECK_THAT(merge_text(report), Catch::Contains("Displaying memory footprint per DRAM channel (MB):\n0 : 103.") &&
                                       Catch::EndsWith("(MB):\n0 : 0.0\n1 : 0.0\n2 : 0.0\n3 : 0.0\n"));
}

TEST_CASE("Merged models share the memory of queues that are allocated and freed, unless sharing is off") {
    const TempFolder folder;
    MergeOptions options = images_in(folder.path(), 3, "gs_e150", true);
    const std::string merged = folder.path() + "/merged.tti";
    const MergeReport shared = merge_images(options, merged);
    check_outputs(options, merged);
    std::size_t allocated = 0;
    for (const Program& program : image::read_image(merged).model.netlist.programs)
        for (const Instruction& step : program.instructions) allocated += step.queues.size();
    REQUIRE(allocated > 0);
    options.placing.overlap_dynamic = false;
    const MergeReport apart = merge_images(options, merged);
    check_outputs(options, merged);
    CHECK(apart.notes.size() == 1);
    const auto sum = [](const std::vector<std::uint64_t>& all) {
        return std::accumulate(all.begin(), all.end(), 0ULL);
    };
    CHECK(sum(shared.memory.dram) < sum(apart.memory.dram));
}

TEST_CASE("A channel that is full sends queues to others; when all are, the error names model, queue and bytes") {
    const TempFolder folder;
    MergeOptions options = images_in(folder.path(), 4);
    const std::string merged = folder.path() + "/merged.tti";
    options.dram_bytes.assign(6, std::uint64_t{2} << 30);
    options.dram_bytes[0] = wormhole_reserve + 4096;
    const MergeReport report = merge_images(options, merged);
    REQUIRE_FALSE(report.memory.notes.empty());
    CHECK_THAT(report.memory.notes.front(), Catch::StartsWith("DRAM Channel 0 capacity hit. Bytes Used: ") &&
                                                Catch::Contains("Reallocating queue model_0_"));
    CHECK(report.memory.dram[0] <= options.dram_bytes[0]);
    CHECK_THAT(moves_text(report), Catch::Contains("(its channel was full)"));
    check_outputs(options, merged);
    options.placing.switch_channels = false;
    CHECK_THROWS_WITH(merge_images(options, merged), Catch::Contains("DRAM space exceeded for DRAM channel 0 when "
                                                                     "trying to allocate memory for queue model_0_"));
    options.placing.switch_channels = true;
    options.dram_bytes.assign(6, wormhole_reserve + 4096);
    std::filesystem::remove(merged);
    try {
        (void)merge_images(options, merged);
        FAIL("they do not fit");
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Unsupported);
        CHECK_THAT(error.what(),
                   Catch::Contains("allocate memory for queue model_") && Catch::Contains("Bytes used: "));
    }
    CHECK_FALSE(std::filesystem::exists(merged));
}

TEST_CASE("Images that do not go together are not merged") {
    const TempFolder folder;
    MergeOptions options = images_in(folder.path(), 1);
    const std::string merged = folder.path() + "/merged.tti";
    options.models.emplace_back("none");
    CHECK_THROWS_WITH(merge_images(options, merged), Catch::Contains("none.tti"));
    image::write_image(model_for(7, "gs_e150", false), folder.path() + "/none.tti", {});
    CHECK_THROWS_WITH(merge_images(options, merged),
                      Catch::Contains("it is for grayskull, and images for wormhole_b0"));
    image::write_image(model_for(7, "wh_n300", false), folder.path() + "/none.tti", {});
    CHECK_THROWS_WITH(merge_images(options, merged),
                      Catch::Contains("compiled for wh_n300") && Catch::Contains("wh_n150"));
    CHECK_FALSE(std::filesystem::exists(merged));
}

TEST_CASE("What a runtime keeps of DRAM is the number of the format's tools") {
    const auto reserve = [](const char* arch, const char* device) {
        return image::limits_of(make_machine(arch, {device, "", {}, 1})).reserved;
    };
    CHECK(reserve("grayskull", "gs_e150") == 69'214'208);
    CHECK(reserve("grayskull", "gs_e300") == 57'049'088);
    CHECK(reserve("wormhole_b0", "wh_n150") == wormhole_reserve);
    CHECK(reserve("wormhole_b0", "wh_n300") == wormhole_reserve);
}
