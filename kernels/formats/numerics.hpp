// Arithmetic of the chips on float32 values. Every function rounds in place to values of the format.
// host float --host_convert--> queue (df) --unpack--> SrcA/SrcB --fidelity masks--> products --sum,
// round_to_dest(acc_df)--> Dst --pack(intermed_df or out_df)--> L1
// "fast" math: sums are float32 inside a k-block and are rounded to acc_df when they leave Dst. Rules:
// docs/modelling.md section "Numbers"; bit layouts in kernels/formats/tile_codec.hpp.
#pragma once

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// --numerics: `real` rounds to the formats, `float32` disables all float rounding (integers still round and saturate,
/// since that is what their ops compute). Exact is `real` with --math exact: the bit-true FPU (kernels/exact).
enum class Numerics : std::uint8_t { Real, Float32, Exact };
inline bool rounds_to_formats(Numerics numerics) { return numerics != Numerics::Float32; }

/// Block floats: half-up rounding (host pushes) or truncation (requantization in golden).
enum class BlockRounding : std::uint8_t { HalfUp, Truncate };

/// Converts float32 data as the host does before a push, and as golden does to requantize (netlist format section 5):
/// floats are truncated; integers round half away from zero and saturate. Block floats share an exponent over 16
/// consecutive columns of a row. Raw formats are unchanged.
void host_convert(DataFormat format, MatrixView values, BlockRounding rounding = BlockRounding::HalfUp);

/// Converts L1 elements as the unpacker does for SrcA/SrcB: Float32 becomes Tf32 (32-bit Dst), Float16_b or Float16 (by
/// the family of `acc`). Denormals become zero, but exponents of tiny Bfp*_b values wrap. Other formats are unchanged.
void unpack_to_src(DataFormat format, DataFormat acc, MatrixView values);

/// Keeps the significand bits that the phases of a port multiply (isa/fidelity.hpp). HiFi3 keeps the same bits as
/// HiFi4.
void mask_operand(Fidelity fidelity, SrcPort port, MatrixView values);
/// The bits of a float32 that it keeps.
std::uint32_t operand_mask(Fidelity fidelity, SrcPort port);
/// Writes to `low` the part of an operand that only phase 3 (low by low) multiplies, which HiFi3 omits. Port A: the
/// next 5 bits; port B: the remaining 4. Same shape.
void low_part(SrcPort port, ConstMatrixView values, MatrixView low);

/// Rounds sums that leave Dst to acc_df: half up in magnitude, denormals to +0. Overflow follows rule 7 of the vectors
/// (infinity with 8-bit exponents, the largest number in Float16). Int32 saturates. Float32: denormals become zero.
void round_to_dest(DataFormat acc, MatrixView values);

/// Whether an element is infinite or NaN or, with the 5-bit exponents of Float16, in the upper half of its range. Then
/// the order of additions matters, and float32 infinities differ from the FPU's behavior.
bool exceeds_range(DataFormat acc, ConstMatrixView values);

/// Packs Dst values (of format acc) to `out` in L1: early and late step of the packer. The intermediate format follows
/// from acc and out. Block floats share an exponent over 16 consecutive columns of a row.
void pack_from_dest(DataFormat acc, DataFormat out, MatrixView values);
/// Only the early step; pack_from_dest() afterwards does the rest.
void pack_early_step(DataFormat acc, DataFormat out, MatrixView values);
/// Whether the packer's intermediate format is Float32 for these formats.
bool intermediate_is_float32(DataFormat acc, DataFormat out);

/// Rounds half away from zero and saturates to an integer format (Int8 +-127, UInt8, UInt16, Int32 +-(2^31-1)).
void saturate_to_integer(DataFormat format, MatrixView values);

}  // namespace ttsim::impl
