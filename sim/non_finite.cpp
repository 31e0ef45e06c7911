#include "sim/non_finite.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tt::sim {

void NonFinite::scan(const Tensor& values, std::int64_t entry_number) {
    for (std::size_t i = 0; i < values.data.size(); ++i) {
        const float v = values.data[i];
        if (std::isfinite(v)) continue;
        if (count++ > 0) continue;
        entry = entry_number;
        index = static_cast<std::int64_t>(i);
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

}  // namespace tt::sim
