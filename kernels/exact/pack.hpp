// Bit-true packer: Dst to the intermediate format (early step), ReLU, to the format in L1 (late step), and accumulation
// in L1.
// Words: BF16 and FP16 Dst elements are 16-bit patterns, others 32-bit patterns, integers sign and magnitude; all in
// natural order (sign, exponent, mantissa). Intermediates with 8-bit exponents are float32 bits, those with 5-bit
// exponents 16-bit patterns.
#pragma once

#include <cstdint>
#include <span>

#include "isa/data_format.hpp"

namespace ttsim::impl::exact {

enum class PackSource : std::uint8_t { Bf16, Fp16, Bits32, Raw16 };

struct PackConfig {
    PackSource source = PackSource::Bf16;
    DataFormat intermediate = DataFormat::Float16_b;
    DataFormat out = DataFormat::Float16_b;
    bool is_unsigned = false;  ///< Int8 without sign
    int relu_mode = 0;         ///< 1: no negatives; 2: zero up to the threshold; 3: clamp to the threshold
    /// BF16 bits, or FP16 bits with an intermediate of a 5-bit exponent.
    std::uint16_t relu_threshold = 0;
};

/// Whether these formats are supported (otherwise use kernels/formats/numerics.hpp).
bool can_pack(const PackConfig& config);

/// Early step and ReLU: one Dst element to the intermediate format.
std::uint32_t pack_early(const PackConfig& config, std::uint32_t element);
/// Late step to a format without shared exponents: the element in L1.
std::uint32_t pack_late(const PackConfig& config, std::uint32_t intermediate);

/// Result of the late step for 16 intermediates that share an exponent: sign and magnitude codes, and the exponent
/// byte.
struct PackedBlock {
    std::uint8_t exponent;
    std::uint8_t codes[16];
};
PackedBlock pack_block(const PackConfig& config, std::span<const std::uint32_t, 16> intermediates);

/// Packs 64 Dst rows of 16 elements to a 32x32 tile body.
void pack_tile(const PackConfig& config, std::span<const std::uint32_t> dest, std::span<std::uint8_t> body);

/// L1 element after the packer adds `added` to `old`; both of `format` (Float32, Float16_b or Float16).
std::uint32_t accumulate_in_l1(DataFormat format, std::uint32_t old, std::uint32_t added);

}  // namespace ttsim::impl::exact
