// Encodes tiles as bytes, as in L1 and DRAM: header (16 B), exponent section, elements by faces. Values to encode must
// be values of the format (kernels/formats/numerics.hpp). Encoding is then lossless: decode(encode(x)) == x bit for
// bit, except that zeros of block floats have no sign. Raw formats are row-major over the tile, without faces, and hold
// bit patterns in the floats.
#pragma once

#include <cstdint>
#include <span>

#include "isa/data_format.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// The body only (tile_body_bytes), as in test vectors and queues. `tile` is one tile of `dim`.
// Views are passed by reference: a copy, made of words and read as vectors, would wait for all stores before it.
void encode_tile(DataFormat format, TileDim dim, const ConstMatrixView& tile, std::uint8_t* body);
void decode_tile(DataFormat format, TileDim dim, const std::uint8_t* body, const MatrixView& tile);

/// The same for a tile of Int32 whose elements are the bits of an int32, without loss (kernels/ops/integer_bits.hpp).
void encode_integers(TileDim dim, const ConstMatrixView& tile, std::uint8_t* body);
void decode_integers(TileDim dim, const std::uint8_t* body, const MatrixView& tile);

/// The 16-byte header in front of a tile: size in 16-byte units, tile id, format code (hardware layout).
void write_tile_header(DataFormat format, TileDim dim, std::uint32_t tile_id, std::uint8_t* header);

/// A matrix of tiles in row-major order, tile_body_bytes each. Not parallel; callers split the work.
void encode_tiles(DataFormat format, TileDim dim, ConstMatrixView matrix, std::uint8_t* bytes);
void decode_tiles(DataFormat format, TileDim dim, const std::uint8_t* bytes, MatrixView matrix);

}  // namespace ttsim::impl
