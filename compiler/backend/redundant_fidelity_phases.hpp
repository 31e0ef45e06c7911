// Redundant fidelity phases. A phase multiplies some digits of each operand (isa/fidelity.hpp). The low digits of
// formats with few digits are zero, so phases that multiply them can be omitted without changing a bit.
#pragma once

#include "kernels/op_config.hpp"

namespace ttsim::impl::ir {

/// Significand digits (with the leading one) of an operand that the fidelity phases of the op multiply. 0: the operand
/// is not multiplied, or not in a known way.
int visible_digits(const OpConfig& op, std::size_t operand);

/// Mean relative magnitude that the phases truncate from an operand's elements: the digits beyond the visible ones.
double truncated_share(const OpConfig& op, std::size_t operand);
/// The same for numbers with `given` digits of which the first `shown` are kept.
double truncated_share(int given, int shown);

/// Raises elementwise products from HiFi2 to HiFi3, whose third phase multiplies the last digit of a 16-bit second
/// operand. Without it norms and gates would truncate activations in every layer.
Fidelity with_second_operand(const OpConfig& op);

/// The lowest fidelity with the same results.
Fidelity without_redundant_fidelity_phases(const OpConfig& op);

}  // namespace ttsim::impl::ir
