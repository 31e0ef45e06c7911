// Converts words of the vectors to operands of the exact arithmetic, and back.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/exact/fpu.hpp"
#include "kernels/exact/pack.hpp"
#include "kernels/exact/tile.hpp"
#include "tools/validation/vectors/entry.hpp"

namespace ttsim::impl::vectors {

/// "bf16", "fp16", "fp32" or "32-bit".
exact::Dest dest_format(const Entry& entry, const std::string& name);
/// srca_format, srcb_format and dst_format of a single instruction.
exact::FpuConfig instruction_config(const Entry& entry);
/// Configuration for source registers in format `source` and a Dst.
exact::FpuConfig tile_config(DataFormat source, exact::Dest dest);

/// Register words as float32 values.
std::vector<float> source_floats(const exact::FpuConfig& config, const Array& registers);
/// Dst elements in natural order as float32 values, and back.
std::vector<float> dest_floats(exact::Dest dest, const Array& words);
std::vector<std::uint32_t> dest_words(exact::Dest dest, std::span<const float> values);

/// Integers from register words; from and to sign-magnitude words.
std::vector<std::int32_t> register_integers(const Array& registers);
std::vector<std::int32_t> sign_magnitude_values(std::span<const std::uint32_t> words);
std::vector<std::uint32_t> sign_magnitude_words(std::span<const std::int32_t> values);

/// The register format that a tile of `from` is unpacked to: for Float32 it depends on Dst, others stay as they are.
DataFormat source_format(DataFormat from, exact::Dest dest);
/// out_format of an entry whose packer accumulates in L1.
DataFormat summable_format(const Entry& entry);
/// Bytes of one tile.
std::size_t body_bytes(DataFormat format);
/// Tile number `n` of an array of bodies, unpacked.
exact::Tile unpacked_tile(DataFormat from, exact::Dest dest, const Array& bodies, std::size_t n);

/// Packer configuration for a Dst, with the intermediate and output formats of a "packed_*" array.
exact::PackConfig packer(exact::Dest dest, DataFormat intermediate, DataFormat out);
/// Packs 64 Dst rows (as dest_words) into a body.
std::vector<std::uint8_t> packed(const exact::PackConfig& config, std::span<const std::uint32_t> rows);
/// Compares every packed_* array at tile `n` with the packed rows; "packed_X" with "intermediate [format] Y" in its
/// meaning.
void expect_packed(Check& check, exact::Dest dest, std::size_t n, std::span<const std::uint32_t> rows);

}  // namespace ttsim::impl::vectors
