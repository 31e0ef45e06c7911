// Element types of ONNX with 8 bits or less that have no type of ours: constants of them become f32, which holds their
// values exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ttsim::impl::ir {

struct NarrowType {
    int bits = 8;
    float (*value)(std::uint32_t bits);  ///< of the lowest `bits` bits
};

/// By its number in ONNX; none: it is no such type. Floats of 8 bits (E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ) and of 4
/// (E2M1), integers of 4 and of 2.
std::optional<NarrowType> narrow_type(int number);

}  // namespace ttsim::impl::ir
