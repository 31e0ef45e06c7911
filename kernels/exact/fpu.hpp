// Bit-true FPU: products in two groups of eight, aligned and rounded, then added to Dst and rounded again
// (docs/modelling.md section "Bit-true").
// Sources are float32 bit patterns of SrcA and SrcB after unpacking: sign, exponent field, 10 mantissa bits (lower bits
// are ignored). Exponent field 255 is an ordinary number. FP16 elements have their value's float32 exponent, 112 above
// the 5-bit field. Dst holds float32 bits of values of its format.
#pragma once

#include <span>

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/op_config.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::exact {

enum class Dest : std::uint8_t { Bf16, Fp16, Fp32 };

/// The Dst format for a netlist's acc_df; not for Int32 (see integer.hpp).
Dest dest_of(DataFormat acc);

struct FpuConfig {
    Dest dest = Dest::Bf16;
    bool fp16_sources = false;  ///< SrcA and SrcB hold 5-bit exponents
    bool minus_unit = true;     ///< ChipFeatures::fpu_minus_unit
};
/// Source format after unpacking `format` for this Dst.
FpuConfig fpu_config(DataFormat format, DataFormat acc, const ChipTraits& chip);

/// dest += in0 x in1 in the order of the hardware: per `k_tile` (16 or 32) inner indices, per phase, 16 inner indices
/// at a time. in0 is in SrcB, in1 in SrcA. Any sizes. `results_only`: dest holds only results of the FPU, so zero rows
/// can be skipped.
void matmul(const FpuConfig& config, std::span<const int> phases, std::int64_t k_tile, ConstMatrixView in0,
            ConstMatrixView in1, MatrixView dest, bool results_only = false);

/// dest (+)= a + b or a - b; a in SrcA, b in SrcB.
enum class AddKind : std::uint8_t { Add, Subtract };
void add(const FpuConfig& config, AddKind kind, bool accumulate, std::span<const float> a, std::span<const float> b,
         std::span<float> dest);

/// dest += a * b, one rounding per phase; a in SrcA, b in SrcB.
void multiply(const FpuConfig& config, std::span<const int> phases, std::span<const float> a, std::span<const float> b,
              std::span<float> dest);

/// Maximum of each column of 16 SrcA rows (rows x cols) and `dest` in sign-magnitude order, into `dest` (1 x cols).
/// `undefined`: dest was cleared and counts as the lowest value.
void pool_max(const FpuConfig& config, ConstMatrixView source, bool undefined, std::span<float> dest);

}  // namespace ttsim::impl::exact
