// The 16 elements of a row that share an exponent in block-float formats.
//
//   magnitude = significand >> (shared - own exponent), in Bits bits with the leading one explicit
//   value     = magnitude * 2^(shared - 127 - (Bits - 1))
//
// `shared` is a float32 exponent field; the formats with 5-bit exponents store it less 112.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/formats/float_bits.hpp"

namespace ttsim::impl {

inline constexpr std::int64_t group_size = 16;
using Group = std::array<std::uint32_t, group_size>;

/// Packer: half up to 7 bits, of which the format keeps the top ones.
enum class Reduce : std::uint8_t { HalfUp, Truncate, Packer };

/// Largest exponent field, 255 counting as a number, of float bits without sign.
inline std::uint32_t shared_exponent(const Group& float_magnitudes) {
    using Lanes [[gnu::vector_size(16)]] = std::int32_t;
    std::array<std::int32_t, 4> largest;
    Lanes quarters[4];
    std::memcpy(quarters, float_magnitudes.data(), sizeof(quarters));
    const Lanes upper = quarters[0] > quarters[1] ? quarters[0] : quarters[1];
    const Lanes lower = quarters[2] > quarters[3] ? quarters[2] : quarters[3];
    const Lanes both = upper > lower ? upper : lower;
    std::memcpy(largest.data(), &both, sizeof(both));
    return static_cast<std::uint32_t>(std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]))) >>
           23;
}

template <Reduce How>
inline constexpr int deciding_bits = How == Reduce::Truncate ? 0 : 1;  ///< cut bits that decide about rounding
template <int Bits, Reduce How>
inline constexpr int cut_bits = std::max(Bits, How == Reduce::Packer ? 7 : 0);  ///< magnitude bits of the cut

/// From the cut significand, deciding bit included, to Bits bits.
template <int Bits, Reduce How>
std::uint32_t rounded_magnitude(std::uint32_t cut) {
    return ((cut + deciding_bits<How>) >> deciding_bits<How>) >> (cut_bits<Bits, How> - Bits);
}
template <int Bits, Reduce How>
inline constexpr std::uint32_t largest_cut = ((1U << cut_bits<Bits, How>)-1) << deciding_bits<How>;

// Where all powers of two that a group is scaled by are normal float32, which is nearly always, an element becomes a
// magnitude and back by one multiplication each.
inline bool scales_as_float(std::uint32_t shared) { return shared >= 8 && shared <= 250; }

template <int Bits, Reduce How>
float magnitude_scale(std::uint32_t shared) {
    return float_of((static_cast<std::uint32_t>(cut_bits<Bits, How> + deciding_bits<How>) + 253 - shared) << 23);
}
template <int Bits, Reduce How>
std::uint32_t scaled_magnitude(std::uint32_t float_magnitude, float scale) {
    constexpr auto limit = static_cast<float>(largest_cut<Bits, How>);
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

// The same by shifts, for any shared exponent.

template <int Bits, Reduce How>
std::uint32_t shifted_magnitude(std::uint32_t float_magnitude, std::uint32_t shared) {
    constexpr auto bits = static_cast<std::uint32_t>(cut_bits<Bits, How> + deciding_bits<How>);
    const std::uint32_t own = float_magnitude >> 23;
    const std::uint32_t significand = (float_magnitude & 0x007FFFFFU) | (own != 0 ? 0x00800000U : 0U);
    const std::uint32_t distance = std::max(shared, 1U) - std::max(own, 1U);
    const std::uint32_t cut = significand >> std::min(distance + 24 - bits, 31U);
    return rounded_magnitude<Bits, How>(std::min(cut, largest_cut<Bits, How>));
}

/// Values too small for a normal float32 become denormals.
template <int Bits>
std::uint32_t shifted_value(std::uint32_t magnitude, std::uint32_t shared) {
    if (magnitude == 0) return 0;
    const std::uint32_t exponent = std::max(shared, 1U);
    const auto leading = static_cast<std::uint32_t>(std::bit_width(magnitude)) - 1;
    if (exponent + leading >= static_cast<std::uint32_t>(Bits))
        return ((exponent + leading + 1 - Bits) << 23) | ((magnitude << (23 - leading)) & 0x007FFFFFU);
    return magnitude << (exponent + 23 - Bits);
}

/// Zeros have no sign.
inline std::uint32_t with_sign(std::uint32_t magnitude, std::uint32_t sign) {
    return magnitude | where_less(0, magnitude, sign);
}

/// Calls f with every group of 16 consecutive elements of a row, in place.
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

/// Rounds a group whose elements were prepared by `prepare` (float bits to float bits).
template <int Bits, Reduce How, class Prepare>
void round_group(float* data, std::uint32_t least_shared, Prepare prepare) {
    Group magnitudes;
    Group signs;
    for (std::size_t i = 0; i < magnitudes.size(); ++i) {
        const std::uint32_t bits = prepare(bits_of(data[i]));
        magnitudes[i] = bits & ~sign_bit;
        signs[i] = bits & sign_bit;
    }
    const std::uint32_t shared = std::max(shared_exponent(magnitudes), least_shared);
    if (scales_as_float(shared)) {
        const float scale = magnitude_scale<Bits, How>(shared), back = value_scale<Bits>(shared);
        for (std::size_t i = 0; i < magnitudes.size(); ++i)
            data[i] =
                float_of(with_sign(scaled_value(scaled_magnitude<Bits, How>(magnitudes[i], scale), back), signs[i]));
        return;
    }
    for (std::size_t i = 0; i < magnitudes.size(); ++i)
        data[i] = float_of(
            with_sign(shifted_value<Bits>(shifted_magnitude<Bits, How>(magnitudes[i], shared), shared), signs[i]));
}

/// round_group over a matrix with the number of magnitude bits (7, 3 or 1) as a value.
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
