#include "kernels/exact/integer.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/error.hpp"

namespace ttsim::impl::exact {

namespace {

std::int32_t mask_magnitude(std::int32_t value, std::int32_t mask) {
    const std::int32_t masked = std::abs(value) & mask;
    return value < 0 ? -masked : masked;
}
std::int32_t part_a(int phase, std::int32_t a) { return mask_magnitude(a, (phase & 1) != 0 ? 0x1F : 0xE0); }
std::int32_t part_b(int phase, std::int32_t b) { return mask_magnitude(b, (phase & 2) != 0 ? 0x0F : 0x3F0); }

}  // namespace

std::int32_t integer_product(int phase, std::int32_t a, std::int32_t b) { return part_a(phase, a) * part_b(phase, b); }

std::int32_t integer_sum(std::int64_t dest, std::int64_t term) {
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::clamp(dest + term, -limit, limit));
}

void integer_matmul(std::span<const int> phases, const IntegerProduct& p) {
    constexpr std::int64_t issue = 16;
    TT_CHECK(p.in0.size() == static_cast<std::size_t>(p.rows * p.k) &&
                 p.in1.size() == static_cast<std::size_t>(p.k * p.cols) &&
                 p.dest.size() == static_cast<std::size_t>(p.rows * p.cols),
             "{}x{}x{}", p.rows, p.k, p.cols);
    std::vector<std::int64_t> sums(static_cast<std::size_t>(p.cols));
    const auto add_issue = [&](int phase, std::int64_t r, std::int64_t first, std::int64_t last) {
        std::fill(sums.begin(), sums.end(), 0);
        for (std::int64_t k = first; k < last; ++k) {
            const std::int32_t b = part_b(phase, p.in0[static_cast<std::size_t>(r * p.k + k)]);
            if (b == 0) continue;
            const std::int32_t* a = p.in1.data() + k * p.cols;
            for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += std::int64_t{part_a(phase, a[c])} * b;
        }
        std::int32_t* to = p.dest.data() + r * p.cols;
        for (std::size_t c = 0; c < sums.size(); ++c) to[c] = integer_sum(to[c], sums[c]);
    };
    for (std::int64_t r = 0; r < p.rows; ++r)
        for (std::int64_t tile = 0; tile < p.k; tile += p.k_tile)
            for (const int phase : phases)
                for (std::int64_t k = tile; k < std::min(tile + p.k_tile, p.k); k += issue)
                    add_issue(phase, r, k, std::min({k + issue, tile + p.k_tile, p.k}));
}

}  // namespace ttsim::impl::exact
