// Rings, time-outs, rams, small sizes: what a call does that cannot do what it should.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>

#include "tests/api/embedded/identity.hpp"

using namespace embedded_test;

namespace {

struct Two {
    Identity o;
    Opened device{text_of(o)};
    std::vector<float> values = counting(o.elements() * 4, 60);
    tt_dram_io_desc x = device.queue("x"), y = device.queue("y");

    tt_PytorchTensorDesc entries(int count) const { return tensor_of(values, DataFormat::Float32, o, count); }
};

}  // namespace

TEST_CASE_METHOD(Two, "one push too many times out and changes nothing") {
    REQUIRE(backend::push_input(x, entries(4), false, 1) == Success);
    CHECK(backend::push_input(x, entries(1), true, 1) == TimeoutError);
    CHECK(backend::last_error().find("no room") != std::string::npos);
    REQUIRE(device.run(2) == Success);
    const std::vector<std::uint16_t> first = take<std::uint16_t>(y), second = take<std::uint16_t>(y);
    CHECK(first.size() == 2 * o.elements());
    CHECK(second != first);
    CHECK(backend::push_input(x, entries(2), false, 1) == Success);  // there is room now
}

TEST_CASE_METHOD(Two, "no batch is pushed in part") {
    REQUIRE(backend::push_input(x, entries(2), false, 1) == Success);
    CHECK(backend::push_input(x, entries(4), false, 1) == TimeoutError);
    REQUIRE(device.run() == Success);
    CHECK(take<std::uint16_t>(y).size() == 2 * o.elements());
    tt_PytorchTensorDesc none;
    CHECK(backend::get_output(y, none, true, 0) == RuntimeError);
}

TEST_CASE_METHOD(Two, "a batch that the ring can never hold is late, too") {
    const std::vector<float> many = counting(o.elements() * 6, 60);
    const tt_PytorchTensorDesc six = tensor_of(many, DataFormat::Float32, o, 6);
    CHECK(backend::push_input(x, six, false, 1) == TimeoutError);
    CHECK(backend::push_input(x, six, false, 0) == RuntimeError);
}

TEST_CASE_METHOD(Two, "one get or pop too many: TimeoutError with a time-out, RuntimeError at once without") {
    REQUIRE(backend::push_input(x, entries(2), false, 1) == Success);
    REQUIRE(device.run() == Success);
    tt_PytorchTensorDesc got;
    REQUIRE(backend::get_output(y, got, false, 1) == Success);
    CHECK(got.owner == OWNERSHIP::Backend);
    REQUIRE(backend::free_tensor(got) == Success);
    CHECK(got.ptr == nullptr);
    REQUIRE(backend::pop_output(y, true, 1) == Success);
    got.ptr = this;
    const auto start = std::chrono::steady_clock::now();
    CHECK(backend::get_output(y, got, false, 0) == RuntimeError);
    CHECK(backend::pop_output(y, false, -1) == RuntimeError);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(400));
    CHECK(got.ptr == nullptr);
    CHECK(backend::get_output(y, got, false, 1) == TimeoutError);
    CHECK(backend::pop_output(y, false, 1) == TimeoutError);
    CHECK(std::chrono::steady_clock::now() - start > std::chrono::milliseconds(1800));
    CHECK(backend::pop_output(y, true, 1) == Success);  // the one that is left is still there
}

TEST_CASE_METHOD(Two, "a batch is got round the end of the ring") {
    REQUIRE(backend::push_input(x, entries(4), false, 1) == Success);
    REQUIRE(device.run(2) == Success);
    const std::vector<std::uint16_t> all = take<std::uint16_t>(y);
    REQUIRE(backend::pop_output(y, true, 1) == Success);
    REQUIRE(backend::push_input(x, entries(2), false, 1) == Success);  // what the first batch was
    REQUIRE(device.run() == Success);
    const std::vector<std::uint16_t> round = take<std::uint16_t>(y);  // slots 3 and 0
    REQUIRE(round.size() == 2 * o.elements());
    CHECK(std::equal(round.begin() + static_cast<std::ptrdiff_t>(o.elements()), round.end(), all.begin()));
}

TEST_CASE_METHOD(Two, "numbers that the vector tilizer does not take need room at once") {
    const std::vector<std::uint8_t> bytes(o.elements(), 3);
    const tt_PytorchTensorDesc one = tensor_of(bytes, DataFormat::UInt8, o, 1);
    for (int k = 0; k < 4; ++k) REQUIRE(backend::push_input(x, one, true, 0) == Success);
    CHECK(backend::push_input(x, one, true, 0) == RuntimeError);
    CHECK(backend::push_input(x, one, true, 1) == TimeoutError);
    CHECK(backend::push_input(x, tensor_of(std::vector<std::uint8_t>(3 * o.elements()), DataFormat::UInt8, o, 3), false,
                              1) == RuntimeError);
    CHECK(backend::last_error().find("1, 2 or 4") != std::string::npos);
}

TEST_CASE("golden devices never wait") {
    const Identity o;
    const Opened device(text_of(o), DEVICE::Golden);
    const std::vector<float> values = counting(o.elements() * 4, 60);
    const tt_dram_io_desc x = device.queue("x"), y = device.queue("y");
    CHECK(x.bufq_start_addr_channel.front() == std::pair<std::uint32_t, std::uint16_t>{0, 0});
    tt_PytorchTensorDesc none;
    CHECK(backend::get_output(y, none, false, 5) == RuntimeError);
    CHECK(backend::pop_output(y, false, 5) == RuntimeError);
    CHECK(backend::push_input(x, tensor_of(values, DataFormat::Float32, o, 3), false, 5) == RuntimeError);
    REQUIRE(backend::push_input(x, tensor_of(values, DataFormat::Float32, o, 4), false, 5) == Success);
    CHECK(backend::push_input(x, tensor_of(values, DataFormat::Float32, o, 1), false, 5) == RuntimeError);
    CHECK(device.run(2) == Success);
}

TEST_CASE("golden in float32 throughout") {
    const Identity o;
    Folder folder;
    tt_backend_config config = config_for(DEVICE::Golden, folder);
    config.ignore_data_format_precision = true;
    const auto device = tt_backend::create(folder.write("n.yaml", text_of(o)), config);
    REQUIRE(device->initialize() == Success);
    const tt_dram_io_desc x = io::utils::get_queue_descriptor(device, "x");
    CHECK(x.bufq_target_format == DataFormat::Float32);
    std::vector<float> values(o.elements() * 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F + static_cast<float>(i) / 16384.0F;
    REQUIRE(backend::push_input(x, tensor_of(values, DataFormat::Float32, o, 2), false, 1) == Success);
    REQUIRE(device->run_program("run_fwd_0", {{"$p_loop_count", "1"}}) == Success);
    CHECK(take<float>(io::utils::get_queue_descriptor(device, "y")) == values);
}

TEST_CASE("time-outs of the environment win") {
    const Two two;
    ::setenv("TT_BACKEND_GET_TIMEOUT", "1", 1);
    tt_PytorchTensorDesc none;
    CHECK(backend::get_output(two.y, none, false, 0) == TimeoutError);
    ::setenv("TT_BACKEND_GET_TIMEOUT", "soon", 1);
    CHECK(backend::get_output(two.y, none, false, 0) == RuntimeError);
    CHECK(backend::last_error().find("TT_BACKEND_GET_TIMEOUT=soon") != std::string::npos);
    ::unsetenv("TT_BACKEND_GET_TIMEOUT");
}

// --- rams ----------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(Two, "rams are written and read at random, and never popped") {
    const tt_dram_io_desc memory = device.queue("memory");
    CHECK(memory.io_type == IO_TYPE::RandomAccess);
    for (const int slot : {3, 0, 2}) {
        const std::vector<float> entry(o.elements(), static_cast<float>(slot + 10));
        REQUIRE(backend::push_input(memory, tensor_of(entry, DataFormat::Float32, o, 1), true, 1, slot) == Success);
    }
    const std::vector<std::uint16_t> wanted{0x4120, 0, 0x4140, 0x4150};  // 10, nothing, 12, 13 as bfloat16
    for (const int slot : {2, 0, 3, 1, 2}) {
        tt_PytorchTensorDesc got;
        REQUIRE(backend::get_output(memory, got, true, 1, slot) == Success);
        CHECK(values_of<std::uint16_t>(got).back() == wanted[static_cast<std::size_t>(slot)]);
        CHECK(backend::free_tensor(got) == Success);
    }
    REQUIRE(backend::push_input(memory, entries(2), false, 1, 2) == Success);
    tt_PytorchTensorDesc got;
    for (const int slot : {-1, 4, 100}) {
        CHECK(backend::get_output(memory, got, true, 1, slot) == RuntimeError);
        CHECK(backend::push_input(memory, entries(1), true, 1, slot) == RuntimeError);
    }
    CHECK(backend::push_input(memory, entries(2), false, 1, 3) == RuntimeError);
    CHECK(backend::pop_output(memory, true, 1) == RuntimeError);
}

TEST_CASE("a ram that an op fills") {
    Identity o;
    o.out_ram = true;
    o.entries = 2;
    const Opened device(text_of(o));
    const std::vector<float> values = counting(o.elements() * 2, 60);
    REQUIRE(backend::push_input(device.queue("x"), tensor_of(values, DataFormat::Float32, o, 2), false, 1) == Success);
    REQUIRE(device.run() == Success);
    tt_PytorchTensorDesc second;
    REQUIRE(backend::get_output(device.queue("y"), second, true, 1, 1) == Success);
    CHECK(values_of<std::uint16_t>(second).size() == o.elements());
}

// --- shapes --------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(Two, "three dimensions: entries where the caller has them") {
    tt_PytorchTensorDesc desc = entries(2);
    desc.dim = 3;
    desc.shape = {1, 2, 32, 32};
    desc.strides = {8192, 4096, 128, 4};
    REQUIRE(backend::push_input(x, desc, false, 1) == Success);
    REQUIRE(device.run() == Success);
    tt_PytorchTensorDesc got;
    got.dim = 3;
    REQUIRE(backend::get_output(y, got, false, 1) == Success);
    CHECK(got.dim == 3);
    CHECK(got.shape == std::array<std::uint32_t, 4>{1, 2, 32, 32});
    CHECK(got.strides == std::array<std::uint32_t, 4>{4096, 2048, 64, 2});
    desc.shape = {2, 1, 32, 32};
    CHECK(backend::push_input(x, desc, false, 1) == RuntimeError);
    desc.dim = 4;
    desc.shape = {1, 1, 32, 64};
    CHECK(backend::push_input(x, desc, false, 1) == RuntimeError);
    CHECK(backend::last_error().find("[1, 1, 32, 64]") != std::string::npos);
}

TEST_CASE("six slices in five stackings") {
    Identity o;
    o.t = 6;
    o.ct = 2;
    o.input_count = 1;
    const Opened device(text_of(o));
    std::vector<float> values(o.elements());
    const std::size_t slice = o.elements() / 6;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i / slice);  // its slice
    REQUIRE(backend::push_input(device.queue("x"), tensor_of(values, DataFormat::Float32, o, 1), true, 1) == Success);
    REQUIRE(device.run() == Success);
    const std::vector<std::uint16_t> number{0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0};
    struct Stack {
        unsigned h, v;
        bool row_major;
    };
    const Stack s =
        GENERATE(Stack{1, 6, true}, Stack{6, 1, true}, Stack{2, 3, true}, Stack{2, 3, false}, Stack{3, 1, true});
    CAPTURE(s.h, s.v, s.row_major);
    tt_dram_io_desc y = device.queue("y");
    y.hstack_factor = s.h;
    y.vstack_factor = s.v;
    y.stack_row_major = s.row_major;
    tt_PytorchTensorDesc got;
    REQUIRE(backend::get_output(y, got, true, 1) == Success);
    CHECK(got.shape == std::array<std::uint32_t, 4>{1, 6 / (s.h * s.v), 32 * s.v, 64 * s.h});
    const std::vector<std::uint16_t> out = values_of<std::uint16_t>(got);
    for (unsigned k = 0; k < 6; ++k) {
        const unsigned group = k / (s.h * s.v), i = k % (s.h * s.v);
        const unsigned row = s.row_major ? i / s.h : i % s.v, column = s.row_major ? i % s.h : i / s.v;
        const std::size_t at = (std::size_t{group} * 32 * s.v + row * 32 + 31) * 64 * s.h + column * 64 + 63;
        CHECK(out[at] == number[k]);
    }
    y.hstack_factor = 4;
    CHECK(backend::get_output(y, got, true, 1) == RuntimeError);
}

TEST_CASE("a host queue of lines is read where it lies") {
    Identity o;
    o.out_on_host = true;
    o.untilize = true;
    o.entries = 3;
    o.input_count = 1;
    const Opened device(text_of(o));
    const std::vector<float> values(o.elements(), 5);
    const tt_dram_io_desc x = device.queue("x");
    const tt_dram_io_desc unmapped = device.backend->get_queue_descriptor("y"), y = device.queue("y");
    CHECK(y.layout == IO_LAYOUT::Flat);
    REQUIRE(y.bufq_mapping.size() == 1);
    for (int k = 0; k < 2; ++k)
        REQUIRE(backend::push_input(x, tensor_of(values, DataFormat::Float32, o, 1), true, 1) == Success);
    REQUIRE(device.run(2) == Success);
    tt_PytorchTensorDesc got;
    CHECK(backend::get_output(unmapped, got, true, 1) == RuntimeError);
    CHECK(backend::last_error().find("translate_addresses") != std::string::npos);
    REQUIRE(backend::get_output(y, got, true, 1) == Success);
    const auto* first = static_cast<const char*>(y.bufq_mapping[0]);
    CHECK(got.ptr == first + 32);
    CHECK(values_of<std::uint16_t>(got) == std::vector<std::uint16_t>(o.elements(), 0x40a0));
    CHECK(backend::free_tensor(got) == Success);  // the queue's own memory stays
    REQUIRE(backend::pop_output(y, true, 1) == Success);
    REQUIRE(backend::get_output(y, got, true, 1) == Success);
    CHECK(got.ptr == first + 32 + o.elements() * 2);
}

TEST_CASE("an input for a strided convolution is shuffled") {
    Identity o;
    o.input_count = 1;
    o.entries = 2;
    const Opened device(text_of(o));
    tt_dram_io_desc x = device.queue("x");
    x.s_descriptor.stride = 2;
    x.s_descriptor.xy_offsets = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    std::vector<float> values;  // 3 channels of 4 x 6
    for (int i = 0; i < 3 * 4 * 6; ++i) values.push_back(static_cast<float>(i));
    tt_PytorchTensorDesc desc = io::utils::to_tensor_descptor(1, 3, 4, 6, DataFormat::Float32);
    desc.ptr = values.data();
    REQUIRE(backend::push_input(x, desc, true, 1) == Success);
    REQUIRE(device.run() == Success);
    tt_dram_io_desc y = device.queue("y");
    const std::vector<std::uint16_t> out = take<std::uint16_t>(y, true);
    for (std::uint32_t z = 0; z < 3; ++z)
        for (std::uint32_t r = 0; r < 4; ++r)
            for (std::uint32_t c = 0; c < 6; ++c) {
                const std::uint32_t row = (r % 2 * 2 + c % 2) * 3 + z, column = r / 2 * 3 + c / 2;
                const float value = values[(z * 4 + r) * 6 + c];
                std::uint32_t bits;
                std::memcpy(&bits, &value, sizeof bits);
                REQUIRE(out[row * 32 + column] == bits >> 16);
            }
    CHECK(out[12 * 32] == 0);
}
