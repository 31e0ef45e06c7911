// Cycles of the three threads of a core for one output slice of an op. Internal to kernels/timing.
#pragma once

#include <algorithm>
#include <array>

#include "kernels/ops/op_def.hpp"
#include "kernels/timing/kernel_model.hpp"

namespace ttsim::impl {

/// Cycles of the three threads, and of FPU and SFPU.
struct SliceClocks {
    std::array<double, thread_count> threads{};
    double math_busy = 0, counted = 0;

    void add(const SliceClocks& other);
};

/// The slowest thread gets the time of the steady state.
SliceClocks slice_clocks(const KernelModel& model, const KernelShape& shape);

/// A fused op: its sub-ops in order. Sub-ops that pass a micro-block in Dst form one kernel, in which unpack, math and
/// pack overlap. `alone`: no waits for tiles or space of streams.
SliceClocks fused_clocks(const OpConfig& op, const KernelModel& model, bool alone);

inline std::int64_t at_least_one(std::int64_t n) { return std::max<std::int64_t>(1, n); }

}  // namespace ttsim::impl
