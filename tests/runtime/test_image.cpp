// Device images: written, read back, damaged, hostile, and made by others.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "compiler/files/result_folder.hpp"
#include "compiler/model/compile.hpp"
#include "runtime/image/archive.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/info.hpp"
#include "runtime/image/target.hpp"
#include "runtime/model.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/random_graph.hpp"
#include "tests/runtime/image_files.hpp"

using namespace ttsim::impl;
using image::Image;
using ir::CompiledModel;
using ir::Values;

namespace fs = std::filesystem;

namespace {

ir::Graph product_graph() {
    return ir::parse_graph(
        "%x = input : f32[4, 8]\n%w = constant [0.5, 0.25, -1, 2, 1, 0, -0.5, 1.5] : f32[8, 1]\n%b = constant [1] : "
        "f32[1]\n%p = matmul %x, %w\n%y = add %p, %b\noutput \"y\" = %y\n",
        "small.tg");
}

CompiledModel compiled_for(const ir::Graph& graph, const std::string& device, std::vector<int> harvested = {},
                           DataFormat df = DataFormat::Float16_b) {
    ir::CompileOptions options;
    options.device = device;
    options.harvested_rows = std::move(harvested);
    options.default_df = df;
    return compile(graph, options);
}

struct Ran {
    Values outputs;
    std::uint64_t cycles;
};

Ran run_on(const CompiledModel& model, const Machine& machine) {
    runtime::ModelOptions options;
    options.session.threads = 1;
    options.machine = machine;
    runtime::Model run(model, options);
    Values outputs = run.run(model.inputs);
    return {std::move(outputs), run.session().now()};
}

void write(const CompiledModel& model, const std::string& file) { image::write_image(model, file, {{}, "1.2.3", {}}); }

/// An answer, or an error of the input that names the file.
void check_answer(const std::string& file, const CompiledModel& original) {
    try {
        const Image read = image::read_image(file);
        CHECK(equal(read.model, original));
    } catch (const Error& error) {
        CHECK((error.fault() == Fault::Input || error.fault() == Fault::Unsupported));
        CHECK_THAT(error.what(), Catch::Contains(fs::path(file).filename().string()));
    }
}

void check_refused(const std::string& file, const std::string& bytes, const std::string& why) {
    write_bytes(file, bytes);
    CHECK_THROWS_WITH(image::read_archive(file), Catch::Contains(why));
}

}  // namespace

TEST_CASE("An image holds the model: it reads back equal and runs as its folder does, in outputs and cycles") {
    const TempFolder folder;
    const std::string file = folder.path() + "/m.tti", out = folder.path() + "/out";
    for (std::uint32_t seed = 60; seed < 68; ++seed) {
        const char* device = seed % 2 == 0 ? "gs_e150" : "wh_n150";
        const DataFormat df = seed % 3 == 0   ? DataFormat::Bfp8_b
                              : seed % 3 == 1 ? DataFormat::Float16
                                              : DataFormat::Float16_b;
        CAPTURE(seed, device, to_string(df));
        const CompiledModel model = compiled_for(ir::random_graph(seed), device, {}, df);
        write(model, file);
        const Image read = image::read_image(file);
        CHECK(read.machine.name == device);
        write_folder(model, out);
        const CompiledModel from_folder = ir::read_folder(out);
        CHECK(equal(read.model, from_folder));
        const Ran a = run_on(read.model, read.machine), b = run_on(from_folder, runtime::machine_of(from_folder));
        CHECK(a.outputs == b.outputs);
        CHECK(a.cycles == b.cycles);
        image::write_image(model, file, {image::TensorFormat::Tilized, "", {}});
        const Image tilized = image::read_image(file);
        const Ran c = run_on(tilized.model, tilized.machine);
        CHECK(c.outputs == b.outputs);
        CHECK(c.cycles == b.cycles);
    }
}

TEST_CASE("Equal models are equal images, byte by byte") {
    const TempFolder folder;
    const CompiledModel model = compiled_for(product_graph(), "wh_n150");
    write(model, folder.path() + "/a.tti");
    write(image::read_image(folder.path() + "/a.tti").model, folder.path() + "/b.tti");
    CHECK(bytes_of(folder.path() + "/a.tti") == bytes_of(folder.path() + "/b.tti"));
}

TEST_CASE("An image knows its target: chips, grids, harvested rows") {
    const TempFolder folder;
    const std::string file = folder.path() + "/m.tti";
    struct Want {
        const char* device;
        std::vector<int> harvested;
        std::vector<std::int64_t> grid, masks;
    };
    for (const Want& want : {Want{"gs_e150", {}, {10, 12}, {0}}, Want{"gs_e150", {1, 11}, {8, 12}, {2050}},
                             Want{"gs_e300", {}, {8, 12}, {2050}}, Want{"wh_n150", {}, {9, 8}, {2048}},
                             Want{"wh_n300", {}, {8, 8}, {2052, 2176}}}) {
        CAPTURE(want.device);
        const CompiledModel model = compiled_for(product_graph(), want.device, want.harvested);
        write(model, file);
        const Image read = image::read_image(file);
        CHECK(read.record.grid_size == want.grid);
        CHECK(read.record.harvested_rows == want.masks);
        const Machine compiled = runtime::machine_of(model);
        CHECK_NOTHROW(image::check_same_target(read.machine, compiled, file));
        CHECK(read.machine.links == compiled.links);
        for (std::size_t k = 0; k < compiled.chips.size(); ++k) {
            CHECK(read.machine.chips[k].mmio == compiled.chips[k].mmio);
            CHECK(read.machine.chips[k].params.clock_mhz == compiled.chips[k].params.clock_mhz);
            CHECK(read.machine.chips[k].params.dram == compiled.chips[k].params.dram);
        }
    }
    const Machine other = make_machine("grayskull", {"gs_e150", "", {}, 1});
    CHECK_THROWS_WITH(image::check_same_target(image::read_image(file).machine, other, file),
                      Catch::Contains("compiled for wh_n300 (wormhole_b0, 2 chips, chip 0: grid [8, 8], harvested rows "
                                      "[2, 11] (mask 2052)") &&
                          Catch::Contains("gs_e150 (grayskull, 1 chip, grid [10, 12]"));
}

TEST_CASE("info() prints the summary of the format") {
    image::DeviceRecord record;
    record.arch = "Grayskull";
    record.chip_ids = {0};
    record.grid_size = {8, 12};
    record.harvested_rows = {2050};
    record.release = "0.1.220624+dev.f63c9d32";
    record.commit = "7def2987";
    record.input_shapes = {{1, 128, 128}, {1, 1, 128, 128}};
    record.microbatch = 4;
    CHECK(image::info_text(record) ==
          "Image Info...\n- Version Info:\n    - pybuda_version: 0.1.220624+dev.f63c9d32\n    - pybuda_commit: "
          "7def2987\n    - buda_backend_commit: None\n- Device Name: tt0\n\nDevice Info...\n- arch: "
          "BackendDevice.Grayskull\n- chip_ids: [0]\n- backend device type: BackendType.Silicon\n- grid size: [8, "
          "12]\n- harvested rows: [2050]\n\nCompilation Graph State...\n- training: False\n- ordered input shapes: "
          "[[4, 128, 128], [4, 1, 128, 128]]\n- ordered targets shapes: []\n");
}

TEST_CASE("Images that are cut off or have a bit changed are refused, or read as they were") {
    const TempFolder folder;
    const std::string file = folder.path() + "/m.tti", damaged = folder.path() + "/damaged.tti";
    const CompiledModel model = compiled_for(product_graph(), "wh_n150");
    write(model, file);
    const std::string bytes = bytes_of(file);
    std::size_t refused = 0, tried = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 131, ++tried) {
        CAPTURE(at);
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
        write_bytes(damaged, changed);
        check_answer(damaged, model);
        try {
            (void)image::read_image(damaged);
        } catch (const Error&) {
            ++refused;
        }
    }
    CHECK(refused > tried / 3);  // the rest hits what fills members up to blocks
    for (std::size_t size = 0; size < bytes.size(); size += 997) {
        CAPTURE(size);
        write_bytes(damaged, bytes.substr(0, size));
        check_answer(damaged, model);
    }
}

TEST_CASE("Archives that would leave their folder or fill the memory are refused") {
    const TempFolder folder;
    const std::string file = folder.path() + "/hostile.tti", top = "unzipped_tti/";
    const std::string good = tar_member(top + "device.json", "{}");
    const auto with = [&](const std::string& member) { return good + member + tar_end(); };
    check_refused(file, with(tar_member("/etc/x", "1")), "'/etc/x' is refused");
    check_refused(file, with(tar_member(top + "../x", "1")), "is refused: all members of an image must be below");
    check_refused(file, with(tar_member("other/x", "1")), "is refused");
    check_refused(file, with(tar_member(top + "a\\b", "1")), "is refused");
    check_refused(file, with(tar_member(top + "l", "", '2', "/etc/passwd")), "no links or devices");
    check_refused(file, with(tar_member(top + "l", "", '1', top + "device.json")), "no links or devices");
    check_refused(file, with(tar_member(top + "d", "", '3')), "no links or devices");
    check_refused(file, with(tar_member(top + "p", "", '6')), "no links or devices");
    check_refused(file, with(tar_member(top + "device.json", "{}")), "comes twice");
    check_refused(file, with(tar_member(top + "x", "abc", '0', "", std::uint64_t{1} << 32)), "bytes; at most");
    check_refused(file, with(tar_member(top + "x", "abc", '0', "", 1 << 20)), "hostile.tti/x");
    check_refused(file, "", "not a device image");
    check_refused(file, std::string(4096, 'x'), "not a device image");
    CHECK_THROWS_WITH(image::read_archive(folder.path()), Catch::Contains("is a folder"));
    CHECK_THROWS_WITH(image::read_archive("/dev/zero"), Catch::Contains("a device or a pipe"));
}

TEST_CASE("device.json that does not fit is refused with its key") {
    const auto refused = [](const std::string& text, const std::string& why) {
        CHECK_THROWS_WITH(image::read_device_json(text, "m.tti/device.json"),
                          Catch::StartsWith("m.tti/device.json") && Catch::Contains(why));
    };
    const auto state = [](const std::string& parameters) {
        return R"({"arch": {"__enum__": "BackendDevice.Wormhole_B0"}, "devtype": "Silicon", "compiled_graph_state": {
            "ordered_input_names": [], "ordered_output_names": [], "ordered_constant_node_names": [],
            "ordered_parameter_node_names": ["w"], "ordered_input_runtime_tensor_transforms": [],
            "netlist_filename": "unzipped_tti/n.yaml", "post_const_eval_constants": {}, "post_const_eval_parameters": )" +
               parameters + "}}";
    };
    const std::string tensor =
        R"({"w": {"bin": "tensors/w.tbin", "itemsize": 4, "shape": [1,1,32,32], "strides": [4096,4096,128,4], "dim": 4, "format": "Bfp8_b", "num_buffers": 1, "buf_size_bytes": 1088}})";
    const image::DeviceRecord smallest = image::read_device_json(state(tensor), "m.tti/device.json");
    CHECK(smallest.arch == "Wormhole_B0");
    CHECK(smallest.parameter_values.at("w").buffer_bytes == 1088);
    refused("{", "not valid JSON");
    refused("[]", "an object is wanted");
    refused("{}", "'arch': the key is missing");
    refused(R"({"version": "1.0.0"})", "version 1.1.0 is read");
    refused(state(R"({"w": {"bin": "../w.bin"}})"), "leaves the folder");
    refused(state(R"({"w": {"bin": "w.bin", "itemsize": 3}})"), "'post_const_eval_parameters.w.itemsize'");
    refused(state(R"({"w": {"bin": "w.bin", "itemsize": -1}})"), "itemsize");
    refused(state(R"({"w": {"bin": "w.bin", "itemsize": 4, "shape": [1, 2], "strides": []}})"), "four numbers");
    refused(state(R"({"w": {"bin": "w.bin", "itemsize": 4, "shape": [1, 2, 3, 9999999999999999]}})"),
            "cannot be right");
}

TEST_CASE("An image with pickles names its producer, and is refused with a remedy") {
    const TempFolder folder;
    const std::string file = folder.path() + "/m.tti";
    write(compiled_for(product_graph(), "wh_n150"), file);
    image::Members members = image::read_archive(file);
    std::erase_if(members.bytes, [](const auto& member) {
        return member.first.starts_with("ttsim/") || member.first == "backend_build_binaries/runtime_data.yaml";
    });
    nlohmann::json record = nlohmann::json::parse(members.bytes.at("device.json").view());
    nlohmann::json& values = record["compiled_graph_state"]["post_const_eval_parameters"];
    REQUIRE_FALSE(values.empty());
    for (auto& value : values) value = "unzipped_tti/tensors/torch.Tensor.w.pkl";
    members.bytes["device.json"] = record.dump();
    const image::DeviceRecord read = image::read_device_json(record.dump(), "device.json");
    CHECK(read.parameter_values.begin()->second.pickled);
    CHECK(read.grid_size == std::vector<std::int64_t>{9, 8});
    CHECK_THROWS_WITH(image::read_image(members),
                      Catch::Contains("Python pickle") && Catch::Contains("PYBUDA_TTI_BACKEND_FORMAT=1"));
}

TEST_CASE("An image with only a device.json runs by its queues") {
    const TempFolder folder;
    const std::string file = folder.path() + "/m.tti", open = folder.path() + "/open";
    const CompiledModel model = compiled_for(product_graph(), "wh_n150");
    write(model, file);
    image::extract_image(file, open);
    make_foreign(open);
    image::pack_image(open, folder.path() + "/plain.tti");
    const Image plain = image::read_image(folder.path() + "/plain.tti");
    REQUIRE(plain.model.host.to_device.size() == 1);
    const std::string input = plain.model.host.to_device.front().name;
    CompiledModel named = plain.model;
    named.inputs = {{input, model.inputs.at("x")}};
    const Values outputs = run_on(named, plain.machine).outputs,
                 want = run_on(model, runtime::machine_of(model)).outputs;
    REQUIRE(outputs.size() == 1);
    CHECK(outputs.begin()->second == want.at("y"));
    CHECK_NOTHROW(run_on(plain.model, plain.machine));  // with generated inputs
}

TEST_CASE("What a program computes around the device is a member as any other, and not read here") {
    const TempFolder folder;
    const std::string file = folder.path() + "/m.tti", open = folder.path() + "/open";
    const CompiledModel model = compiled_for(product_graph(), "wh_n150");
    image::ImageOptions options{{}, "1.2.3", {}};
    options.host_files = {{"host_parts.json", "{"}, {"host_parts.zip", "no zip"}};
    image::write_image(model, file, options);
    for (int again = 0; again < 2; ++again) {
        const Image read = image::read_image(file);
        CHECK(equal(read.model, model));
        REQUIRE(read.host_files.size() == 2);
        CHECK(read.host_files.at("host_parts.zip").view() == "no zip");
        const image::Summary summary = image::read_summary(file);
        CHECK(summary.unread.empty());
        CHECK_THAT(
            image::info_text(summary),
            Catch::EndsWith("Host Parts (computed by pybuda)...\n- module_files/host_parts.json: data, 1 bytes\n- "
                            "module_files/host_parts.zip: code, 6 bytes; pybuda runs it only with "
                            "trust_host_parts=True\n"));
        (void)image::extract_image(file, open);
        image::pack_image(open, file);
    }
    options.host_files = {{"../evil", ""}};
    CHECK_THROWS(image::write_image(model, file, options));
}

TEST_CASE("Tensors that others reinterpret or cut have their users' shapes") {
    const TempFolder folder;
    const std::string file = folder.path() + "/m.tti", open = folder.path() + "/open";
    const CompiledModel model = compiled_for(product_graph(), "wh_n150");
    write(model, file);
    image::extract_image(file, open);
    make_foreign(open);
    const std::string json = open + "/unzipped_tti/device.json", text = bytes_of(json);
    const auto with = [&](const std::string& input, const std::string& output) {
        std::string changed = text;
        const auto put = [&](const std::string& key, const std::string& value) {
            const std::size_t from = changed.find("\"" + key + "\": ["), to = changed.find("\"input_to_tile_dims\"");
            const std::size_t next = key.find("input") != std::string::npos
                                         ? changed.find("\"ordered_output_runtime_tensor_transforms\"")
                                         : to;
            changed.replace(from, next - from, "\"" + key + "\": [" + value + "],\n        ");
        };
        put("ordered_input_runtime_tensor_transforms", input);
        put("ordered_output_runtime_tensor_transforms", output);
        write_bytes(json, changed);
        return image::read_image(open).model;
    };
    const std::string none = R"({"type": "NoTransform"})";
    const auto shape = [](const std::string& dims) { return R"({"valid_": true, "dims_": )" + dims + "}"; };
    const CompiledModel view = with(R"({"type": "ReinterpretShape", "original_shape": )" + shape("[2, 2, 8]") +
                                        R"(, "reinterpreted_shape": )" + shape("[4, 8]") + "}",
                                    R"({"type": "Unpad", "unpadded_shape": )" + shape("[3, 1]") + "}");
    CHECK(runtime::inputs_of(view).front().type.dims == ir::Dims{2, 2, 8});
    CHECK(runtime::outputs_of(view).front().type.dims == ir::Dims{3, 1});
    CompiledModel given = view;
    given.inputs.begin()->second = model.inputs.at("x");
    given.inputs.begin()->second.reshape({2, 2, 8});
    const Machine machine = runtime::machine_of(model);
    const ir::Literal have = run_on(given, machine).outputs.begin()->second,
                      want = run_on(model, machine).outputs.at("y");
    for (std::int64_t i = 0; i < 3; ++i) CHECK(have.at(i) == want.at(i));

    CHECK_THROWS_WITH(with(R"({"type": "ConstantInput"})", none),
                      Catch::Contains("the tensor transform ConstantInput is not supported"));
    CHECK_THROWS_WITH(with(R"({"type": "Prestride", "stride_height": 2, "stride_width": 1})", none),
                      Catch::Contains("strides of a Prestride are equal"));
    CHECK_THROWS_WITH(with(R"({"type": "ReinterpretShape", "original_shape": )" + shape("[2, 2, 8]") +
                               R"(, "reinterpreted_shape": )" + shape("[64, 8]") + "}",
                           none),
                      Catch::Contains("ReinterpretShape makes [64, 8] of [2, 2, 8]"));
}

TEST_CASE("Unpacking replaces only an earlier unpacking; packing includes changed files") {
    const TempFolder folder;
    const std::string file = folder.path() + "/m.tti", open = folder.path() + "/open";
    const CompiledModel model = compiled_for(product_graph(), "wh_n150");
    write(model, file);
    image::extract_image(file, open);
    CHECK(equal(image::read_image(open).model, model));
    image::extract_image(file, open);
    image::pack_image(open, folder.path() + "/again.tti");
    CHECK(equal(image::read_image(folder.path() + "/again.tti").model, model));

    const std::string netlist = open + "/unzipped_tti/netlist.yaml";
    write_bytes(netlist, bytes_of(netlist) + "# changed\n");
    CHECK_THROWS_WITH(image::read_image(open), Catch::Contains("netlist.yaml: error: it is not what was written"));
    image::pack_image(open, folder.path() + "/changed.tti");
    CHECK_NOTHROW(image::read_image(folder.path() + "/changed.tti"));

    fs::create_directories(folder.path() + "/mine/unzipped_tti");
    write_bytes(folder.path() + "/mine/letter", "dear");
    CHECK_THROWS_WITH(image::extract_image(file, folder.path() + "/mine"), Catch::Contains("left as it is"));
    CHECK(bytes_of(folder.path() + "/mine/letter") == "dear");
    write_bytes(open + "/letter", "dear");
    CHECK_THROWS_WITH(image::extract_image(file, open), Catch::Contains("'letter' is not one of its parts"));
    fs::create_symlink("/etc/passwd", open + "/unzipped_tti/link");
    CHECK_THROWS_WITH(image::pack_image(open, folder.path() + "/link.tti"), Catch::Contains("no links or devices"));
}
