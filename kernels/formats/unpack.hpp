// Bit-true unpacker: L1 elements to SrcA/SrcB registers or Dst.
// A register word is sign (bit 31), exponent from bit 23 upward (8 or 5 bits), mantissa from bit 22 downward. The FPU
// model uses float32 bits (see fpu.hpp); source_bits() converts.
#pragma once

#include <cstdint>
#include <span>

#include "isa/data_format.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::exact {

/// Whether the format is supported.
bool can_unpack(DataFormat from);
/// Unpacks an element without shared exponent. `to`: the register format that the unpacker is configured for (Tf32,
/// Float16_b, Float16, or the format itself). `is_unsigned`: Int8 without sign.
std::uint32_t unpack_element(DataFormat from, DataFormat to, bool is_unsigned, std::uint32_t element);

/// Unpacks a block-float element. The exponent wraps if the magnitude has more leading zeros than its value.
std::uint32_t unpack_block_element(DataFormat from, std::uint32_t exponent, std::uint32_t element);

/// Unpacks a 32x32 tile body to 1024 register words, 64 rows of 16: face f is rows 16f..16f+15.
void unpack_tile(DataFormat from, DataFormat to, bool is_unsigned, std::span<const std::uint8_t> body,
                 std::span<std::uint32_t> registers);

/// The float32 bits that the FPU model uses for a register word.
std::uint32_t source_bits(bool fp16, std::uint32_t word);

/// Register bits of a block float, read by decode_tile(), whose exponent the unpacker wraps. Float32 bits in and out.
std::uint32_t wrapped_block_exponent(std::uint32_t bits);

/// Location of a 32-bit element in Dst's 16-bit rows: the upper half in stored order at adjusted_row(row), the lower
/// half 8 rows below.
int adjusted_row(int row);
/// Natural order (sign, exponent, mantissa) of a BF16 word to the order Dst stores: sign, mantissa, exponent; and back.
std::uint16_t stored_bf16(std::uint16_t natural);
std::uint16_t natural_bf16(std::uint16_t stored);

}  // namespace ttsim::impl::exact
