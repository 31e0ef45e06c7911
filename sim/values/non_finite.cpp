#include "sim/values/non_finite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/instruction_set.hpp"

namespace ttsim::impl::sim {

bool all_finite(const Tensor& values) {
    constexpr std::uint32_t exponent = 0x7f800000;
    constexpr std::size_t block = 4096;  // checked as a block, without a branch per value
    for (std::size_t start = 0; start < values.data.size(); start += block) {
        const std::size_t end = std::min(start + block, values.data.size());
        std::uint32_t non_finite = 0;
        with_vector_instructions([&non_finite, x = values.data.data(), start, end] {
            std::uint32_t any = 0;
            for (std::size_t i = start; i < end; ++i)
                any |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(x[i]) & exponent) == exponent);
            non_finite = any;
        });
        if (non_finite != 0) return false;
    }
    return true;
}

void NonFinite::scan(const Tensor& values, std::int64_t entry_number, std::int64_t first) {
    for (std::size_t i = 0; i < values.data.size(); ++i) {
        const float v = values.data[i];
        if (std::isfinite(v)) continue;
        if (count++ > 0) continue;
        entry = entry_number;
        index = first * values.rows * values.cols + static_cast<std::int64_t>(i);
        z = index / (values.rows * values.cols);
        row = index / values.cols % values.rows;
        col = index % values.cols;
        value = v;
    }
}

std::string NonFinite::text(const std::string& whose) const {
    const char* what = std::isnan(value) ? "NaN" : value > 0 ? "infinity" : "-infinity";
    const std::string place = fmt::format("entry {}, index {} (z {}, row {}, column {})", entry, index, z, row, col);
    if (count == 1) return fmt::format("one value of {} is {}: {}", whose, what, place);
    return fmt::format("{} values of {} are NaN or infinite, the first is {}: {}", count, whose, what, place);
}

}  // namespace ttsim::impl::sim
