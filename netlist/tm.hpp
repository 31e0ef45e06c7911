// Tensor manipulations on an input, as in the netlist. Two independent implementations exist: on tensors in golden
// (netlist/golden/tm_tensor.cpp), and index maps in elaboration (netlist/plan/tm_map.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

struct Tm {
    enum class Kind : std::uint8_t {
        BroadcastR,
        BroadcastC,
        BroadcastZ,
        HSlice,
        HStack,
        VSlice,
        VStack,
        Transpose,
        Pad
    };
    Kind kind = Kind::Transpose;
    std::int64_t n = 1;           ///< factor (hstack, vstack: 0 = all slices)
    std::int64_t rt = 0, ct = 0;  ///< Pad
    float value = 0;              ///< Pad
    SourceLoc loc;
    friend bool operator==(const Tm& a, const Tm& b) {
        return a.kind == b.kind && a.n == b.n && a.rt == b.rt && a.ct == b.ct && a.value == b.value;
    }
};
std::string to_string(const Tm& tm);  ///< netlist text: "hslice: 4", "transpose"

/// All manipulations of one operand between its producer and the op: unpad, TMs, pad.
struct OperandTms {
    std::int64_t unpad_rt = 0, unpad_ct = 0;
    std::vector<Tm> tms;
    std::int64_t pad_rt = 0, pad_ct = 0;
    float pad_value = 0;
    friend bool operator==(const OperandTms&, const OperandTms&) = default;
    bool empty() const { return !unpad_rt && !unpad_ct && tms.empty() && !pad_rt && !pad_ct; }
};

/// Shape in tiles after one TM, or after all; throws Error(Input) at the TM's place if a factor does not divide.
TileShape shape_after(TileShape in, const Tm& tm);
TileShape shape_after(TileShape in, const OperandTms& tms);
/// Whether tiles are transposed inside (odd number of transposes).
bool transposes_tiles(const OperandTms& tms);

}  // namespace ttsim::impl
