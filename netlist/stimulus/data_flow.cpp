#include "netlist/stimulus/data_flow.hpp"

#include <map>

namespace ttsim::impl {

DataFlow::DataFlow(const Netlist& resolved) {
    for (const Queue& queue : resolved.queues) queues_.emplace(queue.name, &queue);
    for (const Graph& graph : resolved.graphs)
        for (const Op& op : graph.ops) {
            if (op.cfg.fused) {
                add_fused(op);
            } else {
                steps_.push_back({&op, nullptr, {}});
                results_[op.cfg.name] = &steps_.back();
            }
        }
    // All results are known now, for any order of graphs and ops.
    for (DataStep& step : steps_) {
        for (std::size_t k = 0; !step.sub && k < step.op->inputs.size(); ++k) {
            step.inputs.push_back(source(step.op->inputs[k]));
            readers_[step.op->inputs[k]].push_back({&step, k});
        }
        for (std::size_t k = 0; step.sub && k < step.sub->inputs.size(); ++k) {
            const FusedOperand& operand = step.sub->inputs[k];
            const auto n = static_cast<std::size_t>(operand.index);
            if (operand.kind != FusedOperand::Kind::Input || n >= step.op->inputs.size()) continue;
            step.inputs[k] = source(step.op->inputs[n]);
            readers_[step.op->inputs[n]].push_back({&step, k});
        }
    }
    for (const DataStep& step : steps_)
        for (std::size_t k = 0; k < step.inputs.size(); ++k)
            if (step.inputs[k].step) result_uses_[step.inputs[k].step].push_back({&step, k});
}

/// Sub-ops pass results through intermediates and Dst; the last writer is the source.
void DataFlow::add_fused(const Op& op) {
    std::map<int, const DataStep*> intermediates;
    const DataStep* dest = nullptr;
    for (const auto& schedule : op.cfg.fused->schedules)
        for (const FusedSubOp& sub : schedule) {
            DataStep& step = steps_.emplace_back(DataStep{&op, &sub, {}});
            for (const FusedOperand& operand : sub.inputs) {
                DataStep::Source from;
                if (operand.kind == FusedOperand::Kind::Dest) from.step = dest;
                if (operand.kind == FusedOperand::Kind::Intermed) from.step = intermediates[operand.index];
                step.inputs.push_back(from);
            }
            if (sub.output.kind == FusedOperand::Kind::Dest) dest = &step;
            if (sub.output.kind == FusedOperand::Kind::Intermed) intermediates[sub.output.index] = &step;
            if (sub.output.kind == FusedOperand::Kind::Output) results_[op.cfg.name] = &step;
        }
}

/// The op of that name, or the op that fills the queue of that name.
DataStep::Source DataFlow::source(std::string_view name) const {
    if (const auto queue = queues_.find(name); queue != queues_.end()) {
        if (queue->second->from_host()) return {nullptr, queue->second};
        name = queue->second->input;
    }
    const auto result = results_.find(name);
    return {result == results_.end() ? nullptr : result->second, nullptr};
}

static const std::vector<DataStep::Use> no_uses;

const std::vector<DataStep::Use>& DataFlow::uses(const std::string& queue) const {
    const auto found = readers_.find(queue);
    return found == readers_.end() ? no_uses : found->second;
}

const std::vector<DataStep::Use>& DataFlow::uses(const DataStep& step) const {
    const auto found = result_uses_.find(&step);
    return found == result_uses_.end() ? no_uses : found->second;
}

DataStep::Source DataFlow::origin(const DataStep& step, std::size_t operand) {
    DataStep::Source at = operand < step.inputs.size() ? step.inputs[operand] : DataStep::Source{};
    // A copy may read and write the same ram, so the number of consecutive copies is limited.
    constexpr int max_copies = 1000;
    for (int n = 0; at.step && at.step->is_copy() && n < max_copies; ++n)
        at = at.step->inputs.empty() ? DataStep::Source{} : at.step->inputs[0];
    return at;
}

}  // namespace ttsim::impl
