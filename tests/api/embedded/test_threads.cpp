// Push, run and pop in different threads; several backends in one process. Other processes: test_processes.cpp.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

#include "tests/api/embedded/identity.hpp"

using namespace embedded_test;

namespace {

/// As many batches as `loops`, each pushed by one thread and taken by another; how many came back right.
int stream(const Opened& device, const Identity& o, int loops) {
    std::atomic<int> right = 0;
    std::thread pusher([&] {
        const tt_dram_io_desc x = device.queue("x");
        for (int k = 0; k < loops; ++k) {
            const std::vector<float> values = entry(o, k);
            if (backend::push_input(x, tensor_of(values, DataFormat::Float32, o, o.input_count), false, 0) != Success)
                return;
        }
    });
    std::thread popper([&] {
        const tt_dram_io_desc y = device.queue("y");
        for (int k = 0; k < loops; ++k) {
            tt_PytorchTensorDesc got;
            if (backend::get_output(y, got, false, 20) != Success) return;
            const auto bits = static_cast<std::uint32_t>(values_of<std::uint16_t>(got).back()) << 16;
            float value;
            std::memcpy(&value, &bits, sizeof value);
            right += value == static_cast<float>(k);
            if (backend::pop_output(y, false, 20) != Success || backend::free_tensor(got) != Success) return;
        }
    });
    const DEVICE_STATUS_CODE ran = device.run(loops);
    pusher.join();
    popper.join();
    return ran == Success && device.backend->wait_for_idle() == Success ? right.load() : -1;
}

}  // namespace

TEST_CASE("three threads push, run and pop more than the rings hold") {
    const Identity o;
    const int level = GENERATE(0, 1, 4);
    const Opened device(text_of(o), DEVICE::Silicon, level);
    CHECK(stream(device, o, 20) == 20);
}

TEST_CASE("a push waits for a pop of another thread, within its time") {
    const Identity o;
    const Opened device(text_of(o));
    const tt_dram_io_desc x = device.queue("x"), y = device.queue("y");
    const std::vector<float> values = entry(o, 1);
    const tt_PytorchTensorDesc batch = tensor_of(values, DataFormat::Float32, o, 2);
    for (int k = 0; k < 2; ++k) REQUIRE(backend::push_input(x, batch, false, 1) == Success);
    std::thread runs([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        device.run();
    });
    CHECK(backend::push_input(x, batch, false, 20) == Success);
    runs.join();
    CHECK(take<std::uint16_t>(y).size() == 2 * o.elements());
}

TEST_CASE("two backends at once, of two netlists and of one") {
    Identity small, large;
    large.ct = 2;
    const Opened one(text_of(small)), two(text_of(large), DEVICE::Golden), three(text_of(small));
    int of_one = 0;
    std::thread other([&] { of_one = stream(one, small, 6); });
    CHECK(stream(three, small, 9) == 9);
    other.join();
    CHECK(of_one == 6);
    const std::vector<float> values = entry(large, 3);
    REQUIRE(backend::push_input(two.queue("x"), tensor_of(values, DataFormat::Float32, large, 2), false, 1) == Success);
    REQUIRE(two.run() == Success);
    CHECK(take<std::uint16_t>(two.queue("y")).size() == 2 * large.elements());

    // the same file twice: descriptors say which one they mean
    const Folder folder;
    const std::string file = folder.write("same.yaml", text_of(small));
    const auto a = tt_backend::create(file, config_for(DEVICE::Silicon, folder));
    const auto b = tt_backend::create(file, config_for(DEVICE::Golden, folder));
    REQUIRE(a->initialize() == Success);
    REQUIRE(b->initialize() == Success);
    const std::vector<float> fours = entry(small, 4);
    const tt_PytorchTensorDesc batch = tensor_of(fours, DataFormat::Float32, small, 2);
    tt_dram_io_desc x = io::utils::get_queue_descriptor(b, "x");
    REQUIRE(backend::push_input(x, batch, false, 1) == Success);
    REQUIRE(b->run_program("run_fwd_0", {{"$p_loop_count", "1"}}) == Success);
    CHECK(take<std::uint16_t>(io::utils::get_queue_descriptor(b, "y")).front() == 0x4080);
    x.backend_id = 0;
    CHECK(backend::push_input(x, batch, false, 1) == RuntimeError);
    CHECK(backend::last_error().find("several backends") != std::string::npos);
}

TEST_CASE("descriptors end with their backend") {
    const Identity o;
    tt_dram_io_desc x;
    {
        const Opened device(text_of(o));
        x = device.queue("x");
        CHECK(backend::initialize_child_process(device.folder / "out") == Success);
        CHECK(backend::finish_child_process() == Success);
        CHECK(backend::initialize_child_process(device.folder / "elsewhere") == RuntimeError);
    }
    CHECK(backend::finish_child_process() == RuntimeError);
    CHECK(backend::push_input(x, tt_PytorchTensorDesc{}, false, 1) == RuntimeError);
    CHECK(backend::last_error().find("no backend runs it") != std::string::npos);
}
