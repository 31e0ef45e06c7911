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

class Scheduler {
public:
    Scheduler(const Graph& graph, const OpBudget& budget) : graph_(graph), budget_(budget), cores_(budget.rows, budget.cols) {}

    Schedule run() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (graph_.nodes[id].op.starts_with("buda.")) place(id);
        problems_.throw_if_any();
        result_.epochs = result_.ops.empty() ? 0 : result_.ops.back().epoch + 1;
        return std::move(result_);
    }

private:
    void place(ValueId id) {
        const Node& node = graph_.nodes[id];
        PlacedOp placed;
        placed.node = id;
        placed.op = make_op(graph_, node, budget_);
        std::vector<bool> constant;
        for (const Edge& edge : node.inputs) constant.push_back(graph_.nodes[edge.value].is_constant());
        const Choice choice = choose_blocking(placed.op, constant, budget_);
        if (choice.fitting.empty()) return report(node, placed.op, choice);
        std::string reason = new_epoch_reason(node);
        if (!reason.empty()) next_epoch();
        const Candidate& chosen = choice.fitting.front();
        auto at = cores_.take(chosen.blocking.grid_r, chosen.blocking.grid_c);
        if (!at) {
            reason = "the epoch's cores are taken";
            next_epoch();
            at = cores_.take(chosen.blocking.grid_r, chosen.blocking.grid_c);
        }
        apply(chosen, placed.op);
        placed.op.has_grid_loc = true;
        placed.op.grid_loc_r = at->first;
        placed.op.grid_loc_c = at->second;
        placed.resident = chosen.resident;
        placed.epoch = epoch_;
        const Candidate& largest = choice.fitting.back();
        placed.why = fmt::format("{} grids fit, {}x{} ({} B of L1) to {}x{} ({} B); the smallest is taken{}{}",
                                 choice.fitting.size(), chosen.blocking.grid_r, chosen.blocking.grid_c, chosen.l1_bytes,
                                 largest.blocking.grid_r, largest.blocking.grid_c, largest.l1_bytes,
                                 reason.empty() ? "" : "; a new epoch: ", reason);
        result_.index[id] = result_.ops.size();
        fresh_ = false;
        result_.ops.push_back(std::move(placed));
    }

    std::string new_epoch_reason(const Node& node) const {
        for (const Edge& edge : node.inputs) {
            const auto producer = result_.index.find(edge.value);
            if (producer == result_.index.end() || result_.ops[producer->second].epoch != epoch_ || fresh_) continue;
            const std::string& name = graph_.nodes[edge.value].name;
            if (!streams(graph_, node, edge)) return fmt::format("it needs all slices of '{}' at once", name);
            constexpr std::size_t most_readers = 8;
            std::size_t readers = 0;
            for (const PlacedOp& other : result_.ops)
                if (other.epoch == epoch_)
                    for (const Edge& e : graph_.nodes[other.node].inputs) readers += e.value == edge.value ? 1 : 0;
            if (readers >= most_readers) return fmt::format("'{}' has {} readers already", name, readers);
        }
        return "";
    }

    void next_epoch() {
        if (fresh_) return;
        ++epoch_;
        fresh_ = true;
        cores_.clear();
    }

    void report(const Node& node, const Op& op, const Choice& choice) {
        problems_.unsupported(node.loc,
                              "op '{}' ({}, {} tiles, of '{}') fits on no grid up to {}x{}: it needs at least {} B of L1 "
                              "per core, {} B are there, {} B too much; a format with fewer bytes would help, or smaller "
                              "tensors",
                              node.name, op.cfg.type, to_string(node.type), node.origin, budget_.rows, budget_.cols,
                              choice.least_bytes, choice.usable_bytes, choice.least_bytes - choice.usable_bytes);
    }

    const Graph& graph_;
    const OpBudget& budget_;
    CoreGrid cores_;
    Schedule result_;
    Diagnostics problems_;
    std::size_t epoch_ = 0;
    bool fresh_ = true;  // nothing is in the epoch yet
};

}  // namespace

std::size_t Schedule::op_of(ValueId node) const { return index.at(node); }

Schedule make_schedule(const Graph& graph, const OpBudget& budget) { return Scheduler(graph, budget).run(); }

}  // namespace tt::ir
