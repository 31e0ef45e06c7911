#include "sim/machine/watch.hpp"

#include <algorithm>

#include "netlist/plan/plan.hpp"

namespace ttsim::impl::sim {

/// The probes of an epoch.
class Watch::Launched : public EpochProbe {
public:
    Launched(const Plan& plan_, std::int64_t inputs_, std::int64_t number_)
        : plan(plan_), inputs(inputs_), number(number_) {
        for (const PlanOp& op : plan.ops) {
            cores.emplace_back(op.cores.size());
            for (const PlanOperand& operand : op.operands)
                for (std::size_t pipe = 0; pipe < operand.pipes.size(); ++pipe)
                    flows.emplace_back().memory = operand.producer_queue >= 0;
        }
        for (const PlanOp& op : plan.ops)
            for (std::size_t writer = 0; writer < op.out_queues.size() * op.cores.size(); ++writer)
                flows.emplace_back();
    }
    CoreProbe* core(std::size_t op, std::size_t index) override { return &cores[op][index]; }
    FlowProbe* next_flow() override { return &flows.at(next_flow_++); }
    void begins(Cycle now) override {
        for (FlowProbe& flow : flows) flow.begin(now);
    }

    const Plan& plan;
    std::int64_t inputs, number;
    std::vector<std::vector<CoreProbe>> cores;  // per op
    std::deque<FlowProbe> flows;                // in the order of next_flow()

private:
    std::size_t next_flow_ = 0;
};

Watch::Watch() = default;
Watch::~Watch() = default;

Load* Watch::resource(const ResourceName& name) {
    links_.push_back({name, {}});
    return &links_.back().load;
}

EpochProbe* Watch::launch(const Plan& plan, const EpochLaunch& launch, Cycle) {
    for (const std::int64_t chip : plan.chips)
        math_of_ended_.try_emplace(chip);  // walk() needs them all from the start
    in_flight_.push_back(std::make_unique<Launched>(plan, launch.inputs, epochs_++));
    return in_flight_.back().get();
}

void Watch::walk(StateWalk& walk) {
    for (Link& link : links_) link.load.walk(walk);
    const std::int64_t launches = walk.total(epochs_);
    if (walk.advancing())
        for (const auto& epoch : in_flight_) epoch->number += launches * static_cast<std::int64_t>(walk.periods());
    walk.fixed(math_of_ended_.size());
    for (auto& [_, math] : math_of_ended_) walk.total(math);
}

void Watch::over(EpochProbe* epoch, Cycle, double) {
    const auto at = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const auto& e) { return e.get() == epoch; });
    for (const Graph* graph : (*at)->plan.graphs) ended_[graph] += (*at)->inputs;
    for (std::size_t op = 0; op < (*at)->cores.size(); ++op)
        for (const CoreProbe& core : (*at)->cores[op]) math_of_ended_[(*at)->plan.ops[op].chip] += core.totals().math;
    in_flight_.erase(at);
}

const Watch::Launched* Watch::find(const EpochProbe* epoch) const {
    const auto at = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const auto& e) { return e.get() == epoch; });
    return at == in_flight_.end() ? nullptr : at->get();
}

const CoreProbe* Watch::core(const EpochProbe* epoch, std::size_t op, std::size_t core) const {
    const Launched* launched = find(epoch);
    return launched ? &launched->cores[op][core] : nullptr;
}

std::int64_t Watch::number(const EpochProbe* epoch) const {
    const Launched* launched = find(epoch);
    return launched ? launched->number : 0;
}

Cycle Watch::math_of_ended(std::int64_t chip) const {
    const auto known = math_of_ended_.find(chip);
    return known == math_of_ended_.end() ? 0 : known->second;
}

std::int64_t Watch::inputs_before(const Graph& graph) const {
    const auto known = ended_.find(&graph);
    return known == ended_.end() ? 0 : known->second;
}

}  // namespace ttsim::impl::sim
