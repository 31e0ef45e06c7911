// Other processes push, get and pop: forked ones and such as know a backend by its folder and netlist alone.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/api/embedded/processes.hpp"

using namespace embedded_test;

TEST_CASE("one process pushes, one runs, one pops: more than the rings hold") {
    const Identity o;
    const DEVICE type = GENERATE(DEVICE::Silicon, DEVICE::Golden);
    const Opened device(text_of(o), type);
    const std::string out = device.folder / "out";
    const int loops = type == DEVICE::Golden ? 2 : 12;  // golden never waits
    const pid_t pusher = forked([&] {
        bool right = backend::initialize_child_process(out) == Success;
        const tt_dram_io_desc x = device.queue("x");
        for (int k = 0; k < loops; ++k) right = right && push(x, o, k, 20);
        return right && backend::finish_child_process() == Success;
    });
    if (type == DEVICE::Golden) REQUIRE(ended(pusher) == 0);
    const auto pops = [&] {
        bool right = backend::initialize_child_process(out) == Success;
        for (int k = 0; k < loops; ++k) {
            tt_PytorchTensorDesc got;
            const tt_dram_io_desc y = device.queue("y");
            right = right && backend::get_output(y, got, false, 20) == Success &&
                    first_of(values_of<std::uint16_t>(got)) == static_cast<float>(k) &&
                    backend::pop_output(y, false, 20) == Success && backend::free_tensor(got) == Success;
        }
        return right;
    };
    pid_t popper = -1;
    if (type != DEVICE::Golden) popper = forked(pops);
    CHECK(device.run(loops) == Success);
    if (type == DEVICE::Golden) popper = forked(pops);
    CHECK(ended(popper) == 0);
    if (type != DEVICE::Golden) CHECK(ended(pusher) == 0);
}

TEST_CASE("a process with only folder and netlist reaches the device") {
    const Identity o;
    const Folder folder;
    const std::string netlist = folder.write("netlist.yaml", text_of(o));
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    const pid_t child = forked([&] {  // before there is a backend: nothing of it is inherited
        char go = 0;
        if (::read(ready[0], &go, 1) != 1) return false;
        tt_dram_io_desc x;
        x.netlist_path = netlist;
        x.queue_name = "x";
        x.input_count = 2;
        x.bufq_num_slots = 4;
        return !push(x, o, 5, 1) && backend::initialize_child_process(folder / "out") == Success && push(x, o, 5, 1);
    });
    const auto device = tt_backend::create(netlist, config_for(DEVICE::Silicon, folder));
    REQUIRE(device->initialize() == Success);
    REQUIRE(::write(ready[1], "g", 1) == 1);
    CHECK(ended(child) == 0);
    REQUIRE(device->run_program("run_fwd_0", {{"$p_loop_count", "1"}}) == Success);
    CHECK(first_of(take<std::uint16_t>(io::utils::get_queue_descriptor(device, "y"))) == 5);
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("another process has the rules of this one: time-outs, rams, tilized pushes, host queues, wrong calls") {
    Identity o;
    o.out_ram = GENERATE(false, true);
    o.out_on_host = !o.out_ram;
    const Opened device(text_of(o));
    const pid_t child = forked([&] {
        tt_dram_io_desc y = device.backend->get_queue_descriptor("y");
        if (backend::pop_output(y, true, 1) != RuntimeError) return false;
        if (backend::last_error().find("initialize_child_process(") == std::string::npos) return false;
        if (device.run() != RuntimeError) return false;
        if (backend::initialize_child_process(device.folder / "out") != Success) return false;
        const tt_dram_io_desc x = device.queue("x"), memory = device.queue("memory");
        if (backend::translate_addresses(y) != Success || y.bufq_mapping.size() != (o.out_on_host ? 1U : 0U))
            return false;
        tt_PytorchTensorDesc none;
        if (!o.out_ram && backend::get_output(y, none, true, 1) != TimeoutError) return false;
        if (!o.out_ram && backend::pop_output(y, true, 0) != RuntimeError) return false;
        const std::vector<float> two = entry(o, 2);
        tt_PytorchTensorDesc batch = tensor_of(two, DataFormat::Float32, o, o.input_count);
        tt_TilizedTensorDesc tilized = backend::tilize_tensor(x, batch);
        if (backend::push_input(x, tilized, 1) != Success || backend::free_tensor(tilized) != Success) return false;
        batch.shape[0] = 1;
        if (backend::push_input(memory, batch, true, 1, 9) != RuntimeError) return false;
        if (backend::push_input(memory, batch, true, 1, 3) != Success) return false;
        tt_PytorchTensorDesc back;
        return backend::get_output(memory, back, true, 1, 3) == Success &&
               first_of(values_of<std::uint16_t>(back)) == 2 && backend::free_tensor(back) == Success;
    });
    CHECK(ended(child) == 0);
    CHECK(device.run() == Success);
}

TEST_CASE("a process killed while it waits blocks no other") {
    const Identity o;
    const Opened device(text_of(o));
    const pid_t child = forked([&] {
        return backend::initialize_child_process(device.folder / "out") == Success &&
               backend::pop_output(device.queue("y"), false, 1000) == Success;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    REQUIRE(::kill(child, SIGKILL) == 0);
    CHECK(ended(child) == 128 + SIGKILL);
    REQUIRE(push(device.queue("x"), o, 1, 1));
    CHECK(device.run() == Success);
}

TEST_CASE("calls fail once the device process has ended") {
    const Identity o;
    std::array<int, 2> answer{}, ready{};
    REQUIRE(::pipe(answer.data()) == 0);
    REQUIRE(::pipe(ready.data()) == 0);
    const pid_t owner = forked([&] {
        const Opened device(text_of(o));
        forked([&] {
            char said = backend::initialize_child_process(device.folder / "out") == Success ? 's' : 'f';
            const tt_dram_io_desc y = device.queue("y");
            (void)!::write(ready[1], &said, 1);
            said = backend::pop_output(y, true, 1000) == RuntimeError &&
                           backend::last_error().find("does not answer") != std::string::npos
                       ? 'y'
                       : 'n';
            return ::write(answer[1], &said, 1) == 1;
        });
        char said = 0;
        const bool attached = ::read(ready[0], &said, 1) == 1 && said == 's';
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (attached) ::kill(::getpid(), SIGKILL);
        return false;
    });
    CHECK(ended(owner) == 128 + SIGKILL);
    char said = 0;
    CHECK(::read(answer[0], &said, 1) == 1);
    CHECK(said == 'y');
    for (const int end : {answer[0], answer[1], ready[0], ready[1]}) ::close(end);
}
