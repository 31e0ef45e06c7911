// Tiles as bytes: the memory image of L1 and DRAM. Header (16 B), exponent section, elements by faces.
// The values given to encode must already be values of the format (see kernels/formats/numerics.hpp): encoding then
// loses nothing and decode(encode(x)) == x bit for bit (zero signs of block floats excepted: a zero magnitude has no
// sign). Raw formats are row-major over the tile, without faces, and carry bit patterns in the floats.
#pragma once

#include <cstdint>
#include <span>

#include "isa/data_format.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// Body only (tile_body_bytes): what vectors and queues hold. `tile` is one tile of `dim`.
void encode_tile(DataFormat format, TileDim dim, ConstMatrixView tile, std::uint8_t* body);
void decode_tile(DataFormat format, TileDim dim, const std::uint8_t* body, MatrixView tile);

/// The same of a tile of Int32 whose elements are the bits of an int32, all of which are kept
/// (kernels/ops/integer_bits.hpp).
void encode_integers(TileDim dim, ConstMatrixView tile, std::uint8_t* body);
void decode_integers(TileDim dim, const std::uint8_t* body, MatrixView tile);

/// The 16-byte header in front of a tile: size in 16-byte units, tile id, format code (hardware layout).
void write_tile_header(DataFormat format, TileDim dim, std::uint32_t tile_id, std::uint8_t* header);

/// A matrix of rt x ct tiles, row-major tiles of tile_body_bytes each. Parallel over nothing: callers split the work.
void encode_tiles(DataFormat format, TileDim dim, ConstMatrixView matrix, std::uint8_t* bytes);
void decode_tiles(DataFormat format, TileDim dim, const std::uint8_t* bytes, MatrixView matrix);

}  // namespace ttsim::impl
