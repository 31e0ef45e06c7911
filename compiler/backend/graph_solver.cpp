#include "compiler/backend/graph_solver.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.hpp"

namespace ttsim::impl::ir {

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
    : model_(model), edges_(edges), active_(active) {
    std::sort(ops.begin(), ops.end());
    for (const std::size_t op : ops) {
        items_.push_back({op, {}, CandidateSet(model.candidates(op)), {}});
        items_.back().why.resize(model.candidates(op));
    }
    std::sort(active_.begin(), active_.end());
    active_.erase(std::unique(active_.begin(), active_.end()), active_.end());
    cut_.assign(active_.size(), false);
    for (const std::size_t e : active) {
        const std::size_t place = edge_at(e), producer = at(edges_[e].producer), consumer = at(edges_[e].consumer);
        items_[producer].links.push_back({place, consumer, true});
        items_[consumer].links.push_back({place, producer, false});
    }
}

std::size_t GraphSolver::at(std::size_t op) const {
    const auto found = std::lower_bound(items_.begin(), items_.end(), op,
                                        [](const Item& item, std::size_t number) { return item.op < number; });
    TT_CHECK(found != items_.end() && found->op == op, "op {} is not in the solver", op);
    return static_cast<std::size_t>(found - items_.begin());
}

std::size_t GraphSolver::edge_at(std::size_t edge) const {
    const auto found = std::lower_bound(active_.begin(), active_.end(), edge);
    TT_CHECK(found != active_.end() && *found == edge, "edge {} is not in the solver", edge);
    return static_cast<std::size_t>(found - active_.begin());
}

void GraphSolver::drop(std::size_t item, std::size_t i, std::optional<Rejection> why) {
    if (!items_[item].left.has(i)) return;
    items_[item].left.drop(i);
    items_[item].why[i] = why;
    changes_.push_back({item, i, false});
}

void GraphSolver::cut_edge(std::size_t edge) {
    const std::size_t place = edge_at(edge);
    if (cut_[place]) return;
    cut_[place] = true;
    changes_.push_back({place, 0, true});
}

void GraphSolver::restore(Snapshot snapshot) {
    for (; changes_.size() > snapshot.changes; changes_.pop_back()) {
        const Change& change = changes_.back();
        if (change.is_cut) {
            cut_[change.item] = false;
            continue;
        }
        items_[change.item].left.add(change.candidate);
        items_[change.item].why[change.candidate].reset();
    }
    conflict_ = snapshot.conflict;
}

bool GraphSolver::propagate() {
    std::vector<std::size_t> all;
    for (std::size_t item = 0; item < items_.size(); ++item) all.push_back(item);
    return propagate_from(all);
}

void GraphSolver::preset(std::size_t op, std::size_t i) {
    const std::size_t item = at(op);
    for (std::size_t x = 0; x < items_[item].left.size(); ++x)
        if (x != i) drop(item, x, std::nullopt);
}

bool GraphSolver::set(std::size_t op, std::size_t i) {
    preset(op, i);
    return propagate_from({at(op)});
}

bool GraphSolver::forbid(std::size_t op, std::size_t i) {
    const std::size_t item = at(op);
    drop(item, i, std::nullopt);
    return propagate_from({item});
}

bool GraphSolver::cut(std::size_t edge) {
    cut_edge(edge);
    return propagate_from({at(edges_[edge].producer), at(edges_[edge].consumer)});
}

/// Revises ops whose neighbours lost candidates until nothing changes.
bool GraphSolver::propagate_from(const std::vector<std::size_t>& changed) {
    std::vector<bool> listed(items_.size(), false);
    std::vector<std::size_t> waiting;
    const auto list = [&](std::size_t item) {
        if (!listed[item]) waiting.push_back(item);
        listed[item] = true;
    };
    for (const std::size_t item : changed) {
        list(item);
        for (const Link& link : items_[item].links) list(link.partner);
    }
    for (std::size_t next = 0; next < waiting.size(); ++next) {
        const std::size_t item = waiting[next];
        listed[item] = false;
        bool lost = false;
        if (!revise(item, lost)) return false;
        if (!lost) continue;
        for (const Link& link : items_[item].links) list(link.partner);
    }
    return true;
}

bool GraphSolver::revise(std::size_t number, bool& changed) {
    const Item& item = items_[number];
    std::optional<Rejection> last;
    for (std::size_t i = 0; i < item.left.size(); ++i) {
        if (!item.left.has(i)) continue;
        auto rejection = check(item, i);
        if (!rejection) continue;
        drop(number, i, rejection);
        changed = true;
        if (!last || rejection->needs - rejection->available < last->needs - last->available) last = rejection;
    }
    if (!item.left.empty()) return true;
    conflict_ = Conflict{item.op, last.value_or(Rejection{})};
    return false;
}

Costs GraphSolver::cost(std::size_t i, const Link& link, std::size_t partner) const {
    const std::size_t edge = active_[link.edge];
    return link.produces ? model_.cost(edge, !cut_[link.edge], i, partner)
                         : model_.cost(edge, !cut_[link.edge], partner, i);
}

/// The least costs of an edge for the op, per limit.
Costs GraphSolver::least(std::size_t i, const Link& link) const {
    Costs least{};
    bool any = false;
    const CandidateSet& partners = items_[link.partner].left;
    for (std::size_t y = 0; y < partners.size(); ++y) {
        if (!partners.has(y)) continue;
        const Costs costs = cost(i, link, y);
        for (std::size_t l = 0; l < limit_count; ++l)
            if (pays(link, l)) least[l] = any ? std::min(least[l], costs[l]) : costs[l];
        any = true;
    }
    return least;
}

std::optional<Rejection> GraphSolver::check(const Item& item, std::size_t i) const {
    const Costs& limits = model_.limits();
    Costs sum = model_.own(item.op, i);
    std::vector<Costs> leasts;
    for (const Link& link : item.links) {
        leasts.push_back(least(i, link));
        for (std::size_t l = 0; l < limit_count; ++l) sum[l] += leasts.back()[l];
    }
    for (std::size_t l = 0; l < limit_count; ++l) {
        if (sum[l] <= limits[l]) continue;
        std::optional<std::size_t> worst;
        std::int64_t most = 0;
        for (std::size_t k = 0; k < leasts.size(); ++k)
            if (leasts[k][l] > most) {
                most = leasts[k][l];
                worst = active_[item.links[k].edge];
            }
        return Rejection{static_cast<Limit>(l), sum[l], limits[l], worst};
    }
    for (std::size_t k = 0; k < leasts.size(); ++k) {
        Costs others = sum;
        for (std::size_t l = 0; l < limit_count; ++l) others[l] -= leasts[k][l];
        if (auto rejection = without_partner(i, item.links[k], others)) return rejection;
    }
    return std::nullopt;
}

/// nullopt if a candidate at the other end is compatible with candidate i, given the costs of other edges.
std::optional<Rejection> GraphSolver::without_partner(std::size_t i, const Link& link, const Costs& others) const {
    const Costs& limits = model_.limits();
    const CandidateSet& partners = items_[link.partner].left;
    Rejection nearest;
    std::int64_t least_over = std::numeric_limits<std::int64_t>::max();
    for (std::size_t y = 0; y < partners.size(); ++y) {
        if (!partners.has(y)) continue;
        const Costs costs = cost(i, link, y);
        std::optional<Rejection> why;
        for (std::size_t l = 0; l < limit_count && !why; ++l) {
            const std::int64_t needs = costs[l] + (pays(link, l) ? others[l] : 0);
            if (needs > limits[l]) why = Rejection{static_cast<Limit>(l), needs, limits[l], active_[link.edge]};
        }
        if (!why) return std::nullopt;
        if (why->needs - why->available >= least_over) continue;
        least_over = why->needs - why->available;
        nearest = *why;
    }
    return nearest;
}

}  // namespace ttsim::impl::ir
