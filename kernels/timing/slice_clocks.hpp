// What one output slice of an op costs the three threads of a core. Internal to kernels/timing.
#pragma once

#include <algorithm>
#include <array>

#include "kernels/ops/op_def.hpp"
#include "kernels/timing/kernel_model.hpp"

namespace ttsim::impl {

/// Of the three threads, and of the FPU and SFPU.
struct SliceClocks {
    std::array<double, thread_count> threads{};
    double engaged = 0, counted = 0;

    void add(const SliceClocks& other);
};

/// The thread that limits takes the time of the steady state.
SliceClocks slice_clocks(const KernelModel& model, const KernelShape& shape);

/// A fused op: its sub-ops one after the other. Those that pass a micro-block on in Dst are one kernel, in which
/// unpacking, math and packing overlap. `alone`: no stream to ask for tiles or room.
SliceClocks fused_clocks(const OpConfig& op, const KernelModel& model, bool alone);

inline std::int64_t at_least_one(std::int64_t n) { return std::max<std::int64_t>(1, n); }

}  // namespace ttsim::impl
