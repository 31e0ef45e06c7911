#include "sim/checks/op_check.hpp"

#include "sim/values/op_results.hpp"

namespace ttsim::impl::sim {

ComparisonRule op_rule(const RunState& state, const Op& op) {
    ComparisonRule rule = comparison_for_op(op.cfg);
    if (state.settings.numerics != Numerics::Float32) return rule;
    const bool exact = rule.comparison.type == Comparison::Type::Exact;
    if (!exact) rule.comparison = float32_comparison();
    rule.source = "--numerics float32";
    return rule;
}

/// All parts of the n-th result are added by one thread.
void OpCheck::add(const Op& op, std::int64_t n, const GoldenPart& golden, const EntrySpan& actual,
                  Comparisons OpComparisons::*to) {
    std::unique_lock lock(mutex_);
    QueueComparison& comparison =
        (by_op_[&op].*to)
            .try_emplace(n, op_rule(state_, op).comparison, op.cfg.tile, compared_part_of(op.cfg))
            .first->second;
    lock.unlock();
    TT_CHECK(golden.z == actual.z(), "golden of '{}' has {} slices, the result {}", op.name(), golden.z, actual.z());
    comparison.add_part(golden.slices, golden.first, golden.z, [&actual](std::int64_t first, std::int64_t count) {
        return unpack_slices(actual, first, count);
    });
}

void OpCheck::add_accumulated(const Op& op, std::int64_t n, const GoldenPart& golden) {
    if (const auto actual = state_.op_results->at(op, n)) add(op, n, golden, *actual, &OpComparisons::accumulated);
}

void OpCheck::add_local(const Op& op, std::int64_t n, const GoldenPart& golden) {
    const std::optional<EntrySpan> actual = state_.op_results->at(op, n);
    if (!actual) {
        const std::scoped_lock lock(mutex_);
        if (golden.last()) ++by_op_[&op].missing;
        return;
    }
    add(op, n, golden, *actual, &OpComparisons::local);
    golden.slices = unpack_slices(*actual, golden.first, golden.slices.z);
}

std::vector<OpCheckReport> OpCheck::reports() const {
    std::map<const Op*, const Graph*> graph_of;
    for (const Graph& graph : state_.netlist.graphs)
        for (const Op& op : graph.ops) graph_of[&op] = &graph;
    std::vector<OpCheckReport> reports;
    for (const Op* op : state_.op_results->ops()) {
        const auto found = by_op_.find(op);
        if (found == by_op_.end()) continue;
        const ComparisonRule rule = op_rule(state_, *op);
        const ComparedPart part = compared_part_of(op->cfg);
        // joined in order of n, independent of the order of the tasks
        const auto all = [&](const Comparisons& parts) {
            QueueComparison sum(rule.comparison, op->cfg.tile, part);
            for (const auto& [n, one] : parts) sum.join(one);
            QueueComparison::Result result = sum.result();
            if (strict_) result.pass = result.strict_pass;
            return result;
        };
        OpCheckReport report;
        report.op = op->name();
        report.type = op->cfg.type;
        report.graph = graph_of.at(op)->name;
        report.rule = rule.source;
        report.why = part.why;
        report.missing = found->second.missing;
        report.local = all(found->second.local);
        report.accumulated = all(found->second.accumulated);
        reports.push_back(std::move(report));
    }
    return reports;
}

}  // namespace ttsim::impl::sim
