// ONNX element types of 8 bits or less that the compiler lacks. Constants of these types become f32, which holds their
// values exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ttsim::impl::ir {

struct NarrowType {
    int bits = 8;
    float (*value)(std::uint32_t bits);  ///< decodes the lowest `bits` bits
};

/// The type with this number in ONNX: 8-bit floats (E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ), the 4-bit float E2M1, 4-bit and
/// 2-bit integers. nullopt for other types.
std::optional<NarrowType> narrow_type(int number);

}  // namespace ttsim::impl::ir
