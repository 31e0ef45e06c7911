#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>

#include "compiler/backend/graph_solver.hpp"
#include "compiler/backend/impossible_ops.hpp"

using namespace ttsim::impl::ir;

namespace {

std::size_t index_of(Limit limit) { return static_cast<std::size_t>(limit); }

/// Costs from a table; nothing costs anything unless said.
class HandModel : public EdgeModel {
public:
    std::vector<std::size_t> sizes;  // candidates per op
    Costs most{16, 862, 862, 39, 8, 0};
    std::map<std::tuple<std::size_t, bool, std::size_t, std::size_t>, Costs> pairs;
    std::map<std::pair<std::size_t, std::size_t>, Costs> alone;

    std::size_t candidates(std::size_t op) const override { return sizes[op]; }
    Costs cost(std::size_t edge, bool direct, std::size_t i, std::size_t j) const override {
        const auto known = pairs.find({edge, direct, i, j});
        return known == pairs.end() ? Costs{} : known->second;
    }
    Costs own(std::size_t op, std::size_t i) const override {
        const auto known = alone.find({op, i});
        return known == alone.end() ? Costs{} : known->second;
    }
    const Costs& limits() const override { return most; }

    void direct(std::size_t edge, std::size_t i, std::size_t j, Limit limit, std::int64_t n) {
        pairs[{edge, true, i, j}][index_of(limit)] = n;
    }
    void queue(std::size_t edge, std::size_t i, std::size_t j, Limit limit, std::int64_t n) {
        pairs[{edge, false, i, j}][index_of(limit)] = n;
    }
};

struct SolverProblem {
    HandModel model;
    std::vector<SolverEdge> edges;
    std::vector<std::size_t> active, ops;
    GraphSolver solver() const { return {model, edges, active, ops}; }
    void finish() {
        for (std::size_t e = 0; e < edges.size(); ++e) active.push_back(e);
        for (std::size_t op = 0; op < model.sizes.size(); ++op) ops.push_back(op);
    }
};

/// a -> b -> c, three candidates each; only equal numbers go together.
SolverProblem chain() {
    SolverProblem p;
    p.model.sizes = {3, 3, 3};
    p.edges = {{0, 1}, {1, 2}};
    for (std::size_t e = 0; e < 2; ++e)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                if (i != j) p.model.direct(e, i, j, Limit::FanOut, 17);
    p.finish();
    return p;
}

/// Whether a whole choice keeps every limit, counted without the solver.
bool legal(const SolverProblem& p, const std::vector<bool>& cut, const std::vector<std::size_t>& choice) {
    for (std::size_t op = 0; op < choice.size(); ++op) {
        Costs sum = p.model.own(op, choice[op]);
        for (std::size_t e = 0; e < p.edges.size(); ++e) {
            const SolverEdge& edge = p.edges[e];
            const Costs costs = p.model.cost(e, !cut[e], choice[edge.producer], choice[edge.consumer]);
            for (std::size_t l = 0; l < limit_count; ++l)
                if ((of_producer(static_cast<Limit>(l)) ? edge.producer : edge.consumer) == op) sum[l] += costs[l];
        }
        for (std::size_t l = 0; l < limit_count; ++l)
            if (sum[l] > p.model.most[l]) return false;
    }
    return true;
}

std::vector<std::vector<std::size_t>> all_choices(const std::vector<std::size_t>& sizes) {
    std::vector<std::vector<std::size_t>> all{{}};
    for (const std::size_t size : sizes) {
        std::vector<std::vector<std::size_t>> longer;
        for (const auto& one : all)
            for (std::size_t i = 0; i < size; ++i) {
                longer.push_back(one);
                longer.back().push_back(i);
            }
        all = std::move(longer);
    }
    return all;
}

SolverProblem random_problem(std::mt19937& random) {
    const auto upto = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
    SolverProblem p;
    const std::size_t ops = 2 + random() % 4;
    for (std::size_t op = 0; op < ops; ++op) p.model.sizes.push_back(1 + random() % 3);
    p.model.most = {6, 12, 12, 8, 3, 0};
    for (std::size_t c = 1; c < ops; ++c)
        for (std::int64_t k = upto(2); k >= 0; --k) p.edges.push_back({random() % c, c});
    for (std::size_t e = 0; e < p.edges.size(); ++e)
        for (std::size_t i = 0; i < p.model.sizes[p.edges[e].producer]; ++i)
            for (std::size_t j = 0; j < p.model.sizes[p.edges[e].consumer]; ++j) {
                const std::int64_t phases = 1 + upto(9);
                p.model.direct(e, i, j, Limit::FanOut, 1 + upto(6));
                p.model.direct(e, i, j, Limit::ProducerPhases, 1 + upto(9));
                p.model.direct(e, i, j, Limit::ConsumerPhases, phases);
                p.model.direct(e, i, j, Limit::SliceBuffer, upto(5) == 0 ? 100 : 0);
                p.model.queue(e, i, j, Limit::ConsumerPhases, phases);
                p.model.queue(e, i, j, Limit::DramInputs, 1 + upto(6));
            }
    p.finish();
    return p;
}

}  // namespace

TEST_CASE("setting a candidate leaves its neighbours only compatible ones, along the whole chain") {
    const SolverProblem p = chain();
    GraphSolver solver = p.solver();
    REQUIRE(solver.propagate());
    CHECK(solver.left(2).count() == 3);
    const auto before = solver.snapshot();
    REQUIRE(solver.set(0, 1));
    for (std::size_t op = 1; op < 3; ++op) {
        CHECK(solver.left(op).count() == 1);
        CHECK(solver.left(op).has(1));
    }
    REQUIRE(solver.rejection(1, 0));
    CHECK(solver.rejection(1, 0)->limit == Limit::FanOut);
    CHECK(solver.rejection(1, 0)->needs == 17);
    CHECK(solver.rejection(1, 0)->edge == 0);
    CHECK_FALSE(solver.rejection(0, 0));  // the user took it away, no edge
    solver.restore(before);
    CHECK(solver.left(2).count() == 3);
    CHECK_FALSE(solver.rejection(1, 0));
}

TEST_CASE("an edge through DRAM lets its ends choose apart") {
    const SolverProblem p = chain();
    GraphSolver solver = p.solver();
    REQUIRE(solver.cut(0));
    REQUIRE(solver.set(0, 1));
    CHECK(solver.left(1).count() == 3);
    REQUIRE(solver.set(1, 2));
    CHECK(solver.left(2).first() == 2);
    CHECK(solver.is_cut(0));
    CHECK_FALSE(solver.is_cut(1));
}

TEST_CASE("an op without candidates is a conflict that names the limit and the edge that needs most") {
    SolverProblem p;
    p.model.sizes = {1, 1, 1};
    p.edges = {{0, 1}, {0, 2}};
    p.model.direct(0, 0, 0, Limit::FanOut, 7);
    p.model.direct(1, 0, 0, Limit::FanOut, 10);
    p.finish();
    GraphSolver solver = p.solver();
    CHECK_FALSE(solver.propagate());
    CHECK(solver.conflict().why.limit == Limit::FanOut);
    CHECK(solver.conflict().why.needs == 17);
    CHECK(solver.conflict().why.available == 16);
    GraphSolver relieved = p.solver();
    relieved.precut(*solver.conflict().why.edge);
    CHECK(relieved.propagate());
}

TEST_CASE("the need of each edge is bounded by the minimum of the others") {
    SolverProblem p;  // two readers of one op; the second has a cheap candidate and a dear one
    p.model.sizes = {1, 1, 2};
    p.edges = {{0, 1}, {0, 2}};
    p.model.direct(0, 0, 0, Limit::FanOut, 10);
    p.model.direct(1, 0, 0, Limit::FanOut, 7);
    p.model.direct(1, 0, 1, Limit::FanOut, 6);
    p.finish();
    GraphSolver solver = p.solver();
    REQUIRE(solver.propagate());
    CHECK(solver.left(0).count() == 1);
    REQUIRE(solver.set(2, 1));
    GraphSolver dear = p.solver();
    CHECK_FALSE(dear.set(2, 0));
}

TEST_CASE("queues and constants of an op count together with those that edges add") {
    SolverProblem p;
    p.model.sizes = {2, 1};
    p.edges = {{0, 1}};
    p.model.alone[{1, 0}][index_of(Limit::DramInputs)] = 30;
    p.model.queue(0, 0, 0, Limit::DramInputs, 10);
    p.model.queue(0, 1, 0, Limit::DramInputs, 9);
    p.finish();
    GraphSolver solver = p.solver();
    REQUIRE(solver.propagate());
    REQUIRE(solver.cut(0));
    auto saved = solver.snapshot();
    CHECK_FALSE(solver.set(0, 0));
    CHECK(solver.conflict().op == 1);
    CHECK(solver.conflict().why.limit == Limit::DramInputs);
    CHECK(solver.conflict().why.needs == 40);
    solver.restore(std::move(saved));
    CHECK(solver.set(0, 1));
}

TEST_CASE("no candidate of a legal choice is ever dropped, and the choice when all are set is legal") {
    std::mt19937 random(4);
    int solvable = 0;
    for (int round = 0; round < 400; ++round) {
        CAPTURE(round);
        const SolverProblem p = random_problem(random);
        std::vector<bool> cut(p.edges.size(), false);
        GraphSolver solver = p.solver();
        for (std::size_t e = 0; e < p.edges.size(); ++e)
            if (random() % 4 == 0) {
                cut[e] = true;
                solver.precut(e);
            }
        std::vector<std::vector<std::size_t>> good;
        for (const auto& choice : all_choices(p.model.sizes))
            if (legal(p, cut, choice)) good.push_back(choice);
        const bool left = solver.propagate();
        if (!good.empty()) {
            ++solvable;
            REQUIRE(left);
        }
        if (!left) continue;
        for (const auto& choice : good)
            for (std::size_t op = 0; op < choice.size(); ++op) REQUIRE(solver.left(op).has(choice[op]));
        // depth first through the solver finds exactly the legal choices
        std::vector<std::vector<std::size_t>> found;
        const std::function<void(std::size_t)> descend = [&](std::size_t op) {
            if (op == p.model.sizes.size()) {
                std::vector<std::size_t> choice;
                for (std::size_t k = 0; k < op; ++k) choice.push_back(solver.left(k).first());
                found.push_back(choice);
                return;
            }
            const auto saved = solver.snapshot();
            for (std::size_t i = 0; i < p.model.sizes[op]; ++i) {
                if (solver.left(op).has(i) && solver.set(op, i)) descend(op + 1);
                solver.restore(saved);
            }
        };
        descend(0);
        REQUIRE(found == good);
    }
    CHECK(solvable > 50);
}

TEST_CASE("ops are impossible when no candidates go together, directly or through DRAM") {
    // a -> b -> c: c reads in few phases only what b makes with candidate 1, and b only what a makes with 0
    SolverProblem p;
    p.model.sizes = {2, 2, 2};
    p.edges = {{0, 1}, {1, 2}};
    const auto phases = [&](std::size_t edge, std::size_t i, std::size_t j) {
        p.model.direct(edge, i, j, Limit::ConsumerPhases, 900);
        p.model.queue(edge, i, j, Limit::ConsumerPhases, 900);
    };
    for (std::size_t j = 0; j < 2; ++j) {
        phases(0, 1, j);
        phases(1, 0, j);
    }
    CHECK_FALSE(are_impossible(p.model, p.edges, {2}));
    CHECK_FALSE(are_impossible(p.model, p.edges, {}));
    p.model.direct(0, 0, 1, Limit::FanOut, 17);
    CHECK_FALSE(are_impossible(p.model, p.edges, {2}));  // through DRAM
    p.model.queue(0, 0, 1, Limit::ConsumerPhases, 863);
    CHECK_FALSE(are_impossible(p.model, p.edges, {2}));  // directly, and no limit is missed both ways
    p.model.direct(0, 0, 1, Limit::ConsumerPhases, 863);
    for (std::size_t op = 0; op < 3; ++op) CHECK(are_impossible(p.model, p.edges, {op}));
    p.model.alone[{2, 0}][index_of(Limit::ConsumerPhases)] = 863;
    CHECK(are_impossible(p.model, {}, {2}) == false);
    p.model.alone[{2, 1}][index_of(Limit::ConsumerPhases)] = 863;
    CHECK(are_impossible(p.model, {}, {2}));
}

TEST_CASE("further impossible ops are found in the same pass, with the ops then left to the host") {
    // a -> b -> c, and d on its own: c cannot read what a makes of b in any way, d not in any case
    SolverProblem p;
    p.model.sizes = {1, 1, 1, 1};
    p.edges = {{0, 1}, {1, 2}};
    p.model.direct(1, 0, 0, Limit::ConsumerPhases, 863);
    p.model.queue(1, 0, 0, Limit::ConsumerPhases, 863);
    p.model.alone[{3, 0}][index_of(Limit::FanOut)] = 17;
    const auto found = [&](const std::set<std::size_t>& on_host, const std::set<std::size_t>& together) {
        std::set<std::size_t> ops;
        const auto with = [&](std::size_t op) { return together.contains(op) ? together : std::set{op}; };
        for (const Conflict& conflict : impossible_ops(p.model, p.edges, on_host, with, p.model.sizes.size()))
            CHECK(ops.insert(conflict.op).second);
        return ops;
    };
    CHECK(found({0}, {}).size() == 2);  // b or c, which then has no such edge, and d
    CHECK(found({0}, {}).contains(3));
    CHECK(found({1}, {}) == std::set<std::size_t>{3});  // what the host makes reaches c through a queue of another kind
    CHECK(found({0}, {1, 2, 3}).size() == 1);           // whichever is refused first, the others go with it
    CHECK(found({1, 3}, {}).empty());
}
