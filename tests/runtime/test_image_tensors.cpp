// Tensor files of device images: numbers of the host, and bytes as they lie in slots.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "kernels/formats/numerics.hpp"
#include "kernels/formats/tile_codec.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/tensor_file.hpp"

using namespace ttsim::impl;
using image::to_bin;
using image::to_tbin;

namespace {

Tensor read_back(const Queue& queue, const image::StoredTensor& stored, const std::string& bytes,
                 const std::string& place) {
    image::check_file(queue, stored, bytes.size(), place);
    return image::from_file(queue, stored, bytes);
}

Queue queue_of(DataFormat df, UblockOrder order = UblockOrder::Row, TileDim tile = {}) {
    Queue queue;
    queue.name = "w";
    queue.input = "HOST";
    queue.type = QueueType::Ram;
    queue.df = df;
    queue.tile = tile;
    queue.blocking = {
        .grid_r = 2, .grid_c = 3, .mblock_m = 2, .mblock_n = 2, .ublock_rt = 1, .ublock_ct = 2, .t = 2, .order = order};
    return queue;
}

/// Numbers of many sizes; whole ones for integers, patterns for raw formats.
Tensor entry_of(const Queue& queue) {
    Tensor entry(queue.shape(), queue.tile);
    for (std::size_t i = 0; i < entry.data.size(); ++i) {
        const auto k = static_cast<std::int64_t>(i * 7919 % 1021) - 510;
        const auto pattern = static_cast<std::uint32_t>(i % 251);
        if (is_raw(queue.df))
            std::memcpy(&entry.data[i], &pattern, sizeof pattern);
        else
            entry.data[i] =
                is_integer(queue.df) ? static_cast<float>(std::abs(k) % 100) : static_cast<float>(k) / 37.0F;
    }
    return entry;
}

Tensor converted(const Queue& queue, Tensor entry, BlockRounding rounding = BlockRounding::HalfUp) {
    host_convert(queue.df, {entry.data.data(), entry.z * entry.rows, entry.cols, entry.cols}, rounding);
    return entry;
}

bool same_bits(const Tensor& a, const Tensor& b) {
    return a.data.size() == b.data.size() && std::memcmp(a.data.data(), b.data.data(), a.data.size() * 4) == 0;
}

/// The bytes of one tile by the codec.
std::string coded(const Queue& queue, const Tensor& values, std::int64_t z, std::int64_t rt, std::int64_t ct) {
    std::string body(static_cast<std::size_t>(tile_body_bytes(queue.df, queue.tile)), '\0');
    encode_tile(queue.df, queue.tile,
                values.slice(z).sub(rt * queue.tile.h, ct * queue.tile.w, queue.tile.h, queue.tile.w),
                reinterpret_cast<std::uint8_t*>(body.data()));
    return body;
}

const std::vector<DataFormat> formats{
    DataFormat::Float32,   DataFormat::Float16,  DataFormat::Float16_b, DataFormat::Bfp8,   DataFormat::Bfp8_b,
    DataFormat::Bfp4,      DataFormat::Bfp4_b,   DataFormat::Bfp2,      DataFormat::Bfp2_b, DataFormat::Lf8,
    DataFormat::Int8,      DataFormat::UInt8,    DataFormat::Int32,     DataFormat::UInt16, DataFormat::RawUInt8,
    DataFormat::RawUInt16, DataFormat::RawUInt32};

}  // namespace

TEST_CASE("Tilized tensors are the codec's tiles in the order of the blocking") {
    for (const DataFormat df : formats)
        for (const UblockOrder order : {UblockOrder::Row, UblockOrder::Column})
            for (const bool scalar : {false, true}) {
                CAPTURE(to_string(df), order == UblockOrder::Row, scalar);
                const Queue queue = queue_of(df, order);
                const Tensor entry = entry_of(queue), values = converted(queue, entry);
                const std::string bytes = image::tilize(queue, entry, {scalar, false});
                const auto step = static_cast<std::size_t>(tile_bytes(df, queue.tile));
                REQUIRE(bytes.size() == 6 * static_cast<std::size_t>(image::tilized_buffer_bytes(queue)));
                // buffer (1, 2), slice 1, micro-block (1, 0), its second tile: row 3 of 4, column 9 of 12
                const std::size_t block = order == UblockOrder::Row ? 2 : 1;
                const std::size_t at = (5 * 16 + 8 + block * 2 + 1) * step;
                const std::uint32_t units = static_cast<std::uint32_t>(step / 16);
                CHECK(std::memcmp(bytes.data() + at, &units, sizeof units) == 0);
                CHECK(bytes.substr(at + 4, 12) == std::string(12, '\0'));
                const std::string tile = coded(queue, values, 1, 3, 9);
                CHECK(bytes.substr(at + 16, tile.size()) == tile);
                CHECK(same_bits(image::untilize(queue, bytes), values));
            }
}

TEST_CASE("Rounding can be turned off only for Bfp8 of the vectorized tilizer") {
    for (const DataFormat df : formats) {
        CAPTURE(to_string(df));
        const Queue queue = queue_of(df);
        const Tensor entry = entry_of(queue);
        const Tensor cut = image::untilize(queue, image::tilize(queue, entry, {false, true}));
        const Tensor forced = image::untilize(queue, image::tilize(queue, entry, {true, true}));
        const bool bfp8 = df == DataFormat::Bfp8 || df == DataFormat::Bfp8_b;
        CHECK(same_bits(cut, converted(queue, entry, bfp8 ? BlockRounding::Truncate : BlockRounding::HalfUp)));
        CHECK(same_bits(forced, converted(queue, entry)));
        if (bfp8) CHECK_FALSE(same_bits(cut, forced));
    }
}

TEST_CASE("Flat queues have lines without headers, and no block floats") {
    Queue queue = queue_of(DataFormat::Float16_b);
    queue.layout = QueueLayout::Flat;
    const Tensor entry = entry_of(queue), values = converted(queue, entry);
    const std::string bytes = image::tilize(queue, entry, {});
    REQUIRE(bytes.size() == entry.data.size() * 2);
    // buffer (0, 1) begins with row 0, columns 128 to 255
    const std::size_t at = entry.data.size() / 6 * 2;
    for (std::size_t c = 0; c < 128; ++c) {
        std::uint16_t code = 0;
        std::uint32_t want = 0;
        std::memcpy(&code, bytes.data() + at + c * 2, sizeof code);
        std::memcpy(&want, &values.data[128 + c], sizeof want);
        REQUIRE(code == want >> 16);
    }
    CHECK(same_bits(image::untilize(queue, bytes), values));
    queue.df = DataFormat::Bfp8_b;
    CHECK_THROWS_WITH(image::tilize(queue, entry, {}), Catch::Contains("flat queues have no Bfp8_b"));
}

TEST_CASE("Tensors survive both kinds of files, and files that do not fit are refused") {
    for (const DataFormat df : formats)
        for (const TileDim tile : {TileDim{32, 32}, TileDim{16, 32}, TileDim{4, 32}}) {
            CAPTURE(to_string(df), tile.h);
            const Queue queue = queue_of(df, UblockOrder::Column, tile);
            const Tensor entry = converted(queue, entry_of(queue));
            const image::TensorFile bin = to_bin(queue, entry, "w.bin");
            CHECK(same_bits(read_back(queue, bin.stored, bin.bytes, "w.bin"), entry));
            const image::TensorFile tbin = to_tbin(queue, entry, "w.tbin", {});
            CHECK(same_bits(read_back(queue, tbin.stored, tbin.bytes, "w.tbin"), entry));
            CHECK_THROWS_WITH(read_back(queue, tbin.stored, tbin.bytes.substr(1), "w.tbin"),
                              Catch::StartsWith("w.tbin: error: it has"));
            CHECK_THROWS_WITH(read_back(queue, bin.stored, bin.bytes + "x", "w.bin"),
                              Catch::StartsWith("w.bin: error: it has"));
        }
    const Queue queue = queue_of(DataFormat::Float16_b);
    const Tensor entry = entry_of(queue);
    image::TensorFile bin = to_bin(queue, entry, "w.bin");
    CHECK(bin.stored.itemsize == 4);  // these numbers are not bfloat16 values
    CHECK(to_bin(queue, converted(queue, entry), "w.bin").stored.itemsize == 2);
    CHECK(bin.stored.strides ==
          std::array<std::int64_t, 4>{entry.size() * 4, entry.rows * entry.cols * 4, entry.cols * 4, 4});
    bin.stored.shape[3] = 1;
    CHECK_THROWS_WITH(read_back(queue, bin.stored, bin.bytes, "w.bin"), Catch::Contains("queue 'w' needs [1, 2,"));
    bin.stored.itemsize = 2;
    CHECK_THROWS_WITH(read_back(queue, bin.stored, bin.bytes, "w.bin"), Catch::Contains("a number of Float32 has 4"));
    bin.stored.format = DataFormat::Bfp8;
    CHECK_THROWS_WITH(read_back(queue, bin.stored, bin.bytes, "w.bin"), Catch::Contains("none in which a host"));
    Queue huge = queue;
    huge.blocking.mblock_m = std::int64_t{1} << 40;
    CHECK_THROWS_WITH(read_back(huge, to_bin(queue, entry, "w").stored, "", "w.bin"),
                      Catch::Contains("cannot be right"));
}

TEST_CASE("Raw tensors are linear memory: 1,024 numbers one after the other fill a tile") {
    Queue queue = queue_of(DataFormat::RawUInt32);
    const Tensor entry = entry_of(queue);
    const image::TensorFile bin = to_bin(queue, entry, "w.bin"), tbin = to_tbin(queue, entry, "w.tbin", {});
    // the first tile: numbers 0 to 1,023 of the .bin, behind the header of the .tbin
    CHECK(bin.bytes.substr(0, 4096) == tbin.bytes.substr(16, 4096));
    CHECK(bin.bytes.substr(4096, 4096) == tbin.bytes.substr(4096 + 32 + 16, 4096));
}
