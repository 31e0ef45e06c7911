// Functional mode: computes values in the chip's formats, in program order.
#pragma once

#include "sim/untimed/engine.hpp"

namespace ttsim::impl::sim {

class FunctionalEngine : public UntimedEngine {
public:
    explicit FunctionalEngine(RunState& state) : UntimedEngine(state) {}
    Tensor read(const Queue& queue, std::int64_t n) override;

protected:
    std::unique_ptr<UntimedLaunch> launch(const EpochLaunch& launch, const QueueAccesses& access) override;
    void put(const Queue& queue, std::int64_t n, EntryPtr entry) override;
};

/// Runs without a clock and with unbounded queues: launches, inputs, ops and cores in sequence.
void run_functional(RunState& state);

}  // namespace ttsim::impl::sim
