// The chips' arithmetic on values held as float32: every function rounds in place to values the format can hold.
//
//   host float --host_convert--> queue (df) --unpack--> SrcA/SrcB --fidelity masks--> products
//     --sum, round_to_dest(acc_df)--> Dst --pack(intermed_df or out_df)--> L1
//
// "fast" math: sums are float32 inside a k-block and rounded to acc_df as they leave Dst.
// Rules: docs/modelling.md section "Numbers"; bit layouts in kernels/formats/tile_codec.hpp.
#pragma once

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// --numerics: `real` follows the formats, `float32` switches all float rounding off
/// (integers still round and saturate: that is what those ops compute).
/// Exact is `real` with --math exact: the matrix unit bit by bit (kernels/exact).
enum class Numerics : std::uint8_t { Real, Float32, Exact };
inline bool follows_formats(Numerics numerics) { return numerics != Numerics::Float32; }

/// Block floats: half-up rounding (host pushes) or truncation (requantization in golden).
enum class BlockRounding : std::uint8_t { HalfUp, Truncate };

/// What the host does when it pushes float32 data into a queue of that format, and what golden does when it
/// requantizes (netlist format section 5): truncation for floats; integers round half away from zero and saturate.
/// Block floats share an exponent over 16 consecutive columns of a row. Raw formats: unchanged.
void host_convert(DataFormat format, MatrixView values, BlockRounding rounding = BlockRounding::HalfUp);

/// L1 elements as the unpacker puts them into SrcA/SrcB: FP32 becomes Tf32 (Dst 32 bit), Float16_b or Float16
/// (by the family of `acc`); denormals vanish, but exponents of tiny Bfp*_b wrap; other formats arrive unchanged.
void unpack_to_src(DataFormat format, DataFormat acc, MatrixView values);

/// Keeps the bits of the significand that a port's phases multiply (isa/fidelity.hpp). HiFi3 keeps what HiFi4 does.
void mask_operand(Fidelity fidelity, SrcPort port, MatrixView values);
/// The part of an operand that only the low-low phase (3) would multiply, which HiFi3 leaves out:
/// port A: the next 5 bits; port B: the remaining 4. Written to `low`, same shape.
void low_part(SrcPort port, ConstMatrixView values, MatrixView low);

/// Sums as they leave Dst: nearest, half up in magnitude, to acc_df; denormals to +0; overflow as in vectors rule 7
/// (infinity for the 8-bit exponent, largest for Float16). Int32 saturates. Float32: denormals to zero only.
void round_to_dest(DataFormat acc, MatrixView values);

/// Whether an element is infinite or NaN, with the 5-bit exponents of Float16 in the upper half of its range. There the
/// order of additions counts, and what float32 makes of infinities is not what the matrix unit does.
bool leaves_range(DataFormat acc, ConstMatrixView values);

/// Dst values (of format acc) packed to `out` in L1: early and late step of the packer. `intermediate` choice follows
/// acc and out. Block floats share an exponent over 16 consecutive columns of a row.
void pack_from_dest(DataFormat acc, DataFormat out, MatrixView values);
/// Its early step alone; pack_from_dest() afterwards does the rest.
void pack_early_step(DataFormat acc, DataFormat out, MatrixView values);
/// Whether the packer's intermediate format is Float32 for them.
bool intermediate_is_float32(DataFormat acc, DataFormat out);

/// Rounds half away from zero and saturates to an integer format (Int8 +-127, UInt8, UInt16, Int32 +-(2^31-1)).
void saturate_to_integer(DataFormat format, MatrixView values);

}  // namespace ttsim::impl
