#include "compiler/backend/impossible_ops.hpp"

#include <algorithm>
#include <optional>

namespace ttsim::impl::ir {

namespace {

/// The minimum of an edge's direct costs and its costs through DRAM.
class LeastEdges : public EdgeModel {
public:
    explicit LeastEdges(const EdgeModel& model) : model_(model) {}
    std::size_t candidates(std::size_t op) const override { return model_.candidates(op); }
    Costs cost(std::size_t edge, bool, std::size_t i, std::size_t j) const override {
        Costs least = model_.cost(edge, true, i, j);
        const Costs cut = model_.cost(edge, false, i, j);
        for (std::size_t l = 0; l < limit_count; ++l) least[l] = std::min(least[l], cut[l]);
        return least;
    }
    Costs own(std::size_t op, std::size_t i) const override { return model_.own(op, i); }
    const Costs& limits() const override { return model_.limits(); }

private:
    const EdgeModel& model_;
};

/// An op of `ops` that has no compatible candidate, if there is one.
std::optional<Conflict> conflict_among(const EdgeModel& model, const std::vector<SolverEdge>& edges,
                                       const std::set<std::size_t>& ops) {
    std::vector<std::size_t> active;
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (ops.contains(edges[e].producer) && ops.contains(edges[e].consumer)) active.push_back(e);
    const LeastEdges least(model);
    GraphSolver solver(least, edges, active, {ops.begin(), ops.end()});
    if (solver.propagate()) return std::nullopt;
    return solver.conflict();
}

}  // namespace

bool are_impossible(const EdgeModel& model, const std::vector<SolverEdge>& edges, std::set<std::size_t> ops) {
    // costs of an op depend on its neighbours, and their candidates on their neighbours
    constexpr int steps = 2;
    for (int step = 0; step < steps; ++step) {
        std::set<std::size_t> more = ops;
        for (const SolverEdge& edge : edges)
            if (ops.contains(edge.producer) || ops.contains(edge.consumer)) more.insert({edge.producer, edge.consumer});
        ops = std::move(more);
    }
    return conflict_among(model, edges, ops).has_value();
}

std::vector<Conflict> impossible_ops(const EdgeModel& model, const std::vector<SolverEdge>& edges,
                                     const std::set<std::size_t>& on_host,
                                     const std::function<std::set<std::size_t>(std::size_t)>& with, std::size_t ops) {
    std::set<std::size_t> gone = on_host, left;
    std::vector<Conflict> conflicts;
    for (;;) {
        left.clear();
        for (std::size_t op = 0; op < ops; ++op)
            if (!gone.contains(op)) left.insert(left.end(), op);
        const auto conflict = conflict_among(model, edges, left);
        if (!conflict) return conflicts;
        conflicts.push_back(*conflict);
        gone.merge(with(conflict->op));
    }
}

}  // namespace ttsim::impl::ir
