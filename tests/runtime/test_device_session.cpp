// Ops one by one on a device session: values, clocks, memory.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/error_codes.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/model/compile.hpp"
#include "runtime/device_session.hpp"

using namespace ttsim::impl;
using ir::DType;
using ir::Literal;
using runtime::BankAllocator;
using runtime::BufferSpec;
using runtime::DeviceSession;
using runtime::MemoryKind;

namespace {

ir::CompiledModel compiled_add() {
    ir::CompileOptions options;
    options.effort = 0;
    return ir::compile(ir::parse_graph("%a = input : f32[33, 50]\n%b = input : f32[33, 50]\n%y = add %a, %b\n"
                                       "output \"y\" = %y\n",
                                       "add.tg"),
                       options);
}

BufferSpec bfloat16(ir::Dims dims) {
    BufferSpec spec;
    spec.type = {DType::F32, std::move(dims), {}};
    return spec;
}

Literal ramp(const ir::Dims& dims, float step) {
    Literal values(DType::F32, dims);
    for (std::int64_t i = 0; i < values.size(); ++i) values.set(i, static_cast<double>(i % 97) * step);
    return values;
}

DeviceSession n150() { return DeviceSession(make_machine("wormhole_b0", {"wh_n150", "", {}, 1})); }

}  // namespace

TEST_CASE("a launch has the bits and the cycles of a session of the same netlist") {
    const ir::CompiledModel model = compiled_add();
    DeviceSession device = n150();
    const std::int64_t add = device.add_program(model);
    const std::int64_t a = device.write(bfloat16({33, 50}), ramp({33, 50}, 0.37F));
    const std::int64_t b = device.write(bfloat16({33, 50}), ramp({33, 50}, -0.11F));
    const std::int64_t y = device.launch(add, std::vector{a, b}, std::vector{bfloat16({33, 50})}).front();

    runtime::Model own(model, {});  // the engine with a clock
    const Literal expected = own.run({{"a", device.peek(a)}, {"b", device.peek(b)}}).at("y");
    CHECK(device.read(y) == expected);
    std::uint64_t cycles = 0;
    for (const sim::GraphReport& graph : own.session().report().graphs) cycles += graph.active_cycles;
    CHECK(device.program(add).cycles == cycles);
    CHECK(cycles > 0);
}

TEST_CASE("the two clocks of a device session") {
    DeviceSession device = n150();
    const std::int64_t add = device.add_program(compiled_add());
    const std::int64_t a = device.write(bfloat16({33, 50}), ramp({33, 50}, 1));
    const std::uint64_t written = device.host_now();
    CHECK(written > 0);
    (void)device.launch(add, std::vector{a, a}, std::vector{bfloat16({33, 50})});
    const runtime::LaunchTime first = device.last_launch();
    CHECK(first.is_new);
    CHECK(first.enqueued - written == 62000);  // enqueue_new of configs/launch.yaml at 1 GHz
    CHECK(first.start == first.enqueued);
    (void)device.launch(add, std::vector{a, a}, std::vector{bfloat16({33, 50})});
    const runtime::LaunchTime second = device.last_launch();
    CHECK(second.enqueued - first.enqueued == 1530);
    CHECK(second.start == std::max(second.enqueued, first.end + 660));
    CHECK(second.end - second.start == 1830 + device.program(add).cycles);
    device.synchronize();
    CHECK(device.host_now() == second.end);
}

TEST_CASE("buffers that were freed, and memory that is full") {
    DeviceSession device = n150();
    const std::int64_t a = device.write(bfloat16({33, 50}), ramp({33, 50}, 1));
    const std::int64_t view = device.view(a, {50, 33});
    device.free(a);
    CHECK(device.memory(MemoryKind::Dram).used > 0);  // the view holds it
    try {
        (void)device.read(a);
        FAIL("a freed buffer was read");
    } catch (const Error& error) {
        CHECK(error.problems().front().code == error_code::not_allocated);
    }
    device.free(view);
    CHECK(device.memory(MemoryKind::Dram).used == 0);

    BankAllocator memory("DRAM", 2, 32, 32 + 256, 32);
    const std::int64_t first = memory.allocate(2, 64), second = memory.allocate(2, 64), third = memory.allocate(4, 64);
    CHECK(memory.used() == memory.total());
    memory.free(first);
    memory.free(third);
    CHECK(memory.largest_hole() == 256);
    try {
        (void)memory.allocate(6, 64);
        FAIL("a buffer beyond the largest hole was allocated");
    } catch (const Error& error) {
        CHECK(error.problems().front().code == error_code::out_of_memory);
        CHECK(std::string(error.what()).find("384 bytes in 2 banks was requested; 384 bytes are free, 256") !=
              std::string::npos);
    }
    memory.free(second);
    CHECK(memory.largest_hole() == memory.total());
    CHECK(memory.allocate(8, 64) == 32);
}

TEST_CASE("values are rounded to the format of their buffer") {
    BufferSpec spec = bfloat16({1, 2});
    Literal values(DType::F32, {1, 2});
    values.set(0, 1.00390625);  // half a unit in the last place: to even
    values.set(1, std::numeric_limits<double>::infinity());
    const Literal made = runtime::rounded(Literal(values), spec);
    CHECK(made.at(0) == 1.0);
    CHECK(std::isinf(made.at(1)));
    spec.format = DataFormat::Bfp4_b;
    Literal small(DType::F32, {1, 2});
    small.set(0, 1.0);
    small.set(1, 0.01);  // below the last digit that the shared exponent leaves
    CHECK(runtime::rounded(Literal(small), spec).at(1) == 0.0);
}
