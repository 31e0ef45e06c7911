#include "sim/untimed/golden_engine.hpp"

namespace ttsim::impl::sim {

namespace {

/// Drops FIFO entries whose slots have been overwritten.
void forget_overwritten(Golden& golden, const Queue& queue, std::int64_t written) {
    if (queue.type == QueueType::Queue) golden.forget(queue, written - queue.entries + 1);
}

class GoldenUntimedLaunch : public UntimedLaunch {
public:
    GoldenUntimedLaunch(Golden& golden, const EpochLaunch& launch, const QueueAccesses& access)
        : golden_(golden), access_(access), values_(golden.launch(launch, access)) {}

    const std::vector<const Op*>& ops() const override { return values_->ops(); }
    void begin(std::int64_t input) override { values_->begin(input); }
    void run(std::size_t op, std::int64_t input) override {
        values_->run(op, input);
        for (const auto& [queue, access] : access_)
            if (queue->input == ops()[op]->name()) forget_overwritten(golden_, *queue, access.write(input));
    }

private:
    Golden& golden_;
    QueueAccesses access_;
    std::unique_ptr<GoldenLaunch> values_;
};

}  // namespace

GoldenOptions golden_options(const RunState& state) {
    GoldenOptions options;
    options.numerics = state.settings.numerics;
    options.tf32 = state.machine.chips.front().params.features.tf32;
    options.inputs_count = state.settings.inputs_count;
    return options;
}

GoldenEngine::GoldenEngine(RunState& state)
    : UntimedEngine(state), golden_(state.netlist, state.forecast, golden_options(state), state.pool) {}

std::unique_ptr<UntimedLaunch> GoldenEngine::launch(const EpochLaunch& launch, const QueueAccesses& access) {
    return std::make_unique<GoldenUntimedLaunch>(golden_, launch, access);
}

void GoldenEngine::put(const Queue& queue, std::int64_t n, EntryPtr entry) {
    golden_.put(queue, n, unpack_exactly({{std::move(entry)}, queue.shape().z}));
    forget_overwritten(golden_, queue, n);
}

Tensor GoldenEngine::read(const Queue& queue, std::int64_t n) {
    const std::shared_ptr<const Tensor> value = golden_.entry(queue, n);
    return value ? *value : Tensor(queue.shape(), queue.tile);
}

}  // namespace ttsim::impl::sim
