#include "compiler/backend/epochs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tt::ir {

const Candidate* candidate_for(const Choice& choice, double target) {
    const Candidate *best = nullptr, *fastest = &choice.fitting.front();
    for (const Candidate& candidate : choice.fitting) {
        if (candidate.cycles < fastest->cycles) fastest = &candidate;
        if (candidate.cycles > target) continue;
        const auto key = [](const Candidate& c) { return std::pair(c.blocking.cores(), c.cycles); };
        if (!best || key(candidate) < key(*best)) best = &candidate;
    }
    return best ? best : fastest;
}

namespace {

using Ops = std::vector<OpChoices>;

Rectangle rectangle(const Blocking& blocking, const OpOverride* user) {
    Rectangle r{blocking.grid_r, blocking.grid_c, true, std::nullopt, false};
    if (!user) return r;
    r.turnable = !user->transpose;
    r.turned = user->transpose.value_or(false);
    if (user->place) r.fixed = Place{user->place->first, user->place->second, r.turned};
    return r;
}

std::optional<Epoch> placed(const Ops& ops, std::size_t first, std::vector<const Candidate*> chosen, double target,
                            const OpBudget& budget) {
    std::vector<Rectangle> rectangles;
    std::int64_t cores = 0;
    for (const Candidate* c : chosen) {
        rectangles.push_back(rectangle(c->blocking, ops[first + rectangles.size()].user));
        cores += c->blocking.cores();
    }
    if (cores > budget.rows * budget.cols) return std::nullopt;
    auto places = place(rectangles, budget.rows, budget.cols);
    if (!places) return std::nullopt;
    return Epoch{first, std::move(chosen), std::move(*places), target};
}

/// Only an override can keep an op from an empty chip.
[[noreturn]] void no_place(const OpChoices& op, const OpBudget& budget) {
    TT_CHECK(op.user && op.user->place, "op '{}' has no place on an empty chip", op.op.name());
    fail_input(op.user->loc, "op '{}' cannot lie at {}x{}: its grids there leave the chip's {}x{} cores", op.op.name(),
               op.user->place->first, op.user->place->second, budget.rows, budget.cols);
}

/// From op to op: an epoch takes what it has cores for.
template <class Choose>
std::vector<Epoch> filled(const Ops& ops, const OpBudget& budget, double target, Choose choose) {
    std::vector<Epoch> epochs;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const Candidate* candidate = choose(ops[i]);
        if (!epochs.empty() && !ops[i].begins()) {
            auto chosen = epochs.back().chosen;
            chosen.push_back(candidate);
            if (auto longer = placed(ops, epochs.back().first, std::move(chosen), target, budget)) {
                epochs.back() = std::move(*longer);
                continue;
            }
        }
        auto fresh = placed(ops, i, {candidate}, target, budget);
        if (!fresh) no_place(ops[i], budget);
        epochs.push_back(std::move(*fresh));
    }
    return epochs;
}

/// Cores that runs of ops need to meet a target, for a range of targets.
class TargetTable {
public:
    explicit TargetTable(const Ops& ops) {
        double slowest = 1, quickest = std::numeric_limits<double>::infinity();
        for (const OpChoices& op : ops)
            for (const Candidate& c : op.choice.fitting) {
                slowest = std::max(slowest, c.cycles);
                quickest = std::min(quickest, c.cycles);
            }
        constexpr double step = 1.04;
        for (double t = std::max(quickest, slowest / 1e6); t < slowest * step; t *= step) targets_.push_back(t);
        for (const double target : targets_) {
            std::vector<std::int64_t> sums{0};
            for (const OpChoices& op : ops) {
                const Candidate* c = candidate_for(op.choice, target);
                sums.push_back(sums.back() + (c->cycles <= target ? c->blocking.cores() : too_many));
            }
            cores_.push_back(std::move(sums));
        }
    }
    double target(std::size_t k) const { return targets_[k]; }
    std::size_t size() const { return targets_.size(); }
    /// The least target that ops first .. end - 1 meet with so many cores; size() when there is none.
    std::size_t least(std::size_t first, std::size_t end, std::int64_t cores) const {
        std::size_t low = 0, high = targets_.size();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (cores_[middle][end] - cores_[middle][first] <= cores)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

private:
    static constexpr std::int64_t too_many = 1'000'000;
    std::vector<double> targets_;
    std::vector<std::vector<std::int64_t>> cores_;  // per target: sums over the ops before
};

/// Epochs with the least sum of their slowest ops and of what changing epochs costs.
class LeastTime {
public:
    LeastTime(const Ops& ops, const OpBudget& budget, const ScheduleOptions& options)
        : ops_(ops), budget_(budget), options_(options), table_(ops) {}

    std::vector<Epoch> run() {
        const auto cores =
            static_cast<std::int64_t>(std::floor(static_cast<double>(budget_.rows * budget_.cols) * options_.packing));
        const std::size_t n = ops_.size();
        std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
        std::vector<std::size_t> from(n + 1, 0);
        best[0] = 0;
        for (std::size_t end = 1; end <= n; ++end)
            for (std::size_t first = end; first-- > 0;) {
                const std::size_t t = table_.least(first, end, std::max<std::int64_t>(cores, 1));
                if (t == table_.size() && end - first > 1) break;  // more ops need more
                const double total = best[first] + cost(first, end, t == table_.size() ? t - 1 : t);
                if (total < best[end]) {
                    best[end] = total;
                    from[end] = first;
                }
                if (ops_[first].begins()) break;
            }
        std::vector<std::pair<std::size_t, std::size_t>> runs;
        for (std::size_t end = n; end > 0; end = from[end]) runs.emplace_back(from[end], end);
        std::reverse(runs.begin(), runs.end());
        std::vector<Epoch> epochs;
        for (const auto& [first, end] : runs) add(epochs, first, end, cores);
        return epochs;
    }

private:
    /// Until an epoch's pipeline is full, about one op after the other takes its time once.
    double cost(std::size_t first, std::size_t end, std::size_t t) const {
        const double ops = static_cast<double>(end - first), inputs = static_cast<double>(budget_.microbatch);
        return table_.target(t) * (1 + options_.stages * ops / inputs) + budget_.chip->timing.epoch_load / inputs;
    }

    /// Rectangles do not fill a chip: a larger target, or two epochs, where they do not fit together.
    void add(std::vector<Epoch>& epochs, std::size_t first, std::size_t end, std::int64_t cores) const {
        for (std::size_t t = std::min(table_.least(first, end, cores), table_.size() - 1); t < table_.size(); ++t) {
            std::vector<const Candidate*> chosen;
            for (std::size_t i = first; i < end; ++i) chosen.push_back(candidate_for(ops_[i].choice, table_.target(t)));
            if (auto epoch = placed(ops_, first, std::move(chosen), table_.target(t), budget_)) {
                epochs.push_back(std::move(*epoch));
                return;
            }
        }
        if (end - first == 1) no_place(ops_[first], budget_);
        add(epochs, first, (first + end) / 2, cores);
        add(epochs, (first + end) / 2, end, cores);
    }

    const Ops& ops_;
    const OpBudget& budget_;
    const ScheduleOptions& options_;
    TargetTable table_;
};

double slowest_sum(const std::vector<Epoch>& epochs, const OpBudget& budget) {
    double sum = 0;
    for (const Epoch& epoch : epochs) {
        double slowest = 0;
        for (const Candidate* c : epoch.chosen) slowest = std::max(slowest, c->cycles);
        sum += slowest + budget.chip->timing.epoch_load / static_cast<double>(budget.microbatch);
    }
    return sum;
}

/// Grids of one height where an op has any: the height with the least estimated time.
std::vector<Epoch> ribbon(const Ops& ops, const OpBudget& budget, const ScheduleOptions& options,
                          std::vector<Ops>& kept) {
    std::optional<std::vector<Epoch>> best;
    for (std::int64_t height = 1; height <= budget.rows; ++height) {
        Ops narrowed = ops;
        for (OpChoices& op : narrowed) {
            std::vector<Candidate> same;
            for (const Candidate& c : op.choice.fitting)
                if (c.blocking.grid_r == height) same.push_back(c);
            if (!same.empty()) op.choice.fitting = std::move(same);
        }
        kept.push_back(std::move(narrowed));
        auto epochs = LeastTime(kept.back(), budget, options).run();
        if (!best || slowest_sum(epochs, budget) < slowest_sum(*best, budget)) best = std::move(epochs);
    }
    return std::move(*best);
}

/// The mean time of the products on their smallest grids, no less than what the slowest op can do.
double product_target(const Ops& ops) {
    double sum = 0, count = 0, floor = 0;
    for (const OpChoices& op : ops) {
        double quickest = std::numeric_limits<double>::infinity();
        for (const Candidate& c : op.choice.fitting) quickest = std::min(quickest, c.cycles);
        floor = std::max(floor, quickest);
        if (op.op.cfg.type != "matmul" || op.op.cfg.attr.identity) continue;
        sum += op.choice.fitting.front().cycles;
        ++count;
    }
    return std::max(floor, count > 0 ? sum / count : floor);
}

}  // namespace

std::vector<Epoch> choose_epochs(const Ops& ops, const OpBudget& budget, const ScheduleOptions& options) {
    if (ops.empty()) return {};
    switch (options.policy) {
        case Policy::MinimizeGrid:
            return filled(ops, budget, std::numeric_limits<double>::infinity(),
                          [](const OpChoices& op) { return &op.choice.fitting.front(); });
        case Policy::Nlp: {
            const double target = product_target(ops);
            return filled(ops, budget, target, [&](const OpChoices& op) { return candidate_for(op.choice, target); });
        }
        case Policy::Random: {
            std::mt19937 random(options.seed);
            return filled(ops, budget, 0,
                          [&](const OpChoices& op) { return &op.choice.fitting[random() % op.choice.fitting.size()]; });
        }
        case Policy::Ribbon: {
            std::vector<Ops> kept;
            std::vector<Epoch> epochs = ribbon(ops, budget, options, kept);
            for (Epoch& epoch : epochs)  // `kept` goes: the same candidates of `ops`
                for (std::size_t i = 0; i < epoch.chosen.size(); ++i)
                    for (const Candidate& c : ops[epoch.first + i].choice.fitting)
                        if (c.blocking == epoch.chosen[i]->blocking) {
                            epoch.chosen[i] = &c;
                            break;
                        }
            return epochs;
        }
        case Policy::Balanced:
        case Policy::Simulated:  // of variants of Balanced and others, the caller chooses
            break;
    }
    return LeastTime(ops, budget, options).run();
}

}  // namespace tt::ir
