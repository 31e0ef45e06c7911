#include "compiler/backend/redundant_fidelity_phases.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/ops/products.hpp"

namespace ttsim::impl::ir {

namespace {

bool is_product(const OpConfig& op) { return op.type == "matmul" || op.type == "depthwise"; }

/// The source register of an operand; nullopt: it is not multiplied.
std::optional<SrcPort> port_of(const OpConfig& op, std::size_t operand) {
    if (operand > 1) return std::nullopt;
    if (is_product(op)) return operand == 0 ? SrcPort::B : SrcPort::A;
    if (op.type == "multiply") return operand == 0 ? SrcPort::A : SrcPort::B;
    return std::nullopt;
}

/// Digits of an operand that the first phase multiplies.
int first_digits(SrcPort port) { return 1 + visible_mantissa_bits(Fidelity::LoFi, port); }

/// Whether an operand has digits beyond its first phase.
bool has_low_digits(const OpConfig& op, SrcPort port) {
    for (std::size_t k = 0; k < std::min<std::size_t>(op.in_df.size(), 2); ++k)
        if (port_of(op, k) == port) return significand_bits(op.in_df[k]) > first_digits(port);
    return true;
}

bool has_phase(Fidelity fidelity, int phase) {
    const auto all = phases(fidelity);
    return std::find(all.begin(), all.end(), phase) != all.end();
}

}  // namespace

int visible_digits(const OpConfig& op, std::size_t operand) {
    const auto port = port_of(op, operand);
    if (!port || operand >= op.in_df.size() || is_integer(op.in_df[operand]) || is_raw(op.in_df[operand])) return 0;
    const int given = significand_bits(op.in_df[operand]), bits = visible_mantissa_bits(op.fidelity, *port);
    // digits that the register itself lacks are not lost by phases
    return bits == visible_mantissa_bits(Fidelity::HiFi4, *port) ? given : std::min(1 + bits, given);
}

double truncated_share(int given, int shown) {
    // half of the truncated digits' range, for log-uniform significands: mean of x * cut over mean of x * x
    constexpr double of_size = 2.0 / 3;
    return of_size * (std::ldexp(1, 1 - shown) - std::ldexp(1, 1 - given)) / 2;
}

double truncated_share(const OpConfig& op, std::size_t operand) {
    const int shown = visible_digits(op, operand);
    if (shown == 0) return 0;
    const int given = significand_bits(op.in_df[operand]);
    return given <= shown ? 0 : truncated_share(given, shown);
}

Fidelity with_second_operand(const OpConfig& op) {
    const bool elementwise = op.type == "multiply" || op.type == "fused_op";
    return elementwise && op.fidelity == Fidelity::HiFi2 ? Fidelity::HiFi3 : op.fidelity;
}

Fidelity without_redundant_fidelity_phases(const OpConfig& op) {
    const bool multiplies = is_product(op) || op.type == "multiply";
    if (!multiplies || op.in_df.size() < 2 || is_integer(op.in_df[0]) || is_integer(op.in_df[1])) return op.fidelity;
    const bool low_a = has_low_digits(op, SrcPort::A), low_b = has_low_digits(op, SrcPort::B);
    if (low_a && low_b) return op.fidelity;
    // phase 1: low digits of A, 2: of B, 3: of both
    if (low_a) return has_phase(op.fidelity, 1) ? Fidelity::HiFi2 : Fidelity::LoFi;
    if (low_b) return has_phase(op.fidelity, 2) ? Fidelity::HiFi2_B : Fidelity::LoFi;
    return Fidelity::LoFi;
}

}  // namespace ttsim::impl::ir
