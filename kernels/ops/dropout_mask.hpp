// The mask of dropout: a counter-based generator, shared by golden, the simulator and the compiler's references, so
// that all keep the same elements. An element's number depends on the seed, the number of the input in the run, and the
// element's position in the result. It does not depend on the grid of cores, nor on slices of rows: the rows of all
// slices are counted through. So the op that drops a gradient keeps the elements that the forward op kept.
#pragma once

#include <cstdint>

namespace ttsim::impl {

/// A 32-bit hash of a counter (two rounds of xor-shift and multiply).
constexpr std::uint32_t mix_bits(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}
constexpr std::uint32_t mix_bits(std::uint32_t key, std::int64_t part) {
    const auto bits = static_cast<std::uint64_t>(part);
    key = mix_bits(key ^ (static_cast<std::uint32_t>(bits) * 0x85ebca6bU + 0xc2b2ae35U));
    return mix_bits(key ^ (static_cast<std::uint32_t>(bits >> 32) * 0x85ebca6bU + 0xc2b2ae35U));
}

/// The seed of an op with the seed `own`, the `place`-th dropout of a model that is compiled with the seed `model`.
constexpr std::int64_t dropout_seed(std::uint64_t model, std::int64_t own, std::int64_t place) {
    return mix_bits(mix_bits(mix_bits(0x9e3779b9U, static_cast<std::int64_t>(model)), own), place);
}

class DropoutMask {
public:
    /// `p`: the share of elements that become 0; `input`: number of the input in the run.
    DropoutMask(double p, std::int64_t seed, std::int64_t input)
        : limit_(static_cast<std::uint64_t>(p * 4294967296.0)),
          key_(mix_bits(mix_bits(static_cast<std::uint32_t>(seed) + 0x9e3779b9U), input)) {}

    /// Row `row` of all slices, counted through.
    std::uint32_t row_key(std::int64_t row) const { return mix_bits(key_, row); }
    bool keeps(std::uint32_t row_key, std::int64_t column) const {
        return mix_bits(row_key + static_cast<std::uint32_t>(column) * 0x9e3779b9U) >= limit_;
    }
    /// Factor of kept elements.
    static double scale(double p) { return p < 1.0 ? 1.0 / (1.0 - p) : 1.0; }

private:
    std::uint64_t limit_;
    std::uint32_t key_;
};

}  // namespace ttsim::impl
