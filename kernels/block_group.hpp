// The 16 datums of a row that share an exponent in block-float formats.
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

#include "kernels/float_bits.hpp"

namespace tt {

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

/// Where all powers of two that groups are scaled by are normal float32.
inline bool scales_as_float(std::uint32_t shared) { return shared >= 8 && shared <= 250; }

template <int Bits, Reduce How>
Group group_magnitudes(const Group& float_magnitudes, std::uint32_t shared) {
    constexpr int bits = std::max(Bits, How == Reduce::Packer ? 7 : 0);
    constexpr int extra = How == Reduce::Truncate ? 0 : 1;  // the bit that decides about rounding
    constexpr std::uint32_t largest = (1U << bits) - 1;
    Group out;
    if (scales_as_float(shared)) {
        const float scale = float_of((static_cast<std::uint32_t>(bits + extra) + 253 - shared) << 23);
        constexpr auto limit = static_cast<float>(largest << extra);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const float scaled = float_of(float_magnitudes[i]) * scale;
            const std::uint32_t limited = min_magnitude(bits_of(scaled), bits_of(limit));
            out[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(float_of(limited)));
        }
    } else {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint32_t own = float_magnitudes[i] >> 23;
            const std::uint32_t significand = (float_magnitudes[i] & 0x007FFFFFU) | (own != 0 ? 0x00800000U : 0U);
            const std::uint32_t distance = std::max(shared, 1U) - std::max(own, 1U);
            const std::uint32_t cut =
                significand >> std::min(distance + 24 - static_cast<std::uint32_t>(bits + extra), 31U);
            out[i] = std::min(cut, largest << extra);
        }
    }
    for (std::uint32_t& m : out) m = ((m + extra) >> extra) >> (bits - Bits);
    return out;
}

/// Float bits of magnitudes; values too small for a normal float32 become denormals.
template <int Bits>
Group group_values(const Group& magnitudes, std::uint32_t shared) {
    Group out;
    if (scales_as_float(shared)) {
        const float scale = float_of((shared + 1 - Bits) << 23);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = bits_of(static_cast<float>(static_cast<std::int32_t>(magnitudes[i])) * scale);
        return out;
    }
    const std::uint32_t exponent = std::max(shared, 1U);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint32_t m = magnitudes[i];
        const auto leading = static_cast<std::uint32_t>(std::bit_width(m)) - 1;  // of a non-zero m
        if (m == 0)
            out[i] = 0;
        else if (exponent + leading >= static_cast<std::uint32_t>(Bits))
            out[i] = ((exponent + leading + 1 - Bits) << 23) | ((m << (23 - leading)) & 0x007FFFFFU);
        else
            out[i] = m << (exponent + 23 - Bits);
    }
    return out;
}

/// Calls f with every group of 16 consecutive datums of a row, in place.
template <class F>
void for_each_group(MatrixView m, F f) {
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
}

/// Rounds a group whose datums were prepared by `prepare` (float bits to float bits).
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
    const Group values = group_values<Bits>(group_magnitudes<Bits, How>(magnitudes, shared), shared);
    for (std::size_t i = 0; i < values.size(); ++i) data[i] = float_of(values[i] | where_less(0, values[i], signs[i]));
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

}  // namespace tt
