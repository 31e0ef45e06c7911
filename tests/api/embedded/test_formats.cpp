// Identity graphs in single and batched pushes, over pairs of host type and queue format, grids and small tiles.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "tests/api/embedded/identity.hpp"

using namespace embedded_test;

namespace {

/// The upper half of float32, which is bfloat16; for small integers both are exact.
std::vector<std::uint16_t> bfloats(const std::vector<float>& values) {
    std::vector<std::uint16_t> out;
    for (const float value : values) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        out.push_back(static_cast<std::uint16_t>(bits >> 16));
    }
    return out;
}

/// IEEE binary16 of integers below 2048.
std::vector<std::uint16_t> halves(const std::vector<float>& values) {
    std::vector<std::uint16_t> out;
    for (const float value : values) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        const std::uint32_t sign = bits >> 16 & 0x8000U, rest = bits & 0x7FFFFFFFU;
        out.push_back(static_cast<std::uint16_t>(rest == 0 ? sign : sign | ((rest >> 13) - (112U << 10))));
    }
    return out;
}

struct Pair {
    const char* host;
    const char* queue;
    const char* acc;
    int most;  ///< integers up to it are exact
};

bool is_a(const std::string& df) { return df == "Float16" || df == "Bfp8" || df == "Bfp4" || df == "Bfp2"; }

/// Pushes `count` entries at once, as often as an execute needs, and takes what comes out.
template <class T>
void through(const Opened& device, const Identity& o, DataFormat format, const std::vector<T>& values, bool single) {
    const tt_dram_io_desc x = device.queue("x");
    const int entries = o.input_count;
    for (int k = 0; k < entries; k += single ? 1 : entries) {
        const std::vector<T> part(
            values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * o.elements()), values.end());
        CHECK(backend::push_input(x, tensor_of(part, format, o, single ? 1 : entries), single, 1) == Success);
    }
    REQUIRE(device.run() == Success);
}

}  // namespace

TEST_CASE("pushed data comes back through an identity op, in the host type of the queue's family") {
    const Pair p = GENERATE(Pair{"Float32", "Float32", "Float32", 60}, Pair{"Float32", "Float16_b", "Float16_b", 60},
                            Pair{"Float32", "Float16", "Float16", 60}, Pair{"Float32", "Bfp8_b", "Float16_b", 60},
                            Pair{"Float32", "Bfp8", "Float16", 60}, Pair{"Float32", "Bfp4_b", "Float16_b", 7},
                            Pair{"Float32", "Bfp2_b", "Float16_b", 1}, Pair{"Float16_b", "Float16_b", "Float16_b", 60},
                            Pair{"Float16_b", "Bfp8_b", "Float16_b", 60}, Pair{"Float16_b", "Float32", "Float32", 60},
                            Pair{"Float16", "Float16", "Float16", 60}, Pair{"Float16", "Bfp8", "Float16", 60},
                            Pair{"Float16", "Float16_b", "Float16_b", 60});
    const bool single = GENERATE(true, false);
    const DEVICE type = GENERATE(DEVICE::Silicon, DEVICE::Golden);
    CAPTURE(p.host, p.queue, single, type == DEVICE::Golden);
    const Identity o{p.queue, p.acc};
    const Opened device(text_of(o), type);
    const std::vector<float> values = counting(o.elements() * 2, p.most);
    const DataFormat format = get_format_from_string(p.host);
    if (format == DataFormat::Float32) through(device, o, format, values, single);
    if (format == DataFormat::Float16_b) through(device, o, format, bfloats(values), single);
    if (format == DataFormat::Float16) through(device, o, format, halves(values), single);
    const tt_dram_io_desc y = device.queue("y");
    const std::string df = p.queue;
    CHECK(get_string(io::utils::get_pytorch_tensor_format_from_queue(y)) == (df == "Float32" ? "Float32"
                                                                             : is_a(df)      ? "Float16"
                                                                                             : "Float16_b"));
    if (df == "Float32")
        CHECK(take<float>(y) == values);
    else
        CHECK(take<std::uint16_t>(y) == (is_a(df) ? halves(values) : bfloats(values)));
}

TEST_CASE("every number of Float16_b comes back bit for bit") {
    const Identity o;
    const Opened device(text_of(o), GENERATE(DEVICE::Silicon, DEVICE::Golden));
    std::mt19937 random(7);
    std::vector<std::uint16_t> values(o.elements() * 2);
    for (std::uint16_t& value : values)  // no denormals, no infinities
        value = static_cast<std::uint16_t>((random() & 0x8000U) | ((random() % 254 + 1) << 7) | (random() & 0x7FU));
    through(device, o, DataFormat::Float16_b, values, false);
    CHECK(take<std::uint16_t>(device.queue("y")) == values);
}

TEST_CASE("small tiles and grids of buffers") {
    const auto [h, w] = GENERATE(std::pair{32, 32}, std::pair{16, 32}, std::pair{32, 16}, std::pair{8, 32},
                                 std::pair{4, 32}, std::pair{2, 32}, std::pair{1, 32});
    Identity o;
    o.tile_h = h;
    o.tile_w = w;
    o.grid_r = 2;
    o.grid_c = 3;
    o.m = 2;
    o.ct = 2;
    o.t = 2;
    const Opened device(text_of(o));
    const tt_dram_io_desc x = device.queue("x");
    CHECK(x.bufq_start_addr_channel.size() == 6);
    CHECK(x.tile_height == static_cast<unsigned>(h));
    const std::vector<float> values = counting(o.elements() * 2, 60);
    through(device, o, DataFormat::Float32, values, false);
    CHECK(take<std::uint16_t>(device.queue("y")) == bfloats(values));
}

TEST_CASE("integers, and words as they are") {
    SECTION("Int8, with sign") {
        Identity o{"Int8", "Int32"};
        const Opened device(text_of(o));
        std::vector<std::int8_t> values;
        for (const float value : counting(o.elements() * 2, 127)) values.push_back(static_cast<std::int8_t>(value));
        through(device, o, DataFormat::Int8, values, false);
        CHECK(take<std::int8_t>(device.queue("y")) == values);
    }
    SECTION("RawUInt32, in a ram that no op reads") {
        Identity o;
        std::string text = text_of(o);
        const std::size_t line = text.find("  memory:");
        text.replace(text.find("df: Float16_b", line), 13, "df: RawUInt32");
        const Opened device(text);
        std::vector<std::uint32_t> values(o.elements());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * 2654435761U);
        const tt_dram_io_desc memory = device.queue("memory");
        REQUIRE(backend::push_input(memory, tensor_of(values, DataFormat::RawUInt32, o, 1), true, 1, 2) == Success);
        tt_PytorchTensorDesc back;
        REQUIRE(backend::get_output(memory, back, true, 1, 2) == Success);
        CHECK(back.format == DataFormat::RawUInt32);
        CHECK(values_of<std::uint32_t>(back) == values);
    }
}

TEST_CASE("strides are followed, and 0 repeats") {
    const Identity o;
    const Opened device(text_of(o));
    const std::vector<float> rows = counting(64, 60);
    tt_PytorchTensorDesc desc = tensor_of(rows, DataFormat::Float32, o, 2);
    desc.strides = {0, 0, 0, 8};  // every second number, the same line again and again
    REQUIRE(backend::push_input(device.queue("x"), desc, false, 1) == Success);
    REQUIRE(device.run() == Success);
    const std::vector<std::uint16_t> out = take<std::uint16_t>(device.queue("y"));
    const std::vector<std::uint16_t> line = bfloats(rows);
    for (std::size_t i = 0; i < out.size(); ++i) REQUIRE(out[i] == line[i % 32 * 2]);
}

TEST_CASE("sizes equal those of the memory") {
    using namespace tt::backend;
    CHECK(sizeof_format(DataFormat::Float32) == 4);
    CHECK(sizeof_format(DataFormat::Float16) == 2);
    CHECK(sizeof_format(DataFormat::Int8) == 1);
    CHECK_THROWS_AS(sizeof_format(DataFormat::Bfp8_b), std::runtime_error);
    CHECK_THROWS_AS(sizeof_format(DataFormat::Lf8), std::runtime_error);
    CHECK(get_tile_size_in_bytes(DataFormat::Float16_b, false) == 2048 + 32);
    CHECK(get_tile_size_in_bytes(DataFormat::Bfp8_b, false) == 1024 + 64 + 32);
    CHECK(get_tile_size_in_bytes(DataFormat::Float16_b, true, 16, 32) == 1024);
    CHECK(get_entry_size_in_bytes(DataFormat::Float32, false, 2, 1, 3, 1, 4) == 24 * 4128);
    CHECK(get_io_size_in_bytes(DataFormat::Float32, false, 2, 1, 3, 1, 4, 5) == 5 * 24 * 4128 + 32);
    CHECK(get_next_aligned_address(33) == 64);
    CHECK(get_next_aligned_address(64) == 64);
    const Identity o;
    const Opened device(text_of(o));
    CHECK(device.queue("y").bufq_entry_size == o.elements() * 2);
}
