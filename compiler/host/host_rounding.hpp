// Rounds numbers before they are pushed to a queue, because the push truncates floats.
#pragma once

#include <map>
#include <span>
#include <string>

#include "isa/data_format.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

/// The finite number that replaces infinity on the device. Masks contain infinity, and products that move elements
/// would compute 0 * infinity = NaN. The value is a power of two, an eighth to a sixteenth of the format's largest
/// number. It dominates sums as infinity does, and sums of several masks do not overflow.
float finite_infinity(DataFormat format);

/// Rounds to the nearest number of a 16-bit float format, ties to even. Finite numbers stay finite; infinities become
/// finite_infinity(). Other formats are not rounded (the push rounds block floats and integers itself).
void round_for_push(DataFormat format, std::span<float> values);

/// How the readers of a constant multiply it, for rounding.
struct Multipliers {
    /// Significand digits, with the leading one, that the multipliers use; 0: all. Constants are rounded to them, since
    /// truncation would shrink every product.
    int digits = 0;
    /// Factor that compensates on average for digits truncated from the other operand, and for the packer's rounding of
    /// it. Integers are not scaled, nor numbers that are exact in a format too coarse for the gain.
    double gain = 1;
    /// Digits that a source register keeps of a Float32 operand when other operands have 16 bits; the rest is
    /// truncated. 0: all digits, or another format.
    int kept = 0;
    friend bool operator==(const Multipliers&, const Multipliers&) = default;
};
void round_for_push(DataFormat format, std::span<float> values, const Multipliers& by);

/// round_for_push() of values in pieces. `all` decides whether they are scaled.
class PushRounding {
public:
    PushRounding(DataFormat format, std::span<const float> all, const Multipliers& by);
    void apply(std::span<float> piece) const;

private:
    float infinity_ = 0;  // 0: values stay as they are
    double gain_ = 1;
    int cut_ = 0;  // bits of the significand
};

/// Per queue: combined over all its readers.
std::map<std::string, Multipliers> multipliers_by_queue(const Netlist& netlist);

}  // namespace ttsim::impl::ir
