// Device images that the tool has just made: loaded, filled, run and read.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "tests/api/embedded/identity.hpp"

using namespace embedded_test;
namespace fs = std::filesystem;

namespace {

/// y = x * w, all of w a quarter.
std::string model_text() {
    std::string numbers;
    for (int k = 0; k < 64 * 32; ++k) numbers += k ? ", 0.25" : "0.25";
    std::string text = "%x = input : f32[32, 64]\n%w = constant [";
    text += numbers;
    text += "] : f32[64, 32]\n%y = matmul %x, %w\noutput \"y\" = %y\n";
    return text;
}

void tool(const std::string& arguments) {
    std::string command = TTSIM_TOOL;
    command += " " + arguments + " > /dev/null";
    INFO(command);
    REQUIRE(std::system(command.c_str()) == 0);
}

/// All inputs `fill`, one microbatch of every program; all outputs.
std::vector<float> run_once(const std::shared_ptr<tt_device_image>& image, const std::shared_ptr<tt_backend>& backend,
                            float fill) {
    for (const std::string& name : image->get_graph_input_names()) {
        const tt_dram_io_desc q = io::utils::get_queue_descriptor(backend, name);
        tt_PytorchTensorDesc desc = io::utils::get_tensor_descriptor(name, image, q);
        io::utils::fill_tensor_with_data(name, desc);
        REQUIRE(desc.format == DataFormat::Float16_b);
        auto* numbers = static_cast<std::uint16_t*>(const_cast<void*>(desc.ptr));
        std::uint32_t bits;
        std::memcpy(&bits, &fill, sizeof bits);
        std::fill(numbers, numbers + desc.shape[0] * desc.strides[0] / 2, static_cast<std::uint16_t>(bits >> 16));
        REQUIRE(tt::backend::push_input(q, desc, false, 1) == Success);
        REQUIRE(tt::backend::free_tensor(desc) == Success);
    }
    for (const std::string& program : backend->get_programs())
        REQUIRE(backend->run_program(program, {{"$p_loop_count", "1"}}) == Success);
    std::vector<float> all;
    for (const std::string& name : image->get_graph_output_names())
        for (const std::uint16_t number : take<std::uint16_t>(io::utils::get_queue_descriptor(backend, name))) {
            const std::uint32_t bits = std::uint32_t{number} << 16;
            float value;
            std::memcpy(&value, &bits, sizeof value);
            all.push_back(value);
        }
    return all;
}

std::shared_ptr<tt_backend> opened(const std::shared_ptr<tt_device_image>& image, DEVICE type = DEVICE::Invalid) {
    tt_backend_config config;
    config.type = type;
    config.runtime_args = "--threads 1";
    auto backend = tt_backend::create(image, config);
    REQUIRE(backend->initialize() == Success);
    return backend;
}

}  // namespace

TEST_CASE("an image is unpacked, described, run on the simulated chip and on golden") {
    const Folder folder;
    const std::string model = folder.write("model.tg", model_text());
    const std::string tilized = GENERATE("", " --tti-format tilized");
    CAPTURE(tilized);
    tool("compile " + model + " --device wh_n150 -o " + folder / "model.tti" + tilized);
    const auto image = std::make_shared<tt_device_image>(folder / "model.tti", folder / "open");
    CHECK(image->arch() == "Wormhole_B0");
    CHECK(image->backend() == "Silicon");
    CHECK(fs::exists(image->get_netlist_path()));
    CHECK(image->get_model_path("device.json") == folder / "open/unzipped_tti/device.json");
    CHECK(image->get_graph_input_names() == std::vector<std::string>{"x"});
    CHECK(image->get_graph_output_names().size() == 1);
    CHECK(image->get_io_prestride_map().empty());
    const std::vector<std::string> constants = image->get_graph_constant_and_parameter_names();
    REQUIRE(!constants.empty());
    const tensor_meta meta = image->get_tensor_meta(constants.front());
    CHECK(fs::exists(std::get<0>(meta)));
    CHECK_THROWS_WITH(image->get_tensor_meta("nothing"), Catch::Contains("nothing"));

    const auto chip = opened(image);
    CHECK(chip->get_config().mode == DEVICE_MODE::RunOnly);
    CHECK(chip->get_config().output_dir == image->get_model_path("backend_build_binaries"));
    const std::vector<float> ones = run_once(image, chip, 1), twos = run_once(image, chip, 2);
    CHECK(ones == std::vector<float>(32 * 32, 16));
    CHECK(twos == std::vector<float>(32 * 32, 32));
    CHECK(run_once(image, opened(image, DEVICE::Golden), 1) == ones);
    CHECK(chip->finish() == Success);
    CHECK(fs::exists(image->get_model_path("backend_build_binaries/l1_profile")));
    // the folder that the reports lie in is still an unpacked image, which a new one replaces
    const auto again = std::make_shared<tt_device_image>(folder / "model.tti", folder / "open");
    CHECK_FALSE(fs::exists(again->get_model_path("backend_build_binaries/l1_profile")));
}

TEST_CASE("two images in one process keep their own names") {
    const Folder folder;
    const std::string model = folder.write("model.tg", model_text());
    tool("compile " + model + " --device wh_n150 -o " + folder / "a.tti");
    tool("compile " + model + " --device gs_e150 -o " + folder / "b.tti");
    const auto a = std::make_shared<tt_device_image>(folder / "a.tti", folder / "a");
    const auto b = std::make_shared<tt_device_image>(folder / "b.tti", folder / "b");
    CHECK(a->arch() == "Wormhole_B0");
    CHECK(b->arch() == "Grayskull");
    const auto first = opened(a), second = opened(b);
    CHECK(run_once(a, first, 1) == run_once(b, second, 1));
    tt_backend_config config;
    config.arch = ARCH::GRAYSKULL;
    CHECK_THROWS_WITH(tt_backend::create(a, config), Catch::Contains("compiled for"));
}

TEST_CASE("an image whose input is shuffled for a strided convolution") {
    const Folder folder;
    const std::string model = folder.write("model.tg", model_text());
    tool("compile " + model + " --device wh_n150 -o " + folder / "model.tti");
    tool("tti extract " + folder / "model.tti" + " -o " + folder / "changed");
    std::ifstream in(folder / "changed/unzipped_tti/device.json");
    std::string json{std::istreambuf_iterator<char>(in), {}};
    std::size_t at = json.find("ordered_input_runtime_tensor_transforms");
    const auto put = [&](const std::string& from, const std::string& to) {
        at = json.find(from, at);
        REQUIRE(at != std::string::npos);
        json.replace(at, from.size(), to);
    };
    put("NoTransform", "Prestride");
    put("\"valid_\": false", "\"valid_\": true");
    put("\"dims_\": []", "\"dims_\": [1, 3, 4, 6]");
    for (const char* key : {"stride_height", "stride_width", "kernel_height", "kernel_width"})
        put("\"" + std::string(key) + "\": 0", "\"" + std::string(key) + "\": 2");
    folder.write("changed/unzipped_tti/device.json", json);
    tool("tti pack " + folder / "changed" + " -o " + folder / "strided.tti");

    const auto image = std::make_shared<tt_device_image>(folder / "strided.tti", folder / "open");
    CHECK(image->get_io_prestride_map().at("x") == prestride_info{3, 4, 6, 2});
    const auto backend = opened(image);
    CHECK(io::utils::get_queue_descriptor(backend, "x").s_descriptor.xy_offsets.size() == 4);
    const std::vector<float> out = run_once(image, backend, 1);
    for (std::size_t row = 0; row < 32; ++row)  // 3 channels x 4 places; six of the 64 columns are filled
        CHECK(out[row * 32] == (row < 12 ? 1.5F : 0.0F));
}

TEST_CASE("one of several processes that use an image", "[.one_of_several]") {
    const char* file = std::getenv("TTSIM_TEST_IMAGE");
    const char* folder = std::getenv("TTSIM_TEST_FOLDER");
    if (!file || !folder) return;
    for (int round = 0; round < 2; ++round) {
        const auto image = std::make_shared<tt_device_image>(file, folder);
        const auto backend = opened(image);
        CHECK(run_once(image, backend, 1) == std::vector<float>(32 * 32, 16));
        CHECK(backend->finish() == Success);
        CHECK(fs::exists(image->get_model_path("backend_build_binaries/run_report.json")));
    }
}

TEST_CASE("eight processes unpack an image into one folder, run it and write their reports there, at once") {
    const Folder folder;
    const std::string model = folder.write("model.tg", model_text());
    tool("compile " + model + " --device wh_n150 -o " + folder / "model.tti");
    std::vector<pid_t> children;
    const std::string image = folder / "model.tti", open = folder / "shared/open", log = folder / "log";
    for (int k = 0; k < 8; ++k) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::setenv("TTSIM_TEST_IMAGE", image.c_str(), 1);
            ::setenv("TTSIM_TEST_FOLDER", open.c_str(), 1);
            ::execl("/proc/self/exe", "test_embedded", "[.one_of_several]", "-o", log.c_str(), nullptr);
            ::_exit(127);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
    // unused: another image replaces it
    tool("compile " + model + " --device gs_e150 -o " + folder / "other.tti");
    CHECK(tt_device_image(folder / "other.tti", open).arch() == "Grayskull");
}

TEST_CASE("a folder that another process uses is not replaced by another image") {
    const Folder folder;
    const std::string model = folder.write("model.tg", model_text());
    tool("compile " + model + " --device wh_n150 -o " + folder / "a.tti");
    tool("compile " + model + " --device gs_e150 -o " + folder / "b.tti");
    const auto image = std::make_shared<tt_device_image>(folder / "a.tti", folder / "open");
    std::string command = TTSIM_TOOL;
    command += " tti extract " + folder / "b.tti" + " -o " + folder / "open" + " 2> " + folder / "said";
    CHECK(std::system(command.c_str()) != 0);
    std::ifstream in(folder / "said");
    const std::string said{std::istreambuf_iterator<char>(in), {}};
    CHECK_THAT(said, Catch::Contains("other processes use the image that is unpacked there"));
    tool("tti extract " + folder / "a.tti -o " + folder / "open");  // the same one stays
    CHECK(run_once(image, opened(image), 1) == std::vector<float>(32 * 32, 16));
}

TEST_CASE("invalid images are refused") {
    const Folder folder;
    CHECK_THROWS_WITH(tt_device_image(folder / "none.tti", folder / "open"), Catch::Contains("none.tti"));
    folder.write("text.tti", "no archive");
    CHECK_THROWS_WITH(tt_device_image(folder / "text.tti", folder / "open"), Catch::Contains("text.tti"));
    // a folder of something else is never replaced
    fs::create_directories(folder / "mine");
    folder.write("mine/letter.txt", "dear");
    const std::string model = folder.write("model.tg", model_text());
    tool("compile " + model + " --device wh_n150 -o " + folder / "model.tti");
    CHECK_THROWS_WITH(tt_device_image(folder / "model.tti", folder / "mine"), Catch::Contains("mine"));
    CHECK(fs::exists(folder / "mine/letter.txt"));
    CHECK_THROWS_AS(tt_backend::create(std::shared_ptr<tt_device_image>(), {}), std::runtime_error);
}
