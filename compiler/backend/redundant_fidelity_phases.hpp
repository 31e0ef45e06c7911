// Phases of the multipliers that would only meet zeros. A phase multiplies some digits of each operand
// (isa/fidelity.hpp); of an operand in a short format the low ones are zero. Leaving such phases out changes no bit.
#pragma once

#include "kernels/op_config.hpp"

namespace ttsim::impl::ir {

/// Digits of a significand, the first one included, that an operand has and the phases of its op show; 0: it multiplies
/// no such operand, or in a way that is not known.
int multiplied_digits(const OpConfig& op, std::size_t operand);

/// Of the size of an operand's elements, what its phases cut off on average: the digits behind those they show, where
/// the format has more.
double share_cut_off(const OpConfig& op, std::size_t operand);
/// The same of numbers with so many digits of which the first are kept.
double share_cut_off(int given, int shown);

/// Elementwise products at HiFi2 take the third phase, for the last digit of a second operand in 16 bits: norms and
/// gates would cut it off what they work on, layer for layer.
Fidelity with_second_operand(const OpConfig& op);

/// The least fidelity with the same products.
Fidelity without_redundant_fidelity_phases(const OpConfig& op);

}  // namespace ttsim::impl::ir
