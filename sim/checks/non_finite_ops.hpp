// Finds the ops that produced NaNs and infinities in golden.
#pragma once

#include <atomic>
#include <map>

#include "netlist/netlist.hpp"

namespace ttsim::impl::sim {

class NonFiniteOps {
public:
    /// The netlist must outlive it unchanged.
    explicit NonFiniteOps(const Netlist& resolved);
    /// Records a golden result. Thread-safe.
    void record(const Op& op, const Tensor& result);
    /// The op upstream of this queue that produced a NaN or infinity from finite operands; nullptr: none. Of several,
    /// the first of the file.
    const Op* first_origin(const Queue& queue) const;

private:
    const Netlist& netlist_;
    std::map<const Op*, std::atomic<bool>> non_finite_;
};

}  // namespace ttsim::impl::sim
