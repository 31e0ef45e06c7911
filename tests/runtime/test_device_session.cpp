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

    runtime::Model own(model, {});                             // the engine with a clock
    own.push({{"a", device.peek(a)}, {"b", device.peek(b)}});  // operands are in DRAM before the program starts
    CHECK(device.read(y) == own.get().at("y"));
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

TEST_CASE("operands in L1 take less time than operands in DRAM") {
    const ir::Dims dims{512, 512};
    ir::CompileOptions options;
    options.effort = 0;
    const ir::CompiledModel model = ir::compile(
        ir::parse_graph("%a = input : f32[512, 512]\n%y = relu %a\noutput \"y\" = %y\n", "relu.tg"), options);
    DeviceSession device = n150();
    const BufferSpec dram = bfloat16(dims);
    BufferSpec dealt = dram, sharded = dram;
    dealt.memory = sharded.memory = MemoryKind::L1;
    sharded.cores = {0, 1, 2, 3, 4, 5, 6, 7};
    sharded.shard_rows = 64;
    sharded.shard_columns = 512;
    const auto cycles = [&](const BufferSpec& input, const BufferSpec& output) {
        return device.program(device.add_program(model, std::vector{input}, std::vector{output})).cycles;
    };
    const std::uint64_t slow = device.program(device.add_program(model)).cycles;
    CHECK(cycles(dram, dram) == slow);
    CHECK(cycles(dealt, dealt) < slow);
    CHECK(cycles(sharded, sharded) < slow);
    CHECK(cycles(dram, dealt) > cycles(dealt, dealt));  // the operand comes from DRAM
    // the same values from every memory
    const std::int64_t fast = device.add_program(model, std::vector{dealt}, std::vector{dealt});
    const std::int64_t a = device.write(dram, ramp(dims, -0.37F)), b = device.write(dealt, ramp(dims, -0.37F));
    const std::int64_t y = device.launch(device.add_program(model), std::vector{a}, std::vector{dram}).front();
    CHECK(device.peek(device.launch(fast, std::vector{b}, std::vector{dealt}).front()) == device.peek(y));
    // a move: L1 of many cores is faster than the channels of DRAM
    const auto moved = [&](std::int64_t source, const BufferSpec& spec) {
        (void)device.move(std::vector{source}, spec, device.peek(source));
        return device.last_launch().end - device.last_launch().start;
    };
    CHECK(moved(b, dealt) < moved(a, dealt));
    CHECK(moved(a, dealt) < moved(a, dram));
}

TEST_CASE("shards of a buffer are in the L1 of their cores") {
    DeviceSession device = n150();
    BufferSpec spec = bfloat16({96, 64});
    spec.memory = MemoryKind::L1;
    spec.cores = {3, 9, 10};
    spec.shard_rows = 32;
    spec.shard_columns = 64;
    const std::int64_t id = device.write(spec, ramp({96, 64}, 1));
    const runtime::BufferState place = device.buffer(id);
    CHECK(place.cores == std::vector<std::int64_t>{3, 9, 10});
    CHECK(place.pages == 6);
    CHECK(place.bytes() == 6 * 2048);
    // every bank keeps the address range of a shard
    CHECK(device.memory(MemoryKind::L1).used == 2 * 2048 * device.memory(MemoryKind::L1).banks);
    device.free(id);
    const auto refused = [&](const char* text) {
        try {
            (void)device.write(spec, ramp({96, 64}, 1));
            FAIL("the buffer was made");
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find(text) != std::string::npos);
        }
    };
    spec.cores = {3, 9};
    refused("f32[96, 64] in shards of 32 x 64 has 3 of them, for 2 cores");
    spec.cores = {3, 9, 640};
    refused("there is no core 640; the device has cores 0..");
    spec.cores = {3, 9, 10};
    spec.shard_rows = 0;
    refused("a shard has at least one row and column, not 0 x 64");
    spec.memory = MemoryKind::Dram;
    refused("a buffer with shards is in L1");
    CHECK(device.memory(MemoryKind::L1).used == 0);
}

TEST_CASE("a recorded sequence is enqueued with one command") {
    DeviceSession device = n150();
    const std::int64_t add = device.add_program(compiled_add());
    const std::int64_t a = device.write(bfloat16({33, 50}), ramp({33, 50}, 1));
    const auto launch = [&] { (void)device.launch(add, std::vector{a, a}, std::vector{bfloat16({33, 50})}); };
    launch();
    device.synchronize();
    const std::uint64_t start = device.host_now();
    device.begin_replay();
    launch();
    launch();
    launch();
    CHECK(device.host_now() - start == 1530);  // `enqueue` of configs/launch.yaml at 1 GHz
    device.end_replay();
    launch();
    CHECK(device.host_now() - start == 2 * 1530);
}
