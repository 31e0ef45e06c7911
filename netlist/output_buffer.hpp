// Valid sizes of an op's output buffer in mblocks (buf_size_mb).
#pragma once

#include <cstdint>

namespace ttsim::impl {

/// Whether half of an even buffer and an input are multiples of one another. `t`: slices of an input.
inline bool whole_blocks(std::int64_t buf_size_mb, std::int64_t t) {
    const std::int64_t half = buf_size_mb / 2;
    return half % t == 0 || t % half == 0;
}

/// The smallest such buffer of at least that size.
inline std::int64_t whole_blocks_buffer(std::int64_t at_least, std::int64_t t) {
    std::int64_t buffer = at_least <= 2 ? 2 : (at_least + 1) / 2 * 2;
    while (!whole_blocks(buffer, t)) buffer += 2;
    return buffer;
}

}  // namespace ttsim::impl
