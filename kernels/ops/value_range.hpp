// Bounds of the elements of a tensor.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace ttsim::impl {

/// All elements lie in low..high. Unbounded if nothing is known, including infinities and NaN.
struct ValueRange {
    double low = 0, high = 0;
    static ValueRange unbounded() {
        const double inf = std::numeric_limits<double>::infinity();
        return {-inf, inf};
    }
    static ValueRange of(double value) { return {value, value}; }
    bool is_zero() const { return low == 0 && high == 0; }
    /// Bounded far below the float32 limit, so that a product with 0 is 0, even after some sums.
    bool is_bounded() const { return low >= -1e34 && high <= 1e34; }
    double most() const { return std::max(std::fabs(low), std::fabs(high)); }  ///< the largest magnitude
    ValueRange with_zero() const { return {std::min(low, 0.0), std::max(high, 0.0)}; }
    /// The range multiplied by any factor in -by..by.
    ValueRange scaled(double by) const {
        return is_zero() || by == 0 ? ValueRange{} : ValueRange{-most() * by, most() * by};
    }
};

}  // namespace ttsim::impl
