#include "compiler/lower/streaming.hpp"

namespace ttsim::impl::ir {

namespace {

/// The smallest equal share of n tiles for at most `most_cores` cores.
std::int64_t smallest_share(std::int64_t n, std::int64_t most_cores = 8) {
    std::int64_t least = n;
    for (std::int64_t d = 2; d <= most_cores; ++d)
        if (n % d == 0) least = n / d;
    return least;
}

}  // namespace

std::int64_t slices_to_stream(std::int64_t rt, std::int64_t ct, std::int64_t terms, DataFormat format,
                              std::int64_t max_bytes, std::int64_t across) {
    const std::int64_t bytes = tile_bytes(format, TileDim{});
    std::int64_t best = 1;
    for (std::int64_t t = 1; t <= rt; ++t) {
        if (rt % t != 0) continue;
        best = t;
        if (smallest_share(rt / t * terms) * smallest_share(ct, across) * bytes <= max_bytes) break;
    }
    return best;
}

std::int64_t column_slices_to_stream(std::int64_t rt, std::int64_t ct, DataFormat format, std::int64_t target_bytes,
                                     std::int64_t max_bytes) {
    const std::int64_t bytes = tile_bytes(format, TileDim{});
    if (smallest_share(ct) * bytes <= max_bytes) return 1;
    constexpr std::int64_t least_width = 8;  // tiles; prime numbers are padded (tiling.hpp) instead
    for (std::int64_t t = 2; t <= ct / least_width; ++t)
        if (ct % t == 0 && smallest_share(rt) * smallest_share(ct / t) * bytes <= target_bytes) return t;
    return 1;
}

}  // namespace ttsim::impl::ir
