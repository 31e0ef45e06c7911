// The matrix unit bit by bit: products in two groups of eight, aligned and rounded, then added to Dst and rounded
// again, as docs/modelling.md section "Bit-true" describes.
//
// Sources are float32 bit patterns of what SrcA and SrcB hold after unpacking: sign, exponent field, 10 mantissa bits
// (lower bits are ignored). Exponent field 255 is an ordinary number. FP16 registers travel with their value's float32
// exponent, 112 above the 5-bit field. Dst is float32 bits of values of its format.
#pragma once

#include <span>

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::exact {

enum class Dest : std::uint8_t { Bf16, Fp16, Fp32 };

/// The Dst that a netlist's acc_df stands for; Int32 is not one of them (see integer.hpp).
Dest dest_of(DataFormat acc);

struct FpuConfig {
    Dest dest = Dest::Bf16;
    bool fp16_sources = false;  ///< SrcA and SrcB hold 5-bit exponents
};
/// Sources in `format` as the unpacker leaves them for this Dst.
FpuConfig fpu_config(DataFormat format, DataFormat acc);

/// dest += in0 x in1 as tiles do it: for every `k_tile` (16 or 32) inner indices, for every phase, 16 inner indices at
/// a time. in0 goes to SrcB, in1 to SrcA. Any sizes. `results_only`: dest holds nothing but results of this unit, which
/// lets rows of zeros be left out.
void matmul(const FpuConfig& config, std::span<const int> phases, std::int64_t k_tile, ConstMatrixView in0,
            ConstMatrixView in1, MatrixView dest, bool results_only = false);

/// dest (+)= a + b or a - b; a in SrcA, b in SrcB.
enum class AddKind : std::uint8_t { Add, Subtract };
void add(const FpuConfig& config, AddKind kind, bool accumulate, std::span<const float> a, std::span<const float> b,
         std::span<float> dest);

/// dest += a * b, one rounding per phase; a in SrcA, b in SrcB.
void multiply(const FpuConfig& config, std::span<const int> phases, std::span<const float> a, std::span<const float> b,
              std::span<float> dest);

/// Largest of each column of 16 SrcA rows (rows x cols) and `dest` in sign-magnitude order, into `dest` (1 x cols).
/// `undefined`: dest was cleared and reads as the lowest value.
void pool_max(const FpuConfig& config, ConstMatrixView source, bool undefined, std::span<float> dest);

}  // namespace ttsim::impl::exact
