// Numbers on their way into a queue: the push cuts floats off, so the host rounds them before.
#pragma once

#include <map>
#include <span>
#include <string>

#include "isa/data_format.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

/// What stands for infinity on the device: masks are written with it, and the products by which the device moves and
/// repeats elements make 0 times infinity, which without rounding is no number. A power of two, an eighth to a
/// sixteenth of the largest number of the format, does the same to what it is added to, also when several masks come
/// together.
float stand_in_for_infinity(DataFormat format);

/// To the nearest number of a 16-bit float format, ties to even; finite ones stay finite, for infinities stands the
/// number above. Other formats are not rounded (the push itself rounds block floats and integers).
void round_for_push(DataFormat format, std::span<float> values);

/// How the readers of a constant multiply it.
struct Multipliers {
    /// Digits of a significand, with the first one, that they look at; 0: all. Fewer than the format has are rounded to
    /// as well: the multipliers would cut the rest off, which shrinks every product.
    int digits = 0;
    /// What makes up, on average, for the digits that they cut off the other operand, and for what the packer added to
    /// it. Integers stay as they are, and those that the format holds exactly where it has no digits for the gain.
    double gain = 1;
    /// Digits that a source register keeps of a Float32 number among others of 16 bits; 0: all, or it is of another
    /// format. It cuts the rest off.
    int kept = 0;
    friend bool operator==(const Multipliers&, const Multipliers&) = default;
};
void round_for_push(DataFormat format, std::span<float> values, const Multipliers& by);

/// Of each queue all of whose readers multiply it.
std::map<std::string, Multipliers> multipliers_by_queue(const Netlist& netlist);

}  // namespace ttsim::impl::ir
