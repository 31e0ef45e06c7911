#include "runtime/image/tilized.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/formats/tile_codec.hpp"

namespace ttsim::impl::image {

namespace {

constexpr TileDim flat_piece{1, tile_edge};  ///< a tile of one row has its elements in order

bool is_on(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value != '\0' && std::strcmp(value, "0") != 0;
}

void refuse_flat_blocks(const Queue& queue) {
    if (queue.layout == QueueLayout::Flat && is_block_float(queue.df))
        fail_unsupported(queue.loc, "queue '{}' is flat, and flat queues have no {}", queue.name, to_string(queue.df));
}

/// Position of a tile in an entry: slice, first row and column.
struct TilePlace {
    std::int64_t z, row, col;
};

/// The tiles of one buffer in memory order.
std::vector<TilePlace> tile_places(const Queue& queue, std::int64_t buffer) {
    const Blocking& b = queue.blocking;
    const std::int64_t top = buffer / b.grid_c * b.core_rt(), left = buffer % b.grid_c * b.core_ct();
    const bool by_columns = b.order == UblockOrder::Column;
    std::vector<TilePlace> places;
    for (std::int64_t z = 0; z < b.t; ++z)
        for (std::int64_t k = 0; k < b.mblock_m * b.mblock_n; ++k) {
            const std::int64_t m = by_columns ? k % b.mblock_m : k / b.mblock_n;
            const std::int64_t n = by_columns ? k / b.mblock_m : k % b.mblock_n;
            for (std::int64_t r = 0; r < b.ublock_rt; ++r)
                for (std::int64_t c = 0; c < b.ublock_ct; ++c)
                    places.push_back(
                        {z, (top + m * b.ublock_rt + r) * queue.tile.h, (left + n * b.ublock_ct + c) * queue.tile.w});
        }
    return places;
}

/// The rows of one buffer of a flat queue, in pieces of 32 elements.
std::vector<TilePlace> line_pieces(const Queue& queue, std::int64_t buffer) {
    const Blocking& b = queue.blocking;
    const std::int64_t rows = b.core_rt() * queue.tile.h, cols = b.core_ct() * queue.tile.w;
    const std::int64_t top = buffer / b.grid_c * rows, left = buffer % b.grid_c * cols;
    std::vector<TilePlace> places;
    for (std::int64_t z = 0; z < b.t; ++z)
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < cols; c += flat_piece.w) places.push_back({z, top + r, left + c});
    return places;
}

/// The pieces of an entry in memory order, and their layout.
struct Slot {
    TileDim dim;
    std::int64_t header, body, step;  ///< bytes
    std::vector<TilePlace> places;    ///< of all buffers
};

Slot slot_of(const Queue& queue) {
    refuse_flat_blocks(queue);
    const bool flat = queue.layout == QueueLayout::Flat;
    Slot slot{queue.tile, tile_header_bytes, tile_body_bytes(queue.df, queue.tile), queue.tile_bytes(), {}};
    if (flat)
        slot = {flat_piece, 0, flat_piece.w * element_bytes(queue.df), flat_piece.w * element_bytes(queue.df), {}};
    for (std::int64_t buffer = 0; buffer < queue.blocking.cores(); ++buffer) {
        const std::vector<TilePlace> places = flat ? line_pieces(queue, buffer) : tile_places(queue, buffer);
        slot.places.insert(slot.places.end(), places.begin(), places.end());
    }
    return slot;
}

/// Whether the vectorized tilizer supports the format.
bool has_vector_path(const Queue& queue) {
    const bool format = queue.df == DataFormat::Bfp8 || queue.df == DataFormat::Bfp8_b;
    return format && queue.tile.w % 16 == 0;
}

}  // namespace

Tilizer tilizer_of_environment() {
    return {is_on("TT_BACKEND_FORCE_SW_OFFLINE_TILIZE"), is_on("TT_BACKEND_DISABLE_BFP_RTE")};
}

std::int64_t tilized_buffer_bytes(const Queue& queue) {
    refuse_flat_blocks(queue);
    const Blocking& b = queue.blocking;
    const std::int64_t tiles = b.t * b.mblock_tiles();
    if (queue.layout == QueueLayout::Flat) return tiles * queue.tile.elements() * element_bytes(queue.df);
    return tiles * queue.tile_bytes();
}

void round_to_queue(const Queue& queue, Tensor& entry, const Tilizer& tilizer) {
    const bool truncate = tilizer.truncate && !tilizer.scalar && has_vector_path(queue);
    host_convert(queue.df, {entry.data.data(), entry.z * entry.rows, entry.cols, entry.cols},
                 truncate ? BlockRounding::Truncate : BlockRounding::HalfUp);
}

bool uses_vector_tilizer(DataFormat host, const Queue& queue, const Tilizer& tilizer) {
    if (tilizer.scalar) return false;
    if (is_raw(host)) return queue.df == host;
    const bool block = queue.df == DataFormat::Bfp8 || queue.df == DataFormat::Bfp8_b;
    if (host == DataFormat::Int8) return (block || queue.df == DataFormat::Int8) && queue.tile.w % 16 == 0;
    const auto is_float = [](DataFormat f) {
        return f == DataFormat::Float32 || f == DataFormat::Float16 || f == DataFormat::Float16_b;
    };
    return is_float(host) && (block || is_float(queue.df)) && queue.tile.w % 16 == 0;
}

std::string tilize(const Queue& queue, Tensor entry, const Tilizer& tilizer) {
    const Slot slot = slot_of(queue);
    round_to_queue(queue, entry, tilizer);
    std::string bytes(slot.places.size() * static_cast<std::size_t>(slot.step), '\0');
    auto* at = reinterpret_cast<std::uint8_t*>(bytes.data());
    const auto units = static_cast<std::uint32_t>(slot.step / 16);
    for (const TilePlace& place : slot.places) {
        if (slot.header > 0) std::memcpy(at, &units, sizeof units);
        encode_tile(queue.df, slot.dim, entry.slice(place.z).sub(place.row, place.col, slot.dim.h, slot.dim.w),
                    at + slot.header);
        at += slot.step;
    }
    return bytes;
}

Tensor untilize(const Queue& queue, std::string_view bytes) {
    const Slot slot = slot_of(queue);
    TT_CHECK(bytes.size() == slot.places.size() * static_cast<std::size_t>(slot.step), "{} bytes for queue '{}'",
             bytes.size(), queue.name);
    Tensor entry(queue.shape(), queue.tile);
    const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
    for (const TilePlace& place : slot.places) {
        decode_tile(queue.df, slot.dim, at + slot.header,
                    entry.slice(place.z).sub(place.row, place.col, slot.dim.h, slot.dim.w));
        at += slot.step;
    }
    return entry;
}

std::vector<float> linear(const Queue& queue, const Tensor& entry) {
    const Slot slot = slot_of(queue);
    std::vector<float> values;
    values.reserve(entry.data.size());
    for (const TilePlace& place : slot.places)
        for (std::int64_t r = 0; r < slot.dim.h; ++r) {
            const float* row = entry.slice(place.z).row(place.row + r) + place.col;
            values.insert(values.end(), row, row + slot.dim.w);
        }
    return values;
}

Tensor from_linear(const Queue& queue, const std::vector<float>& values) {
    const Slot slot = slot_of(queue);
    Tensor entry(queue.shape(), queue.tile);
    TT_CHECK(values.size() == entry.data.size(), "{} numbers for queue '{}'", values.size(), queue.name);
    auto from = values.begin();
    for (const TilePlace& place : slot.places)
        for (std::int64_t r = 0; r < slot.dim.h; ++r, from += slot.dim.w)
            std::copy_n(from, slot.dim.w, entry.slice(place.z).row(place.row + r) + place.col);
    return entry;
}

}  // namespace ttsim::impl::image
