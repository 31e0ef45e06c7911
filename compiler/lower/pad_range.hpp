// What may stand in the datums that fill up the last tiles of a tensor.
#pragma once

#include <algorithm>
#include <string>

#include "compiler/ir/graph.hpp"

namespace tt::ir {

/// Every fill datum lies in low..high; wild when nothing is known, infinities and NaN included.
struct PadRange {
    double low = 0, high = 0;
    static PadRange wild();
    static PadRange of(double value) { return {value, value}; }
    bool is_zero() const { return low == 0 && high == 0; }
    /// Times 0 it is 0, also after some sums.
    bool is_tame() const { return low >= -1e34 && high <= 1e34; }
    PadRange with_zero() const { return {std::min(low, 0.0), std::max(high, 0.0)}; }
    PadRange scaled(double by) const;  ///< any multiple up to +-by
};

PadRange unary_pads(const Node& node, PadRange x);                    ///< core ops
PadRange binary_pads(const std::string& op, PadRange a, PadRange b);  ///< core ops

}  // namespace tt::ir
