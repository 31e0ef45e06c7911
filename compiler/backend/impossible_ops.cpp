#include "compiler/backend/impossible_ops.hpp"

#include <algorithm>
#include <set>

namespace tt::ir {

namespace {

/// What an edge needs in any case: the less of what it needs directly and through DRAM.
class LeastEdges : public EdgeModel {
public:
    explicit LeastEdges(const EdgeCosts& costs) : costs_(costs) {}
    std::size_t candidates(std::size_t op) const override { return costs_.candidates(op); }
    Costs cost(std::size_t edge, bool, std::size_t i, std::size_t j) const override {
        Costs least = costs_.cost(edge, true, i, j);
        const Costs cut = costs_.cost(edge, false, i, j);
        for (std::size_t l = 0; l < limit_count; ++l) least[l] = std::min(least[l], cut[l]);
        return least;
    }
    Costs own(std::size_t op, std::size_t i) const override { return costs_.own(op, i); }
    const Costs& limits() const override { return costs_.limits(); }

private:
    const EdgeCosts& costs_;
};

/// These, and so many steps of edges around them.
std::set<std::size_t> around(const Choices& choices, std::set<std::size_t> ops, int steps) {
    for (; steps > 0; --steps) {
        std::set<std::size_t> more = ops;
        for (const std::size_t op : ops) {
            for (const std::size_t e : choices.into[op]) more.insert(choices.edges[e].producer);
            for (const std::size_t e : choices.from[op]) more.insert(choices.edges[e].consumer);
        }
        ops = std::move(more);
    }
    return ops;
}

}  // namespace

bool are_impossible(const Choices& choices, const EdgeCosts& costs, std::span<const std::string> origins) {
    std::set<std::size_t> refused;
    for (std::size_t op = 0; op < choices.ops.size(); ++op)
        if (std::ranges::count(origins, choices.graph->nodes[choices.ops[op].node].origin) > 0) refused.insert(op);
    constexpr int steps = 2;  // what an op's readers need of it depends on what they read besides
    const std::set<std::size_t> ops = around(choices, std::move(refused), steps);
    std::vector<std::size_t> active;
    for (const std::size_t op : ops)
        for (const std::size_t e : choices.into[op])
            if (ops.contains(choices.edges[e].producer)) active.push_back(e);
    const LeastEdges edges(costs);
    return !GraphSolver(edges, choices.edges, active, {ops.begin(), ops.end()}).propagate();
}

}  // namespace tt::ir
