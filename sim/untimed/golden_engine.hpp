// Golden as an engine: whole tensors in float32, with the queues and pointers of the machine.
#pragma once

#include "netlist/golden/golden.hpp"
#include "sim/untimed/engine.hpp"

namespace ttsim::impl::sim {

class GoldenEngine : public UntimedEngine {
public:
    explicit GoldenEngine(RunState& state);
    Tensor read(const Queue& queue, std::int64_t n) override;

protected:
    std::unique_ptr<UntimedLaunch> launch(const EpochLaunch& launch, const QueueAccesses& access) override;
    void put(const Queue& queue, std::int64_t n, EntryPtr entry) override;

private:
    Golden golden_;
};

/// Options of golden for a comparison with this run.
GoldenOptions golden_options(const RunState& state);

}  // namespace ttsim::impl::sim
