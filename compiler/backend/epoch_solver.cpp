#include "compiler/backend/epoch_solver.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/parallel.hpp"
#include "compiler/ir/legalization_error.hpp"

namespace ttsim::impl::ir {

namespace {

std::string edge_text(const Choices& choices, std::size_t edge) {
    const SolverEdge& e = choices.edges[edge];
    return fmt::format("'{}' -> '{}' (operand {})", choices.name(e.producer), choices.name(e.consumer),
                       choices.details[edge].operand);
}

}  // namespace

Rectangle rectangle(const Blocking& blocking, const OpOverride* user) {
    Rectangle r{.height = blocking.grid_r, .width = blocking.grid_c, .fixed = std::nullopt};
    if (!user) return r;
    r.may_transpose = !user->transpose;
    r.must_transpose = user->transpose.value_or(false);
    if (user->place) r.fixed = Place{user->place->first, user->place->second, r.must_transpose};
    return r;
}

/// The epoch's edges that go through DRAM.
struct EpochSolver::Cuts {
    std::size_t first = 0, end = 0;
    std::map<std::size_t, std::string> why;                      // reason per cut edge
    std::vector<std::pair<std::size_t, std::size_t>> forbidden;  // candidates without room for waiting slices
    bool inside(const SolverEdge& edge) const { return edge.producer >= first && edge.consumer < end; }
    /// Whether the edge that rejects a candidate can still be cut.
    bool open(const Rejection& rejection, const Choices& choices) const {
        return rejection.edge && inside(choices.edges[*rejection.edge]) && !why.count(*rejection.edge);
    }
};

std::string to_string(const Rejection& rejection, const Choices& choices) {
    std::string text =
        rejection.limit == Limit::SliceBuffer
            ? fmt::format("{} B of L1 too much for slices that wait in the producer's buffer", rejection.needs)
            : fmt::format("{} {}, there are {}", rejection.needs, to_string(rejection.limit), rejection.available);
    if (rejection.edge) text += ", most for " + edge_text(choices, *rejection.edge);
    return text;
}

/// The solver for the epoch's ops with their direct edges, and their edges through DRAM to earlier epochs (whose
/// candidates are fixed) and later ones (which must keep a candidate).
GraphSolver EpochSolver::begin(std::size_t first, std::size_t end, const std::vector<std::size_t>& before) const {
    std::vector<std::size_t> active;
    std::set<std::size_t> later, earlier, ops;
    for (std::size_t op = first; op < end; ++op) {
        ops.insert(op);
        for (const std::size_t e : choices_.from[op])
            if (choices_.edges[e].consumer >= end) later.insert(choices_.edges[e].consumer);
    }
    const auto reads = [&](std::size_t op) {
        for (const std::size_t e : choices_.into[op]) {
            if (choices_.edges[e].producer >= end) continue;
            active.push_back(e);
            if (choices_.edges[e].producer < first) earlier.insert(choices_.edges[e].producer);
        }
    };
    for (std::size_t op = first; op < end; ++op) reads(op);
    for (const std::size_t op : later) reads(op);
    ops.insert(later.begin(), later.end());
    ops.insert(earlier.begin(), earlier.end());
    GraphSolver solver(costs_, choices_.edges, active, {ops.begin(), ops.end()});
    for (const std::size_t op : earlier) solver.preset(op, before[op]);
    for (const std::size_t e : active)
        if (choices_.edges[e].producer < first || choices_.edges[e].consumer >= end) solver.precut(e);
    return solver;
}

/// Edges that overrides send through DRAM.
std::map<std::size_t, std::string> EpochSolver::user_cuts(std::size_t first, std::size_t end) const {
    std::map<std::size_t, std::string> cuts;
    for (std::size_t op = first; op < end; ++op) {
        const OpOverride* user = choices_.ops[op].user;
        if (!user) continue;
        for (const std::size_t e : choices_.into[op]) {
            const auto operand = static_cast<std::int64_t>(choices_.details[e].operand);
            const bool queued = std::find(user->queued.begin(), user->queued.end(), operand) != user->queued.end();
            if (queued && choices_.edges[e].producer >= first) cuts[e] = "an override requests a queue";
        }
    }
    return cuts;
}

std::optional<Epoch> EpochSolver::solve(std::size_t first, std::size_t end, const Preference& preference,
                                        const std::vector<std::size_t>& before) {
    failure_ = Failure::None;
    alone_ = end - first == 1;
    Cuts cuts{first, end, user_cuts(first, end), {}};
    for (bool again = true; again;) {
        auto solver = decide(first, end, preference, before, cuts);
        if (!solver) {
            failure_ = Failure::Edges;
            return std::nullopt;
        }
        auto epoch = finish(*solver, first, end, preference, cuts, again);
        if (!again) return epoch;
    }
    return std::nullopt;
}

/// Chooses a candidate for every op. If edges prevent that, they are cut and the search restarts.
std::optional<GraphSolver> EpochSolver::decide(std::size_t first, std::size_t end, const Preference& preference,
                                               const std::vector<std::size_t>& before, Cuts& cuts) {
    const GraphSolver blank = begin(first, end, before);
    while (true) {
        GraphSolver solver = blank;
        for (const auto& [edge, why] : cuts.why) solver.precut(edge);
        const std::size_t known = cuts.why.size();
        if (!solver.propagate()) {
            conflict_ = solver.conflict();
            if (!cut_for(conflict_.op, conflict_.why, cuts)) return std::nullopt;
            continue;
        }
        bool done = true;
        for (const auto& [op, i] : cuts.forbidden) done = done && (!solver.left(op).has(i) || solver.forbid(op, i));
        if (!done) return std::nullopt;
        for (std::size_t op = first; op < end && done; ++op) done = choose_candidate(solver, op, preference, cuts);
        if (done) return solver;
        if (cuts.why.size() == known) return std::nullopt;
    }
}

/// Sets the best remaining candidate of an op. False if edges must be cut first, or nothing helps.
bool EpochSolver::choose_candidate(GraphSolver& solver, std::size_t op, const Preference& preference, Cuts& cuts) {
    const auto& fitting = choices_.ops[op].choice.fitting;
    std::optional<Rejection> blocker;  // rejection of the first candidate that meets the target
    for (const std::size_t i : preference.order(op)) {
        const bool meets = fitting[i].cycles <= preference.target;
        // an edge through DRAM is better than an op that slows down all others
        if (!meets && blocker && cuts.open(*blocker, choices_) && cut_for(op, *blocker, cuts)) return false;
        if (!meets) blocker.reset();
        if (!solver.left(op).has(i)) {
            if (meets && !blocker) blocker = solver.rejection(op, i);
            continue;
        }
        auto saved = solver.snapshot();
        if (solver.set(op, i)) return true;
        conflict_ = solver.conflict();
        solver.restore(std::move(saved));
        if (meets && !blocker) blocker = conflict_.why;
        if (solver.forbid(op, i)) continue;
        conflict_ = solver.conflict();
        break;
    }
    cut_for(conflict_.op, conflict_.why, cuts);
    return false;
}

/// Cuts edges, as the self-cut option allows, for an op without candidates. False if there is none to cut.
bool EpochSolver::cut_for(std::size_t op, const Rejection& why, Cuts& cuts) {
    if (options_.self_cut == SelfCut::None) return false;
    const bool users_first = options_.self_cut == SelfCut::ProducerUserEdgesFirst;
    if (cuts.open(why, choices_))
        op = users_first ? choices_.edges[*why.edge].producer : choices_.edges[*why.edge].consumer;
    const auto open = [&](const std::vector<std::size_t>& edges) {
        std::vector<std::size_t> all;
        for (const std::size_t e : edges)
            if (cuts.inside(choices_.edges[e]) && !cuts.why.count(e)) all.push_back(e);
        // the rejecting edge first
        std::stable_partition(all.begin(), all.end(), [&](std::size_t e) { return why.edge && e == *why.edge; });
        return all;
    };
    const std::vector<std::size_t> operands = open(choices_.into[op]), users = open(choices_.from[op]);
    std::vector<std::size_t> chosen = users_first ? users : operands;
    if (chosen.empty()) chosen = users_first ? operands : users;
    if (chosen.empty()) return false;
    if (options_.self_cut != SelfCut::FastCut) chosen.erase(chosen.begin() + 1, chosen.end());
    for (const std::size_t e : chosen) cuts.why[e] = to_string(why, choices_);
    return true;
}

/// Cuts the edge, or if that is not allowed forbids the producer's candidate.
void EpochSolver::make_room(const NoRoom& missing, const GraphSolver& solver, Cuts& cuts) {
    const SolverEdge& edge = choices_.edges[missing.edge];
    conflict_ = {edge.consumer, {Limit::SliceBuffer, missing.bytes_over, 0, missing.edge}};
    if (cut_for(conflict_.op, conflict_.why, cuts)) return;
    cuts.forbidden.emplace_back(edge.producer, solver.left(edge.producer).first());
}

/// Computes places and buffers. `again`: a buffer has no room, so its edge was cut and the search must restart.
std::optional<Epoch> EpochSolver::finish(const GraphSolver& solver, std::size_t first, std::size_t end,
                                         const Preference& preference, Cuts& cuts, bool& again) {
    again = false;
    Epoch epoch;
    epoch.first = first;
    epoch.target = preference.target;
    std::vector<Rectangle> rectangles;
    std::vector<RoutedOp> routed;
    std::int64_t cores = 0;
    for (std::size_t op = first; op < end; ++op) {
        const std::size_t i = solver.left(op).first();
        const Candidate& candidate = choices_.ops[op].choice.fitting[i];
        epoch.chosen.push_back(i);
        rectangles.push_back(rectangle(candidate.blocking, choices_.ops[op].user));
        routed.push_back({&costs_.candidate_op(op, i), &candidate, i});
        cores += candidate.blocking.cores();
    }
    failure_ = Failure::Cores;
    if (cores > budget_.rows * budget_.cols) return std::nullopt;
    auto places = place(rectangles, budget_.rows, budget_.cols);
    if (!places) return std::nullopt;
    epoch.places = std::move(*places);
    std::vector<bool> cut(choices_.edges.size(), false);
    for (const auto& [edge, why] : cuts.why) cut[edge] = true;
    Routes routes = route(choices_, costs_, routed, first, cut);
    for (const NoRoom& missing : routes.no_room)
        if (!cuts.why.count(missing.edge)) {
            make_room(missing, solver, cuts);
            again = true;
        }
    if (again) return std::nullopt;
    failure_ = Failure::None;
    epoch.buffers = std::move(routes.buffers);
    epoch.waiting = std::move(routes.waiting);
    epoch.output_streaming_cycles = routes.output_streaming_cycles;
    epoch.cuts = cuts.why;
    for (std::size_t op = first; op < end; ++op) {
        epoch.rejected.emplace_back();
        for (std::size_t i = 0; i < solver.left(op).size(); ++i)
            epoch.rejected.back().push_back(solver.rejection(op, i));
    }
    return epoch;
}

Error refusal(const Choices& choices, std::size_t at, const Rejection& why, bool alone, SelfCut self_cut) {
    const OpChoices& op = choices.ops[at];
    std::vector<std::string> help;
    if (self_cut == SelfCut::None) help.push_back("another --self-cut");
    std::vector<std::size_t> ends{at};
    if (why.edge) {
        ends = {choices.edges[*why.edge].producer, choices.edges[*why.edge].consumer};
        if (!alone) help.push_back(fmt::format("an epoch_break at '{}'", choices.name(ends.back())));
    }
    for (const std::size_t end : ends)
        if (choices.ops[end].user && choices.ops[end].user->size)
            help.push_back(fmt::format("no override of the size of '{}'", choices.name(end)));
    if (help.empty()) help.push_back("a tensor of other sizes");
    return {Fault::Unsupported, op.op.cfg.loc,
            fmt::format("op '{}' has no grid that is compatible with its neighbours' grids: {}, {} too much; what "
                        "would help: {}",
                        op.op.name(), to_string(why, choices), why.needs - why.available, fmt::join(help, "; or "))};
}

void EpochSolver::refuse() const {
    throw LegalizationError(refusal(choices_, conflict_.op, conflict_.why, alone_, options_.self_cut),
                            {choices_.graph->nodes[choices_.ops[conflict_.op].node].origin});
}

void refuse_impossible_edges(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget) {
    std::vector<std::optional<Rejection>> why(choices.edges.size());
    parallel_for(budget.threads, why.size(), [&](std::size_t e) { why[e] = costs.impossible(e); });
    std::vector<std::pair<std::string, Error>> refused;
    for (std::size_t e = 0; e < why.size(); ++e) {
        if (!why[e]) continue;
        const std::size_t op = choices.edges[e].consumer;
        refused.emplace_back(choices.graph->nodes[choices.ops[op].node].origin,
                             refusal(choices, op, *why[e], true, SelfCut::ConsumerOperandEdgesFirst));
    }
    if (!refused.empty()) throw LegalizationError(refused);
}

}  // namespace ttsim::impl::ir
