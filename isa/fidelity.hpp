// Math fidelity: the multiplier phases of a product, and the operand bits that each phase multiplies.
//
//   phase   SrcA (5-bit port)      SrcB (7-bit port)
//   0       hidden + top 4         hidden + top 6
//   1       next 5                 hidden + top 6
//   2       hidden + top 4         remaining 4
//   3       next 5                 remaining 4
//
// Matmul: in0 -> SrcB, in1 -> SrcA. Element-wise: in0 -> SrcA, in1 -> SrcB.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ttsim::impl {

enum class Fidelity : std::uint8_t { LoFi, HiFi2, HiFi2_B, HiFi3, HiFi4, Invalid };

std::optional<Fidelity> parse_fidelity(std::string_view name);  ///< HiFi2_A is HiFi2
std::string_view to_string(Fidelity fidelity);

/// The phases in order: LoFi {0}, HiFi2 {0,1}, HiFi2_B {0,2}, HiFi3 {0,1,2}, HiFi4 {0,1,2,3}.
std::span<const int> phases(Fidelity fidelity);

enum class SrcPort : std::uint8_t { A, B };

/// Significand bits below the hidden bit that a port multiplies over all phases, counted from the top: port A 4 (LoFi,
/// HiFi2_B) or 9; port B 6 (LoFi, HiFi2) or 10. HiFi3 is not a product of two masks: it is A9*B10 less A_low*B_low; see
/// hifi3_split in kernels/formats/numerics.hpp.
int visible_mantissa_bits(Fidelity fidelity, SrcPort port);

}  // namespace ttsim::impl
