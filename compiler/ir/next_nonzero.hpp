// Skips zeros. Most elements of matrices that the compiler makes are zeros: they move rows and columns.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ttsim::impl::ir {

/// The first element from `at` on that is not zero, or `end`.
inline const float* next_nonzero(const float* at, const float* end) {
    constexpr std::ptrdiff_t at_once = 8;
    for (; end - at >= at_once; at += at_once) {
        std::uint32_t bits = 0;
        for (std::ptrdiff_t k = 0; k < at_once; ++k) bits |= std::bit_cast<std::uint32_t>(at[k]);
        if (bits << 1 != 0) break;  // but for the sign
    }
    while (at != end && *at == 0) ++at;
    return at;
}

}  // namespace ttsim::impl::ir
