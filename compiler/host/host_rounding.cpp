#include "compiler/host/host_rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "compiler/backend/spare_phases.hpp"
#include "kernels/formats/overflow.hpp"

namespace tt::ir {

namespace {

/// Keeps `bits` of the 23 of a significand; a carry goes into the exponent, where the result is what is meant.
float rounded(float value, int bits) {
    constexpr std::uint32_t exponent_mask = 0x7f800000;
    const int cut = 23 - bits;
    const auto raw = std::bit_cast<std::uint32_t>(value);
    if ((raw & exponent_mask) == exponent_mask) return value;  // infinity, no number
    const std::uint32_t below = (std::uint32_t{1} << cut) - 1;
    const std::uint32_t odd = (raw >> cut) & 1;
    const std::uint32_t up = (raw + (below >> 1) + odd) & ~below;
    return std::bit_cast<float>((up & exponent_mask) == exponent_mask ? raw & ~below : up);
}

}  // namespace

float stand_in_for_infinity(DataFormat format) { return std::ldexp(1.0F, std::ilogb(largest_number(format)) - 3); }

void round_for_push(DataFormat format, std::span<float> values, int digits) {
    if (is_raw(format) || is_integer(format)) return;
    for (float& value : values)
        if (std::isinf(value)) value = std::copysign(stand_in_for_infinity(format), value);
    constexpr int all = 23;
    int bits = format == DataFormat::Float16_b ? 7 : format == DataFormat::Float16 ? 10 : all;
    if (digits > 0) bits = std::min(bits, digits - 1);
    if (bits == all) return;
    for (float& value : values) value = rounded(value, bits);
}

std::map<std::string, int> digits_by_queue(const Netlist& netlist) {
    std::map<std::string, int> digits;
    for (const tt::Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops)
            for (std::size_t k = 0; k < op.inputs.size(); ++k) {
                const int seen = multiplied_digits(op.cfg, k);
                const auto [known, first] = digits.try_emplace(op.inputs[k], seen);
                if (!first) known->second = seen == 0 || known->second == 0 ? 0 : std::max(known->second, seen);
            }
    return digits;
}

}  // namespace tt::ir
