// A backend from its configuration to its reports: programs, modes, results of compiling, eager backends.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/api/embedded/identity.hpp"

using namespace embedded_test;
namespace fs = std::filesystem;

namespace {

std::string contents(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// An op whose output buffer alone is larger than a core's memory.
Identity too_large() {
    Identity o;
    o.m = 8;
    o.n = 8;
    o.rt = 2;
    o.ct = 4;
    return o;
}

}  // namespace

TEST_CASE("programs stand in the order of the file, for each backend") {
    const Opened one{text_of({})};
    CHECK(one.backend->get_programs() == std::vector<std::string>{"run_fwd_0", "another", "a_third"});
    std::string other = text_of({});
    other.erase(other.find("  - a_third"));
    CHECK(Opened(other).backend->get_programs() == std::vector<std::string>{"run_fwd_0", "another"});
}

TEST_CASE("a program that cannot run closes the device") {
    const auto refused = [](const std::string& program, const std::map<std::string, std::string>& parameters,
                            const std::string& says) {
        const Opened device{text_of({})};
        CHECK(device.backend->run_program(program, parameters) == RuntimeError);
        CHECK_THAT(backend::last_error(), Catch::Contains(says));
        CHECK(device.backend->run_program("another", {}) == RuntimeError);
        CHECK_THAT(backend::last_error(), Catch::Contains("closed"));
        CHECK(device.backend->finish() == Success);
    };
    refused("run_fwd_0", {}, "$p_loop_count");
    refused("run_fwd_0", {{"$p_loop_count", "many"}}, "many");
    refused("run_fwd_1", {}, "run_fwd_0");
}

TEST_CASE("parameters that a program does not declare are left out; True is 1") {
    const Identity o;
    const Opened device(text_of(o));
    CHECK(device.backend->run_program("another", {{"$p_loop_count", "1"}}) == Success);
    const std::vector<float> values = counting(o.elements() * 2, 60);
    REQUIRE(backend::push_input(device.queue("x"), tensor_of(values, DataFormat::Float32, o, 2), false, 1) == Success);
    CHECK(device.backend->run_program("run_fwd_0", {{"$p_loop_count", "True"}}) == Success);
}

TEST_CASE("calls in another order than initialize, run, finish") {
    Folder folder;
    const auto device = tt_backend::create(folder.write("n.yaml", text_of({})), config_for(DEVICE::Silicon, folder));
    CHECK(device->run_program("another", {}) == RuntimeError);
    CHECK(device->finish() == RuntimeError);
    CHECK(device->wait_for_idle() == RuntimeError);
    CHECK(device->initialize() == Success);
    CHECK(device->initialize() == RuntimeError);
    CHECK(device->memory_barrier(MemBarType::host_cluster, 0) == Success);
    CHECK(device->memory_barrier(MemBarType::device_device, 0, {{1, 2}}) == Success);
    CHECK(device->memory_barrier(MemBarType::host_device_dram, 0) == RuntimeError);
    CHECK_THROWS_WITH(device->get_queue_descriptor("z"), Catch::Contains("no queue 'z'"));
    CHECK_THROWS_AS(device->set_config({}), std::runtime_error);
    CHECK(device->finish() == Success);
    CHECK(device->finish() == RuntimeError);
    CHECK(device->run_program("another", {}) == RuntimeError);
}

TEST_CASE("level 0 waits for the work, others return when it is under way") {
    const Identity o;
    const Opened device(text_of(o), DEVICE::Silicon, 1);
    REQUIRE(device.run() == Success);  // its inputs are to come
    const std::vector<float> values = counting(o.elements() * 2, 60);
    REQUIRE(backend::push_input(device.queue("x"), tensor_of(values, DataFormat::Float32, o, 2), false, 1) == Success);
    CHECK(device.backend->wait_for_idle() == Success);
    CHECK(device.backend->get_cycles() > 0);
    CHECK(take<std::uint16_t>(device.queue("y")).size() == 2 * o.elements());
}

TEST_CASE("engines and configuration") {
    Folder folder;
    const std::string file = folder.write("n.yaml", text_of({}));
    tt_backend_config config = config_for(DEVICE::Silicon, folder);
    config.runtime_args = "--skip-io-init --functional --threads 1";
    const auto quick = tt_backend::create(file, config);
    REQUIRE(quick->initialize() == Success);
    CHECK(quick->get_config().arch == ARCH::WORMHOLE_B0);
    config.runtime_args = "--threads 257";
    CHECK_THROWS_WITH(tt_backend::create(file, config), Catch::Contains("option threads must be 1 to 256, not 257"));
    config.runtime_args = "--quick";
    CHECK_THROWS_WITH(tt_backend::create(file, config), Catch::Contains("--functional"));
    for (const DEVICE type : {DEVICE::Invalid, DEVICE::StaticAnalyzer})
        CHECK_THROWS_WITH(tt_backend::create(file, config_for(type, folder)), Catch::Contains("Not Supported Yet"));
    CHECK_THROWS_WITH(tt_backend::create(folder / "none.yaml", config_for(DEVICE::Golden, folder)),
                      Catch::Contains("none.yaml"));
    config = config_for(DEVICE::Silicon, folder);
    config.harvested_rows = {{0, {11, 10, 9, 8, 7, 5, 4, 3, 2}}};
    CHECK(tt_backend::create(file, config)->initialize() == Success);
    config.harvested_rows = {{0, {6}}};
    CHECK_THROWS_WITH(tt_backend::create(file, config), Catch::Contains("row 6"));
    config = config_for(DEVICE::Silicon, folder);
    config.perf_desc_args = "--dump-perf-events";
    const auto traced = tt_backend::create(file, config);
    REQUIRE(traced->initialize() == Success);
    REQUIRE(traced->finish() == Success);
    CHECK(fs::exists(folder / "out/perf.ttperf"));
}

// --- compiling -----------------------------------------------------------------------------------------------------

TEST_CASE("compile errors name the cause and the place") {
    Folder folder;
    const DEVICE_MODE mode = GENERATE(DEVICE_MODE::CompileOnly, DEVICE_MODE::CompileAndRun);
    const auto compiled = [&](const std::string& text) {
        tt_backend_config config = config_for(DEVICE::Silicon, folder);
        config.mode = mode;
        tt_compile_result result;
        const auto device = tt_backend::create(folder.write("n.yaml", text), config);
        const DEVICE_STATUS_CODE status = device->initialize(&result);
        CHECK((status == Success) == result.success);
        if (mode == DEVICE_MODE::CompileOnly) CHECK(device->run_program("another", {}) == RuntimeError);
        return result;
    };
    CHECK(compiled(text_of({})).success);

    const tt_compile_result l1 = compiled(text_of(too_large()));
    CHECK(l1.failure_type == COMPILE_FAILURE::L1Size);
    CHECK(l1.failure_target == "copy");
    CHECK_THAT(l1.failure_message, Catch::Contains("n.yaml:") && Catch::Contains("L1"));
    REQUIRE(l1.overlay_compile_result.failed_compile_results_per_epoch.size() == 1);
    const tt_op_overlay_failure& op = l1.overlay_compile_result.failed_compile_results_per_epoch.front();
    CHECK(op.graph_name == "g");
    CHECK(op.op_name == "copy");
    CHECK(op.allocated_size_bytes == op.maximum_size_bytes + op.extra_size_bytes);

    Identity overlay;
    overlay.op_more = ", overlay_size: 1280000";
    CHECK(compiled(text_of(overlay)).failure_type == COMPILE_FAILURE::OverlaySize);

    Identity wide;
    wide.grid_c = 9;  // a row has eight cores
    const tt_compile_result place = compiled(text_of(wide));
    CHECK(place.failure_type == COMPILE_FAILURE::Net2Pipe);
    CHECK_THAT(place.failure_message, Catch::Contains("copy"));
}

TEST_CASE("the profile of L1 has the Plan's buffers") {
    Identity o;
    o.grid_r = 2;
    Folder folder;
    const auto device = tt_backend::create(folder.write("n.yaml", text_of(o)), config_for(DEVICE::Silicon, folder));
    REQUIRE(device->initialize() == Success);
    REQUIRE(device->finish() == Success);
    const std::string json = contents(folder / "out/l1_profile/g.json");
    for (const char* wanted : {"\"graph-name\": \"g\"", "\"arch-name\": \"wormhole_b0\"", "\"1-1\"", "\"1-2\"",
                               "\"logical-core-x-y\": \"0-1\"", "\"op-name\": \"copy\"", "\"buffer-name\": \"output\"",
                               "\"l1-size-bytes\": 1499136", "\"reserved-size-bytes\": 4160", "\"TRISC2\"", "\"N/A\""})
        CHECK_THAT(json, Catch::Contains(wanted));
    CHECK_THAT(contents(folder / "out/run_report.json"), Catch::Contains("\"cycles\""));
    tt_backend_config config = config_for(DEVICE::Silicon, folder);
    config.output_dir = folder / "without";
    config.l1_profiler_en = false;
    const auto quiet = tt_backend::create(folder / "n.yaml", config);
    REQUIRE(quiet->initialize() == Success);
    REQUIRE(quiet->finish() == Success);
    CHECK_FALSE(fs::exists(folder / "without/l1_profile"));
}

// --- eager backends ------------------------------------------------------------------------------------------------

TEST_CASE("an eager backend is given its netlists one by one") {
    Folder folder;
    const Identity o;
    tt_backend_config config = config_for(DEVICE::Silicon, folder);
    config.optimization_level = 1;
    const auto device = tt_backend::create_eager_backend(config, {0});
    CHECK(device->compile_netlist(folder.write("a.yaml", text_of(o))) == RuntimeError);
    REQUIRE(device->initialize() == Success);
    CHECK(device->get_programs().empty());
    CHECK_THROWS_WITH(device->get_queue_descriptor("x"), Catch::Contains("compile_netlist"));
    REQUIRE(device->compile_netlist(folder / "a.yaml") == Success);
    const std::vector<float> values = counting(o.elements() * 2, 60);
    REQUIRE(backend::push_input(io::utils::get_queue_descriptor(device, "x"),
                                tensor_of(values, DataFormat::Float32, o, 2), false, 1) == Success);
    REQUIRE(device->run_program("run_fwd_0", {{"$p_loop_count", "1"}}) == Success);
    CHECK(take<std::uint16_t>(io::utils::get_queue_descriptor(device, "y")).size() == 2 * o.elements());
    CHECK(device->compile_and_run_netlist(folder.write("b.yaml", text_of({})), {{"$p_loop_count", "1"}}) == Success);
    CHECK(device->finish() == Success);
    CHECK_THROWS_AS(tt_backend::create_eager_backend(config_for(DEVICE::Golden, folder), {0}), std::runtime_error);
    const Opened other{text_of({})};
    CHECK(other.backend->compile_netlist(folder / "a.yaml") == RuntimeError);
}
