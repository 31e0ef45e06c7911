// A group of 16 elements of a row that share an exponent in block-float formats.
// magnitude = significand >> (shared - own exponent), in Bits bits with the leading one explicit
// value = magnitude * 2^(shared - 127 - (Bits - 1))
// `shared` is a float32 exponent field; formats with 5-bit exponents store it minus 112.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/formats/float_bits.hpp"

namespace ttsim::impl {

inline constexpr std::int64_t group_size = 16;
using Group = std::array<std::uint32_t, group_size>;

/// Rounding of magnitudes. Packer: half up to 7 bits, then truncated to the format.
enum class Reduce : std::uint8_t { HalfUp, Truncate, Packer };

/// Largest exponent field of unsigned float bits; 255 counts as a number.
inline std::uint32_t shared_exponent(const Group& float_magnitudes) {
    using Lanes [[gnu::vector_size(16)]] = std::int32_t;
    Lanes quarters[4];
    std::memcpy(quarters, float_magnitudes.data(), sizeof(quarters));
    const Lanes upper = quarters[0] > quarters[1] ? quarters[0] : quarters[1];
    const Lanes lower = quarters[2] > quarters[3] ? quarters[2] : quarters[3];
    Lanes largest = upper > lower ? upper : lower;
    Lanes other = __builtin_shufflevector(largest, largest, 2, 3, 0, 1);
    largest = largest > other ? largest : other;
    other = __builtin_shufflevector(largest, largest, 1, 0, 3, 2);
    largest = largest > other ? largest : other;
    return static_cast<std::uint32_t>(largest[0]) >> 23;
}

template <Reduce How>
inline constexpr int guard_bits = How == Reduce::Truncate ? 0 : 1;  ///< truncated bits used for rounding
template <int Bits, Reduce How>
inline constexpr int truncated_bits = std::max(Bits, How == Reduce::Packer
                                                         ? 7
                                                         : 0);  ///< magnitude bits of the truncated significand

/// Rounds a truncated significand with guard bits to Bits bits.
template <int Bits, Reduce How>
std::uint32_t rounded_magnitude(std::uint32_t cut) {
    return ((cut + guard_bits<How>) >> guard_bits<How>) >> (truncated_bits<Bits, How> - Bits);
}
template <int Bits, Reduce How>
inline constexpr std::uint32_t max_truncated = ((1U << truncated_bits<Bits, How>)-1) << guard_bits<How>;

// If all powers of two that scale a group are normal float32, the usual case, each conversion is one multiplication.
inline bool scales_as_float(std::uint32_t shared) { return shared >= 8 && shared <= 250; }

template <int Bits, Reduce How>
float magnitude_scale(std::uint32_t shared) {
    return float_of((static_cast<std::uint32_t>(truncated_bits<Bits, How> + guard_bits<How>) + 253 - shared) << 23);
}
template <int Bits, Reduce How>
std::uint32_t scaled_magnitude(std::uint32_t float_magnitude, float scale) {
    constexpr auto limit = static_cast<float>(max_truncated<Bits, How>);
    const std::uint32_t limited = min_magnitude(bits_of(float_of(float_magnitude) * scale), bits_of(limit));
    return rounded_magnitude<Bits, How>(static_cast<std::uint32_t>(static_cast<std::int32_t>(float_of(limited))));
}

template <int Bits>
float value_scale(std::uint32_t shared) {
    return float_of((shared + 1 - Bits) << 23);
}
/// Float bits of a magnitude.
inline std::uint32_t scaled_value(std::uint32_t magnitude, float scale) {
    return bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * scale);
}

// The same conversions by shifts, for any shared exponent.

template <int Bits, Reduce How>
std::uint32_t shifted_magnitude(std::uint32_t float_magnitude, std::uint32_t shared) {
    constexpr auto bits = static_cast<std::uint32_t>(truncated_bits<Bits, How> + guard_bits<How>);
    const std::uint32_t own = float_magnitude >> 23;
    const std::uint32_t significand = (float_magnitude & 0x007FFFFFU) | (own != 0 ? 0x00800000U : 0U);
    const std::uint32_t distance = std::max(shared, 1U) - std::max(own, 1U);
    const std::uint32_t cut = significand >> std::min(distance + 24 - bits, 31U);
    return rounded_magnitude<Bits, How>(std::min(cut, max_truncated<Bits, How>));
}

/// Converts a magnitude to float bits; small values become denormals.
template <int Bits>
std::uint32_t shifted_value(std::uint32_t magnitude, std::uint32_t shared) {
    if (magnitude == 0) return 0;
    const std::uint32_t exponent = std::max(shared, 1U);
    const auto leading = static_cast<std::uint32_t>(std::bit_width(magnitude)) - 1;
    if (exponent + leading >= static_cast<std::uint32_t>(Bits))
        return ((exponent + leading + 1 - Bits) << 23) | ((magnitude << (23 - leading)) & 0x007FFFFFU);
    return magnitude << (exponent + 23 - Bits);
}

/// Applies the sign; zeros have none.
inline std::uint32_t with_sign(std::uint32_t magnitude, std::uint32_t sign) {
    return magnitude | where_less(0, magnitude, sign);
}

/// Calls f with each group of 16 consecutive elements of a row, in place.
template <class F>
void for_each_group(MatrixView m, F f) {
    with_vector_instructions([m, f] {
        for (std::int64_t r = 0; r < m.rows; ++r)
            for (std::int64_t c = 0; c < m.cols; c += group_size) {
                float* data = m.row(r) + c;
                if (c + group_size <= m.cols) {
                    f(data);
                    continue;
                }
                std::array<float, group_size> padded{};
                std::copy_n(data, m.cols - c, padded.begin());
                f(padded.data());
                std::copy_n(padded.begin(), m.cols - c, data);
            }
    });
}

/// Rounds a group by shifts. It is not inlined, so that the usual path has the registers for itself.
template <int Bits, Reduce How>
[[gnu::noinline, gnu::cold]] void round_group_by_shifts(const Group& group, std::uint32_t shared, float* to) {
    for (std::size_t i = 0; i < group.size(); ++i)
        to[i] =
            float_of(with_sign(shifted_value<Bits>(shifted_magnitude<Bits, How>(group[i] & ~sign_bit, shared), shared),
                               group[i] & sign_bit));
}

/// For the packer's 7 bits, where `prepare` has left at most 7 significant bits: one multiplication, one addition.
/// Adding 1.5 * 2^23 units rounds to whole units, the nearest ones. Ties are first moved away from zero, by less than
/// the distance of any other element from a tie.
inline constexpr std::uint32_t largest_shared_of_sums = 254 - 17;  // the exponent of 1.5 * 2^23 units is 17 larger
inline void round_to_units(const Group& group, std::uint32_t shared, float* to) {
    constexpr float past_ties = 1.0F + 0x1p-12F;
    const float bias = float_of(((shared + 17) << 23) | 0x00400000U);
    const float largest = 127.0F * value_scale<7>(shared);
    for (std::size_t i = 0; i < group.size(); ++i) {
        const float sum = float_of(group[i]) * past_ties + bias;
        const float rounded = sum - bias;
        const float below = rounded < largest ? rounded : largest;
        to[i] = below > -largest ? below : -largest;
    }
}

/// Rounds a group after mapping its elements with `prepare` (float bits to float bits).
template <int Bits, Reduce How, class Prepare>
void round_group(float* data, std::uint32_t least_shared, Prepare prepare) {
    Group prepared, magnitudes;
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        prepared[i] = prepare(bits_of(data[i]));
        magnitudes[i] = prepared[i] & ~sign_bit;
    }
    const std::uint32_t shared = std::max(shared_exponent(magnitudes), least_shared);
    if (!scales_as_float(shared)) [[unlikely]]
        return round_group_by_shifts<Bits, How>(prepared, shared, data);
    if constexpr (Bits == 7 && How == Reduce::Packer)
        if (shared <= largest_shared_of_sums) return round_to_units(prepared, shared, data);
    const float scale = magnitude_scale<Bits, How>(shared), back = value_scale<Bits>(shared);
    for (std::size_t i = 0; i < prepared.size(); ++i)
        data[i] = float_of(
            with_sign(scaled_value(scaled_magnitude<Bits, How>(magnitudes[i], scale), back), prepared[i] & sign_bit));
}

/// Rounds all groups of a matrix; the number of magnitude bits (7, 3 or 1) is a run-time value.
template <Reduce How, class Prepare>
void round_groups(MatrixView m, int bits, std::uint32_t least_shared, Prepare prepare) {
    if (bits == 7)
        for_each_group(m, [=](float* d) { round_group<7, How>(d, least_shared, prepare); });
    else if (bits == 3)
        for_each_group(m, [=](float* d) { round_group<3, How>(d, least_shared, prepare); });
    else
        for_each_group(m, [=](float* d) { round_group<1, How>(d, least_shared, prepare); });
}

}  // namespace ttsim::impl
