// Phases of the multipliers that would only meet zeros. A phase multiplies some digits of each operand
// (isa/fidelity.hpp); of an operand in a short format the low ones are zero. Leaving such phases out changes no bit.
#pragma once

#include "kernels/op_config.hpp"

namespace tt::ir {

/// Digits of a significand, the first one included, that the phases of an op show of its operand; 0: it multiplies no
/// such operand, or in a way that is not known.
int multiplied_digits(const OpConfig& op, std::size_t operand);

/// The least fidelity with the same products.
Fidelity without_spare_phases(const OpConfig& op);

}  // namespace tt::ir
