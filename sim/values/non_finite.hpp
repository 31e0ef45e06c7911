// Search for NaNs and infinities, with the position of the first.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/tensor.hpp"

namespace ttsim::impl::sim {

bool all_finite(const Tensor& values);

struct NonFinite {
    std::int64_t count = 0;
    std::int64_t entry = 0, z = 0, row = 0, col = 0,
                 index = 0;  ///< position of the first; index: row-major within the entry
    float value = 0;

    /// Scans slices from `first` on of an entry. Slices must be passed in order.
    void scan(const Tensor& values, std::int64_t entry_number, std::int64_t first = 0);
    /// "3 values of output 'y' are NaN or infinite, the first is NaN: entry 0, index 17 (z 0, row 0, column 17)"
    std::string text(const std::string& whose) const;
};

}  // namespace ttsim::impl::sim
