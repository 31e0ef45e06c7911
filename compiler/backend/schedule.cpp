#include "compiler/backend/schedule.hpp"

#include <algorithm>
#include <optional>

namespace tt::ir {

namespace {

/// Free cores of one epoch; rectangles are taken at the first place that is free, row by row.
class CoreGrid {
public:
    CoreGrid(std::int64_t rows, std::int64_t cols) : rows_(rows), cols_(cols) { clear(); }
    void clear() { taken_.assign(static_cast<std::size_t>(rows_ * cols_), false); }
    std::optional<std::pair<std::int64_t, std::int64_t>> take(std::int64_t height, std::int64_t width) {
        for (std::int64_t r = 0; r + height <= rows_; ++r)
            for (std::int64_t c = 0; c + width <= cols_; ++c) {
                if (!free(r, c, height, width)) continue;
                for (std::int64_t i = r; i < r + height; ++i)
                    for (std::int64_t j = c; j < c + width; ++j) taken_[static_cast<std::size_t>(i * cols_ + j)] = true;
                return std::pair{r, c};
            }
        return std::nullopt;
    }

private:
    bool free(std::int64_t r, std::int64_t c, std::int64_t height, std::int64_t width) const {
        for (std::int64_t i = r; i < r + height; ++i)
            for (std::int64_t j = c; j < c + width; ++j)
                if (taken_[static_cast<std::size_t>(i * cols_ + j)]) return false;
        return true;
    }
    std::int64_t rows_, cols_;
    std::vector<bool> taken_;
};

/// Whether a consumer may take the producer's slices as they are made, one for one. Otherwise a whole tensor has to
/// wait somewhere: it goes through a queue in DRAM.
bool streams(const Graph& graph, const Node& consumer, const Edge& edge) {
    const std::int64_t slices = graph.type(edge.value).dims[0];
    if (slices == 1) return true;
    if (consumer.integer("z", 1) > 1) return false;
    return std::all_of(edge.tms.begin(), edge.tms.end(), [](const Tm& tm) {
        return tm.kind == Tm::Kind::BroadcastR || tm.kind == Tm::Kind::BroadcastC || tm.kind == Tm::Kind::Transpose;
    });
}

/// What does not depend on the target: each op and the grids it fits on.
struct OpChoices {
    ValueId node = 0;
    Op op;
    Choice choice;
    std::shared_ptr<const SparsePattern> pattern;
};

std::shared_ptr<const SparsePattern> pattern_of(const Graph& graph, const Node& node) {
    if (node.op != "buda.sparse") return nullptr;
    const auto literal = [&](std::size_t k) { return graph.nodes[node.inputs[k].value].literal.get(); };
    TileShape x{graph.type(node.inputs[0].value).dims[0], graph.type(node.inputs[0].value).dims[1],
                graph.type(node.inputs[0].value).dims[2]};
    for (const Tm& tm : node.inputs[0].tms) x = shape_after(x, tm);
    return std::make_shared<SparsePattern>(
        make_pattern(*literal(1), node.inputs.size() > 2 ? literal(2) : nullptr, x.rt));
}

std::vector<OpChoices> choices_of(const Graph& graph, const OpBudget& budget) {
    std::vector<OpChoices> all;
    Diagnostics problems;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!node.op.starts_with("buda.")) continue;
        const auto pattern = pattern_of(graph, node);
        OpChoices item{id, make_op(graph, node, budget, pattern.get()), {}, pattern};
        std::vector<bool> constant;
        for (const OperandSource& source : operands_of(node))
            constant.push_back(source.kind != OperandSource::Kind::Input ||
                               graph.nodes[node.inputs[source.input].value].is_constant());
        item.choice = choose_blocking(item.op, constant, budget, pattern.get());
        if (item.choice.fitting.empty())
            problems.unsupported(
                node.loc,
                "op '{}' ({}, {} tiles, of '{}') fits on no grid up to {}x{}: it needs at least {} B of L1 "
                "per core, {} B are there, {} B too much; a format with fewer bytes would help, or "
                "smaller tensors",
                node.name, item.op.cfg.type, to_string(node.type), node.origin, budget.rows, budget.cols,
                item.choice.least_bytes, item.choice.usable_bytes, item.choice.least_bytes - item.choice.usable_bytes);
        all.push_back(std::move(item));
    }
    problems.throw_if_any();
    return all;
}

/// The smallest grid that meets the target; the fastest when none does.
const Candidate& choose(const Choice& choice, double target) {
    const Candidate* fastest = &choice.fitting.front();
    for (const Candidate& candidate : choice.fitting) {
        if (candidate.cycles <= target) return candidate;
        if (candidate.cycles < fastest->cycles) fastest = &candidate;
    }
    return *fastest;
}

/// One way through the ops in order, an epoch after the other.
class Scheduler {
public:
    Scheduler(const Graph& graph, const OpBudget& budget, double target)
        : graph_(graph), budget_(budget), target_(target), cores_(budget.rows, budget.cols) {}

    Schedule run(const std::vector<OpChoices>& ops) {
        for (const OpChoices& op : ops) place(op);
        result_.epochs = result_.ops.empty() ? 0 : epoch_ + 1;
        end_epoch();
        return std::move(result_);
    }

private:
    void place(const OpChoices& item) {
        const Node& node = graph_.nodes[item.node];
        std::string reason = new_epoch_reason(node);
        if (!reason.empty()) next_epoch();
        const Candidate& chosen = choose(item.choice, target_);
        auto at = cores_.take(chosen.blocking.grid_r, chosen.blocking.grid_c);
        if (!at) {
            reason = "the epoch's cores are taken";
            next_epoch();
            at = cores_.take(chosen.blocking.grid_r, chosen.blocking.grid_c);
        }
        PlacedOp placed;
        placed.node = item.node;
        placed.op = item.op;
        placed.pattern = item.pattern;
        apply(chosen, placed.pattern.get(), placed.op);
        placed.op.has_grid_loc = true;
        placed.op.grid_loc_r = at->first;
        placed.op.grid_loc_c = at->second;
        placed.resident = chosen.resident;
        placed.epoch = epoch_;
        placed.why = explanation(item.choice, chosen, reason);
        slowest_ = std::max(slowest_, chosen.cycles);
        result_.index[item.node] = result_.ops.size();
        fresh_ = false;
        result_.ops.push_back(std::move(placed));
    }

    std::string explanation(const Choice& choice, const Candidate& chosen, const std::string& reason) const {
        const auto text = [](const Candidate& c) {
            return fmt::format("{}x{} ({} B of L1, {:.0f} cycles)", c.blocking.grid_r, c.blocking.grid_c, c.l1_bytes,
                               c.cycles);
        };
        const std::string why = chosen.cycles <= target_ ? "the smallest that meets the target"
                                                         : "the fastest, though none meets the target";
        return fmt::format("{} of {} grids from {} to {}: {}{}{}", text(chosen), choice.fitting.size(),
                           text(choice.fitting.front()), text(choice.fitting.back()), why,
                           reason.empty() ? "" : "; a new epoch: ", reason);
    }

    std::string new_epoch_reason(const Node& node) const {
        if (fresh_) return "";
        for (const Edge& edge : node.inputs) {
            const auto producer = result_.index.find(edge.value);
            if (producer == result_.index.end() || result_.ops[producer->second].epoch != epoch_) continue;
            const std::string& name = graph_.nodes[edge.value].name;
            if (!streams(graph_, node, edge)) return fmt::format("it needs all slices of '{}' at once", name);
            constexpr std::size_t most_readers = 8;
            if (readers(edge.value) >= most_readers)
                return fmt::format("'{}' has {} readers already", name, most_readers);
        }
        return "";
    }

    std::size_t readers(ValueId value) const {
        std::size_t count = 0;
        for (auto op = result_.ops.rbegin(); op != result_.ops.rend() && op->epoch == epoch_; ++op)
            for (const Edge& e : graph_.nodes[op->node].inputs) count += e.value == value ? 1 : 0;
        return count;
    }

    void end_epoch() {
        result_.estimated_cycles += slowest_ + budget_.chip->timing.epoch_load;
        slowest_ = 0;
    }

    void next_epoch() {
        if (fresh_) return;
        end_epoch();
        ++epoch_;
        fresh_ = true;
        cores_.clear();
    }

    const Graph& graph_;
    const OpBudget& budget_;
    double target_;
    CoreGrid cores_;
    Schedule result_;
    std::size_t epoch_ = 0;
    double slowest_ = 0;
    bool fresh_ = true;  // nothing is in the epoch yet
};

}  // namespace

std::size_t Schedule::op_of(ValueId node) const { return index.at(node); }

Schedule make_schedule(const Graph& graph, const OpBudget& budget, Policy policy) {
    const std::vector<OpChoices> ops = choices_of(graph, budget);
    double slowest = 1;
    for (const OpChoices& op : ops) slowest = std::max(slowest, op.choice.fitting.front().cycles);
    Schedule best = Scheduler(graph, budget, slowest).run(ops);
    if (policy == Policy::MinimizeGrid) return best;
    constexpr double step = 1.3;
    constexpr int steps = 24;  // down to 1/500 of the slowest op on its smallest grid
    double target = slowest;
    for (int k = 0; k < steps; ++k) {
        target /= step;
        Schedule other = Scheduler(graph, budget, target).run(ops);
        if (other.estimated_cycles < best.estimated_cycles) best = std::move(other);
    }
    return best;
}

}  // namespace tt::ir
