#include "sim/values/op_results.hpp"

namespace ttsim::impl::sim {

void OpResults::begin(const EpochLaunch& launch, const Plan& plan) {
    for (const ExecuteCommand& member : launch.members) {
        Count& count = counts_[member.graph];
        count.first += count.inputs;
        count.inputs = launch.inputs;
    }
    for (const PlanOp& op : plan.ops)
        if (known_.insert(op.op).second) order_.push_back(op.op);
}

std::int64_t OpResults::first_of(const PlanOp& op) const { return counts_.at(op.graph).first; }

void OpResults::add(const Compute& compute, const PlanOp& op, std::size_t core, std::int64_t slice, std::int64_t n,
                    const BlockPtr& block) {
    EntryPtr& result = results_[{op.op, n}];
    const OpConfig& cfg = op.op->cfg;
    if (!result) result = std::make_shared<Entry>(storage_format(cfg.out_df, numerics_), cfg.tile, op.op->shape());
    compute.write(op, core, slice, block, {{result}, result->shape.z});
}

std::optional<EntrySpan> OpResults::at(const Op& op, std::int64_t n) const {
    const auto it = results_.find({&op, n});
    if (it == results_.end()) return std::nullopt;
    return EntrySpan{{it->second}, it->second->shape.z};
}

}  // namespace ttsim::impl::sim
