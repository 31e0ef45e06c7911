#include "compiler/lower/streaming.hpp"

namespace ttsim::impl::ir {

namespace {

/// Of n in a row of so many cores or less, with equal shares.
std::int64_t least_share(std::int64_t n, std::int64_t most_cores = 8) {
    std::int64_t least = n;
    for (std::int64_t d = 2; d <= most_cores; ++d)
        if (n % d == 0) least = n / d;
    return least;
}

}  // namespace

std::int64_t slices_to_stream(std::int64_t rt, std::int64_t ct, std::int64_t terms, DataFormat format,
                              std::int64_t most_bytes, std::int64_t across) {
    const std::int64_t bytes = tile_bytes(format, TileDim{});
    std::int64_t best = 1;
    for (std::int64_t t = 1; t <= rt; ++t) {
        if (rt % t != 0) continue;
        best = t;
        if (least_share(rt / t * terms) * least_share(ct, across) * bytes <= most_bytes) break;
    }
    return best;
}

std::int64_t column_slices_to_stream(std::int64_t rt, std::int64_t ct, DataFormat format, std::int64_t wanted_bytes,
                                     std::int64_t most_bytes) {
    const std::int64_t bytes = tile_bytes(format, TileDim{});
    if (least_share(ct) * bytes <= most_bytes) return 1;
    constexpr std::int64_t least_width = 8;  // tiles; prime numbers are filled up (tiling.hpp) rather than cut
    for (std::int64_t t = 2; t <= ct / least_width; ++t)
        if (ct % t == 0 && least_share(rt) * least_share(ct / t) * bytes <= wanted_bytes) return t;
    return 1;
}

}  // namespace ttsim::impl::ir
