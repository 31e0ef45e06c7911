#include "netlist/stimulus/generator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/instruction_set.hpp"

namespace ttsim::impl {

namespace {

constexpr std::size_t shift_size = 397;

inline std::uint32_t twist(std::uint32_t high, std::uint32_t low, std::uint32_t far) {
    const std::uint32_t y = (high & 0x80000000U) | (low & 0x7fffffffU);
    return far ^ (y >> 1) ^ ((0U - (y & 1U)) & 0x9908b0dfU);
}

/// Correctly rounded: both halves are exact, and their sum rounds once.
inline float to_float(std::uint32_t draw) {
    const auto high = static_cast<float>(static_cast<std::int32_t>(draw >> 16));
    const auto low = static_cast<float>(static_cast<std::int32_t>(draw & 0xffffU));
    return high * 65536.0F + low;
}

/// generate_canonical<double, 53> of two draws, the first in the low half, mapped to [-1, 1).
inline double to_symmetric_unit(std::uint64_t draws) {
    // A double in [2^52, 2^53) holds a draw in its low bits.
    const auto to_double = [](std::uint64_t draw) {
        return std::bit_cast<double>(0x4330000000000000U | draw) - 4503599627370496.0;
    };
    const double unit = (to_double(draws & 0xffffffffU) + to_double(draws >> 32) * 4294967296.0) * 0x1p-64;
    constexpr double largest = 1.0 - 0x1p-53;
    return 2.0 * (unit < largest ? unit : largest) - 1.0;
}

/// Two draws, the first in the low half.
inline std::uint64_t two_draws(const std::uint32_t* draws) { return draws[0] | std::uint64_t{draws[1]} << 32; }

constexpr std::size_t block_attempts = 156;  // of four draws each: one refill

/// Points in the square of the polar method; keep_inside() keeps those in the circle.
struct Attempts {
    std::array<double, block_attempts> x, y, r2;
};

void try_points(const std::uint32_t* draws, std::size_t count, Attempts& out) {
    with_vector_instructions([draws, count, &out] {
        for (std::size_t i = 0; i < count; ++i) {
            const double x = to_symmetric_unit(two_draws(draws + 4 * i));
            const double y = to_symmetric_unit(two_draws(draws + 4 * i + 2));
            out.x[i] = x;
            out.y[i] = y;
            out.r2[i] = x * x + y * y;
        }
    });
}

std::size_t keep_inside(Attempts& points, std::size_t count) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double r2 = points.r2[i];
        points.x[kept] = points.x[i];
        points.y[kept] = points.y[i];
        points.r2[kept] = r2;
        kept += static_cast<std::size_t>(static_cast<unsigned>(r2 <= 1.0) & static_cast<unsigned>(r2 != 0.0));
    }
    return kept;
}

}  // namespace

Mt19937::Mt19937(std::uint32_t seed) {
    state_[0] = seed;
    for (std::uint32_t i = 1; i < size; ++i) state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
}

void Mt19937::refill() {
    with_vector_instructions([s = state_.data(), draws = draws_.data()] {
        constexpr std::size_t near = size - shift_size;
        for (std::size_t i = 0; i < near; ++i) s[i] = twist(s[i], s[i + 1], s[i + shift_size]);
        for (std::size_t i = near; i < size - 1; ++i) s[i] = twist(s[i], s[i + 1], s[i - near]);
        s[size - 1] = twist(s[size - 1], s[0], s[shift_size - 1]);
        for (std::size_t i = 0; i < size; ++i) {
            std::uint32_t z = s[i];
            z ^= z >> 11;
            z ^= (z << 7) & 0x9d2c5680U;
            z ^= (z << 15) & 0xefc60000U;
            draws[i] = z ^ (z >> 18);
        }
    });
    next_ = 0;
}

void fill_uniform(Mt19937& engine, float low, float high, std::span<float> out) {
    const float width = high - low;
    while (!out.empty()) {
        const std::span<const std::uint32_t> ready = engine.ready();
        const std::size_t count = std::min(ready.size(), out.size());
        const std::uint32_t* const draws = ready.data();
        float* const values = out.data();
        for (std::size_t i = 0; i < count; ++i)
            values[i] = std::min(to_float(draws[i]) * 0x1p-32F, 1.0F - 0x1p-24F) * width + low;
        engine.skip(count);
        out = out.subspan(count);
    }
}

/// Processes available attempts, at most as many as fit `out`; returns the number of values written.
std::size_t NormalFill::pairs(Mt19937& engine, std::span<float> out) {
    std::array<std::uint32_t, 4> straddling;
    const std::uint32_t* draws = engine.ready().data();
    std::size_t count = std::min({engine.ready().size() / 4, out.size() / 2, block_attempts});
    if (count == 0) {
        for (std::uint32_t& draw : straddling) draw = engine();
        draws = straddling.data();
        count = 1;
    } else {
        engine.skip(4 * count);
    }
    Attempts points;
    try_points(draws, count, points);
    const std::size_t kept = keep_inside(points, count);
    std::array<double, block_attempts> logarithm;
    for (std::size_t i = 0; i < kept; ++i) logarithm[i] = std::log(points.r2[i]);
    with_vector_instructions([this, kept, to = out.data(), &points, &logarithm] {
        for (std::size_t i = 0; i < kept; ++i) {
            const double factor = std::sqrt(-2 * logarithm[i] / points.r2[i]);
            to[2 * i] = scaled(points.y[i] * factor);
            to[2 * i + 1] = scaled(points.x[i] * factor);
        }
    });
    return 2 * kept;
}

void NormalFill::fill(Mt19937& engine, std::span<float> out) {
    if (has_saved_ && !out.empty()) {
        has_saved_ = false;
        out[0] = scaled(saved_);
        out = out.subspan(1);
    }
    while (out.size() >= 2) out = out.subspan(pairs(engine, out));
    if (out.empty()) return;
    double x, y, r2;
    do {
        const std::uint32_t a = engine(), b = engine(), c = engine(), d = engine();
        x = to_symmetric_unit(a | std::uint64_t{b} << 32);
        y = to_symmetric_unit(c | std::uint64_t{d} << 32);
        r2 = x * x + y * y;
    } while (r2 > 1.0 || r2 == 0.0);
    const double factor = std::sqrt(-2 * std::log(r2) / r2);
    saved_ = x * factor;
    has_saved_ = true;
    out[0] = scaled(y * factor);
}

}  // namespace ttsim::impl
