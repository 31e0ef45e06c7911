#include "sim/op_check.hpp"

#include "sim/op_results.hpp"

namespace tt::sim {

namespace {

ComparisonRule rule_of(const RunState& state, const Op& op) {
    ComparisonRule rule = comparison_for_op(op.cfg);
    if (state.settings.numerics != Numerics::Float32) return rule;
    const bool exact = rule.comparison.type == Comparison::Type::Exact;
    if (!exact) rule.comparison = float32_comparison();
    rule.source = "--numerics float32";
    return rule;
}

}  // namespace

QueueComparison OpCheck::comparison(const Op& op, const Tensor& golden, const Tensor& actual) const {
    QueueComparison made(rule_of(state_, op).comparison, op.cfg.tile, judged_part_of(op.cfg));
    made.add(golden, actual);
    return made;
}

void OpCheck::add_accumulated(const Op& op, std::int64_t n, const Tensor& golden) {
    const std::optional<Tensor> actual = state_.op_results->at(op, n);
    if (!actual) return;
    QueueComparison made = comparison(op, golden, *actual);
    const std::scoped_lock lock(mutex_);
    found_[&op].accumulated.emplace(n, std::move(made));
}

void OpCheck::add_local(const Op& op, std::int64_t n, Tensor& golden) {
    std::optional<Tensor> actual = state_.op_results->at(op, n);
    if (!actual) {
        const std::scoped_lock lock(mutex_);
        ++found_[&op].missing;
        return;
    }
    QueueComparison made = comparison(op, golden, *actual);
    golden = std::move(*actual);
    const std::scoped_lock lock(mutex_);
    found_[&op].local.emplace(n, std::move(made));
}

std::vector<OpCheckReport> OpCheck::reports() const {
    std::map<const Op*, const Graph*> graph_of;
    for (const Graph& graph : state_.netlist.graphs)
        for (const Op& op : graph.ops) graph_of[&op] = &graph;
    std::vector<OpCheckReport> reports;
    for (const Op* op : state_.op_results->ops()) {
        const auto found = found_.find(op);
        if (found == found_.end()) continue;
        const ComparisonRule rule = rule_of(state_, *op);
        const JudgedPart part = judged_part_of(op->cfg);
        // joined by number, whatever the order in which the tasks came
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

}  // namespace tt::sim
