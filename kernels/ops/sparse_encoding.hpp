// The index encoding of the sparse ("identity") matmul, operand 2. It assigns sparse tiles to activation rows and
// output rows. A stream of 16-bit halves, little-endian, divided into encoding tiles of 4096 bytes:
// strip: u32: bits 0-29 strip index, bit 30 last strip of the output slice, bit 31 last strip of this encoding tile;
// u16: number of blocks
// block: u16: low ublock_idx_bits: output ublock row; rest: number of tiles, 0 meaning 2^(16 - ublock_idx_bits)
// tile: u16: high tile_ptr_bits: index of the sparse tile; rest: row in the ublock << inner_bits | inner index d
// Strip s holds activation tile rows s*u_kt .. s*u_kt + u_kt-1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel_shape.hpp"
#include "kernels/op_config.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// One product: rows `row` of the ublock += sparse tile `tile` x activation tile row strip*u_kt + d.
struct SparseTile {
    std::int64_t row = 0, d = 0, tile = 0;
    friend bool operator==(const SparseTile&, const SparseTile&) = default;
};
struct SparseBlock {
    std::int64_t ublock_row = 0;
    std::vector<SparseTile> tiles;
    friend bool operator==(const SparseBlock&, const SparseBlock&) = default;
};
struct SparseStrip {
    std::int64_t index = 0;
    bool ends_slice = false;
    std::vector<SparseBlock> blocks;
    friend bool operator==(const SparseStrip&, const SparseStrip&) = default;
};

/// Field widths of an encoding and the limits of its values.
struct SparseLayout {
    std::string op;  ///< for messages
    SourceLoc loc;
    std::int64_t tile_ptr_bits = 0, ublock_idx_bits = 0;
    std::int64_t u_kt = 1, ublock_rt = 1, mblock_m = 1;
    std::int64_t strips = 1;        ///< act_t * m_k
    std::int64_t sparse_tiles = 1;  ///< of one core's part of operand 0
    std::int64_t slices = 1;        ///< output slices

    std::int64_t inner_bits() const;  ///< bits for d = 0 .. u_kt-1, at least one
    std::int64_t places() const;      ///< pairs (row, d) that a tile entry can address, row by row
    void check() const;               ///< throws Error(Input) on impossible field widths
};
SparseLayout sparse_layout(const OpConfig& op);

inline constexpr std::int64_t encoding_tile_bytes = 4096;

/// Converts a core's part of operand 2 to a word stream, tile by tile and row-major inside a 32x32 tile, and back.
std::vector<std::uint32_t> flatten_encoding(ConstMatrixView share);
void unflatten_encoding(std::span<const std::uint32_t> words, MatrixView share);

/// Decodes strips in order; throws Error(Input) if a value is out of range.
class SparseDecoder {
public:
    SparseDecoder(std::span<const std::uint32_t> words, const SparseLayout& layout);
    /// Reads the next strip into `strip` (reusing its memory); false after the last strip of the last slice.
    bool next(SparseStrip& strip);
    std::int64_t slice() const { return slice_; }  ///< output slice of the last returned strip

private:
    std::uint16_t half();
    void read_block(SparseBlock& block);
    void require(bool condition, const char* what, std::int64_t value, std::int64_t limit) const;

    std::span<const std::uint32_t> words_;
    const SparseLayout& layout_;
    std::size_t pos_ = 0;    // in halves
    std::size_t strip_ = 0;  // number of strips read
    std::int64_t slice_ = 0;
    bool advance_ = false;  // the last returned strip ended its slice
};

/// All strips by output slice.
std::vector<std::vector<SparseStrip>> decode_sparse(std::span<const std::uint32_t> words, const SparseLayout& layout);

/// Counts the strips, ublocks and tiles of an encoding.
SparseCounts count_sparse(std::span<const std::uint32_t> words, const SparseLayout& layout);

/// Writes an encoding. A strip that does not fit into the rest of its encoding tile starts a new one. Throws
/// Error(Input) if a strip does not fit into a tile, or a value does not fit its field.
class SparseEncoder {
public:
    explicit SparseEncoder(SparseLayout layout);
    void add(const SparseStrip& strip);
    /// The finished stream, padded to complete encoding tiles.
    std::vector<std::uint32_t> words() const;
    std::int64_t tiles() const;                                ///< encoding tiles so far
    std::int64_t strip_bytes(const SparseStrip& strip) const;  ///< encoded size of a strip
    /// Maximum number of tiles of a block.
    std::int64_t max_block_tiles() const;

private:
    void require_fit(std::int64_t value, std::int64_t limit, const char* what) const;
    SparseLayout layout_;
    std::vector<std::uint16_t> halves_;
    std::size_t last_strip_ = 0;  // position of the header of the last added strip
};

}  // namespace ttsim::impl
