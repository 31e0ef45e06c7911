#include "compiler/backend/graph_solver.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace tt::ir {

namespace {

constexpr std::array<std::string_view, limit_count> limit_names{"streams from a core",
                                                                "phases of a core's output streams",
                                                                "phases of a core's input streams",
                                                                "DRAM buffers read by a core",
                                                                "queues written",
                                                                "bytes of L1 for slices needed at once"};

}  // namespace

std::string_view to_string(Limit limit) { return limit_names[static_cast<std::size_t>(limit)]; }
bool of_producer(Limit limit) { return limit != Limit::ConsumerPhases && limit != Limit::DramInputs; }

std::size_t CandidateSet::count() const {
    std::size_t n = 0;
    for (const std::uint64_t word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
}
std::size_t CandidateSet::first() const {
    for (std::size_t w = 0; w < words_.size(); ++w)
        if (words_[w] != 0) return w * 64 + static_cast<std::size_t>(std::countr_zero(words_[w]));
    return size_;
}

GraphSolver::GraphSolver(const EdgeModel& model, const std::vector<SolverEdge>& edges,
                         const std::vector<std::size_t>& active, std::vector<std::size_t> ops)
    : model_(model), edges_(edges), ops_(std::move(ops)) {
    std::size_t count = 0;
    for (const std::size_t op : ops_) count = std::max(count, op + 1);
    edges_of_.resize(count);
    state_.left.resize(count);
    state_.why.resize(count);
    for (const std::size_t e : active) {
        edges_of_[edges_[e].producer].push_back(e);
        edges_of_[edges_[e].consumer].push_back(e);
    }
    for (const std::size_t op : ops_) {
        state_.left[op] = CandidateSet(model.candidates(op));
        state_.why[op].resize(model.candidates(op));
    }
    state_.cut.assign(edges_.size(), false);
}

bool GraphSolver::propagate() { return settle(ops_); }

void GraphSolver::preset(std::size_t op, std::size_t i) {
    for (std::size_t x = 0; x < state_.left[op].size(); ++x)
        if (x != i) state_.left[op].drop(x);
}

bool GraphSolver::set(std::size_t op, std::size_t i) {
    preset(op, i);
    return settle({op});
}

bool GraphSolver::forbid(std::size_t op, std::size_t i) {
    state_.left[op].drop(i);
    return settle({op});
}

bool GraphSolver::cut(std::size_t edge) {
    state_.cut[edge] = true;
    return settle({edges_[edge].producer, edges_[edge].consumer});
}

/// Ops whose neighbours lost candidates are looked at again until nothing changes.
bool GraphSolver::settle(std::vector<std::size_t> waiting) {
    std::vector<bool> listed(edges_of_.size(), false);
    const auto list = [&](std::size_t op) {
        if (!listed[op]) waiting.push_back(op);
        listed[op] = true;
    };
    for (const std::size_t op : std::exchange(waiting, {})) {
        list(op);
        for (const std::size_t e : edges_of_[op]) list(partner_of(op, e));
    }
    for (std::size_t at = 0; at < waiting.size(); ++at) {
        const std::size_t op = waiting[at];
        listed[op] = false;
        bool changed = false;
        if (!revise(op, changed)) return false;
        if (!changed) continue;
        for (const std::size_t e : edges_of_[op]) list(partner_of(op, e));
    }
    return true;
}

bool GraphSolver::revise(std::size_t op, bool& changed) {
    CandidateSet& left = state_.left[op];
    std::optional<Rejection> last;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!left.has(i)) continue;
        auto rejection = check(op, i);
        if (!rejection) continue;
        left.drop(i);
        changed = true;
        state_.why[op][i] = rejection;
        if (!last || rejection->needs - rejection->there < last->needs - last->there) last = rejection;
    }
    if (!left.empty()) return true;
    state_.conflict = Conflict{op, last.value_or(Rejection{})};
    return false;
}

bool GraphSolver::pays(std::size_t op, std::size_t edge, std::size_t limit) const {
    return (edges_[edge].producer == op) == of_producer(static_cast<Limit>(limit));
}

Costs GraphSolver::cost(std::size_t op, std::size_t i, std::size_t edge, std::size_t partner) const {
    return edges_[edge].producer == op ? model_.cost(edge, !state_.cut[edge], i, partner)
                                       : model_.cost(edge, !state_.cut[edge], partner, i);
}

/// The least an edge can need of the op, limit by limit.
Costs GraphSolver::least(std::size_t op, std::size_t i, std::size_t edge) const {
    Costs least{};
    bool any = false;
    const CandidateSet& partners = state_.left[partner_of(op, edge)];
    for (std::size_t y = 0; y < partners.size(); ++y) {
        if (!partners.has(y)) continue;
        const Costs costs = cost(op, i, edge, y);
        for (std::size_t l = 0; l < limit_count; ++l)
            if (pays(op, edge, l)) least[l] = any ? std::min(least[l], costs[l]) : costs[l];
        any = true;
    }
    return least;
}

std::optional<Rejection> GraphSolver::check(std::size_t op, std::size_t i) const {
    const Costs& limits = model_.limits();
    Costs sum = model_.own(op, i);
    std::vector<Costs> leasts;
    for (const std::size_t e : edges_of_[op]) {
        leasts.push_back(least(op, i, e));
        for (std::size_t l = 0; l < limit_count; ++l) sum[l] += leasts.back()[l];
    }
    for (std::size_t l = 0; l < limit_count; ++l) {
        if (sum[l] <= limits[l]) continue;
        std::optional<std::size_t> worst;
        std::int64_t most = 0;
        for (std::size_t k = 0; k < leasts.size(); ++k)
            if (leasts[k][l] > most) {
                most = leasts[k][l];
                worst = edges_of_[op][k];
            }
        return Rejection{static_cast<Limit>(l), sum[l], limits[l], worst};
    }
    for (std::size_t k = 0; k < leasts.size(); ++k) {
        Costs others = sum;
        for (std::size_t l = 0; l < limit_count; ++l) others[l] -= leasts[k][l];
        if (auto rejection = without_partner(op, i, edges_of_[op][k], others)) return rejection;
    }
    return std::nullopt;
}

/// Nothing when some candidate at the other end goes with candidate i, beside what other edges need.
std::optional<Rejection> GraphSolver::without_partner(std::size_t op, std::size_t i, std::size_t edge,
                                                      const Costs& others) const {
    const Costs& limits = model_.limits();
    const CandidateSet& partners = state_.left[partner_of(op, edge)];
    Rejection nearest;
    std::int64_t least_over = std::numeric_limits<std::int64_t>::max();
    for (std::size_t y = 0; y < partners.size(); ++y) {
        if (!partners.has(y)) continue;
        const Costs costs = cost(op, i, edge, y);
        std::optional<Rejection> why;
        for (std::size_t l = 0; l < limit_count && !why; ++l) {
            const std::int64_t needs = costs[l] + (pays(op, edge, l) ? others[l] : 0);
            if (needs > limits[l]) why = Rejection{static_cast<Limit>(l), needs, limits[l], edge};
        }
        if (!why) return std::nullopt;
        if (why->needs - why->there >= least_over) continue;
        least_over = why->needs - why->there;
        nearest = *why;
    }
    return nearest;
}

}  // namespace tt::ir
