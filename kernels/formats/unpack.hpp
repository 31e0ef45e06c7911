// The unpacker bit by bit: L1 elements to SrcA/SrcB registers or Dst.
//
// A register word is sign (bit 31), exponent from bit 23 upward (8 or 5 bits), mantissa from bit 22 downward. The FPU
// takes float32 bits (see fpu.hpp); source_bits() translates.
#pragma once

#include <cstdint>
#include <span>

#include "isa/data_format.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::exact {

/// Whether tiles of that format are described.
bool can_unpack(DataFormat from);
/// An element that is no block float. `to`: what the unpacker is told to put into the register (Tf32, Float16_b,
/// Float16, the format itself). `is_unsigned`: Int8 without sign.
std::uint32_t unpack_element(DataFormat from, DataFormat to, bool is_unsigned, std::uint32_t element);

/// A block-float element with its exponent byte; the exponent wraps when the magnitude has more leading zeros than it.
std::uint32_t unpack_block_element(DataFormat from, std::uint32_t exponent, std::uint32_t element);

/// A 32x32 tile body to 1024 register words, 64 rows of 16: face f is rows 16f..16f+15.
void unpack_tile(DataFormat from, DataFormat to, bool is_unsigned, std::span<const std::uint8_t> body,
                 std::span<std::uint32_t> registers);

/// What the FPU takes for a register word.
std::uint32_t source_bits(bool fp16, std::uint32_t word);

/// A block float read as a value by decode_tile() whose exponent the unpacker would wrap: the register's bits.
/// Float32 bits in and out.
std::uint32_t wrapped_block_exponent(std::uint32_t bits);

/// Places of a 32-bit element in Dst's 16-bit rows: upper half in stored order at adjusted_row(row), lower 8 rows
/// below.
int adjusted_row(int row);
/// Natural order (sign, exponent, mantissa) of a BF16 word to the order Dst stores: sign, mantissa, exponent; and back.
std::uint16_t stored_bf16(std::uint16_t natural);
std::uint16_t natural_bf16(std::uint16_t stored);

}  // namespace ttsim::impl::exact
