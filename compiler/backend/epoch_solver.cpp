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
    std::map<std::size_t, std::string> why;                        // reason per cut edge
    std::vector<std::pair<std::size_t, std::size_t>> forbidden{};  // candidates without room for waiting slices
    std::vector<std::pair<std::size_t, std::size_t>> narrow{};     // candidates of widen_producer()
    bool may_widen = true;
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
    Cuts cuts{first, end, user_cuts(first, end)};
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

/// Chooses a candidate for every op. If edges prevent that, they are cut or their producers widened, and the search
/// restarts.
std::optional<GraphSolver> EpochSolver::decide(std::size_t first, std::size_t end, const Preference& preference,
                                               const std::vector<std::size_t>& before, Cuts& cuts) {
    const GraphSolver blank = begin(first, end, before);
    while (true) {
        GraphSolver solver = blank;
        for (const auto& [edge, why] : cuts.why) solver.precut(edge);
        const std::size_t known = cuts.why.size() + cuts.narrow.size();
        if (!solver.propagate()) {
            conflict_ = solver.conflict();
            if (!cut_for(conflict_.op, conflict_.why, cuts)) return std::nullopt;
            continue;
        }
        const auto forbid = [&](const auto& candidates) {
            return std::ranges::all_of(candidates, [&](const auto& c) {
                return !solver.left(c.first).has(c.second) || solver.forbid(c.first, c.second);
            });
        };
        if (!forbid(cuts.forbidden)) return std::nullopt;
        bool done = forbid(cuts.narrow);
        const bool wide = done;
        for (std::size_t op = first; op < end && done; ++op) done = choose_candidate(solver, op, preference, cuts);
        if (done) return solver;
        if (wide && cuts.why.size() + cuts.narrow.size() != known) continue;
        if (cuts.narrow.empty()) return std::nullopt;
        cuts.narrow.clear();  // no grids fit together without these candidates
        cuts.may_widen = false;
    }
}

/// Clocks per input of an edge through DRAM if its producer has candidate i: each core writes one buffer, and a memory
/// serves both the writes and the reads of its buffers.
double EpochSolver::queue_cycles(std::size_t edge, std::size_t i) const {
    const OpChoices& producer = choices_.ops[choices_.edges[edge].producer];
    const ChipParams& chip = *budget_.chip;
    const std::int64_t memories = static_cast<std::int64_t>(chip.dram.size()) * chip.dram_blocks;
    const OpConfig& cfg = producer.op.cfg;
    const double bytes = static_cast<double>(cfg.out.shape().tiles() * cfg.out_tile_bytes()) /
                         static_cast<double>(std::min(memories, producer.choice.fitting[i].blocking.cores()));
    return bytes / chip.timing.dram_read_bytes + bytes / chip.timing.dram_write_bytes;
}

/// Excludes candidates of an edge's producer, so that it has one that meets the target and allows candidate `wanted` of
/// the consumer. False if there is none.
bool EpochSolver::widen_producer(const GraphSolver& solver, const Rejection& why, std::size_t wanted,
                                 const Preference& preference, Cuts& cuts) const {
    const std::size_t producer = choices_.edges[*why.edge].producer;
    if (!cuts.may_widen || producer < cuts.first || !of_producer(why.limit)) return false;
    const auto& fitting = choices_.ops[producer].choice.fitting;
    const auto limit = static_cast<std::size_t>(why.limit);
    std::vector<std::pair<std::size_t, std::size_t>> narrow;
    const auto cost = [&](std::size_t i) { return costs_.cost(*why.edge, true, i, wanted)[limit]; };
    const std::int64_t now = cost(solver.left(producer).first());
    for (const std::size_t i : preference.order(producer)) {
        if (fitting[i].cycles > preference.target) return false;
        if (std::ranges::count(cuts.narrow, std::pair(producer, i)) > 0) continue;
        if (cost(i) < now && cost(i) <= costs_.limits()[limit]) {
            cuts.narrow.insert(cuts.narrow.end(), narrow.begin(), narrow.end());
            return !narrow.empty();
        }
        narrow.emplace_back(producer, i);
    }
    return false;
}

/// Sets the best remaining candidate of an op. False if edges must be cut or producers widened first, or nothing helps.
bool EpochSolver::choose_candidate(GraphSolver& solver, std::size_t op, const Preference& preference, Cuts& cuts) {
    const auto& fitting = choices_.ops[op].choice.fitting;
    std::optional<Rejection> blocker;  // rejection of the first candidate that meets the target
    std::size_t blocked = 0;           // that candidate
    // Whether an edge through DRAM is better than candidate i, which slows down all other ops.
    const auto cut_is_quicker = [&](std::size_t i) {
        const std::size_t producer = choices_.edges[*blocker->edge].producer;
        const double queue = queue_cycles(*blocker->edge, producer == op ? blocked : solver.left(producer).first());
        return queue <= std::max(preference.target, fitting[i].cycles);
    };
    for (const std::size_t i : preference.order(op)) {
        const bool meets = fitting[i].cycles <= preference.target;
        if (!meets && blocker && cuts.open(*blocker, choices_)) {
            if (cut_is_quicker(i)) {
                if (cut_for(op, *blocker, cuts)) return false;
            } else if (choices_.edges[*blocker->edge].consumer == op &&
                       widen_producer(solver, *blocker, blocked, preference, cuts)) {
                return false;
            }
        }
        if (!meets && (!blocker || !cuts.open(*blocker, choices_))) blocker.reset();
        if (!solver.left(op).has(i)) {
            if (meets && !blocker) {
                blocker = solver.rejection(op, i);
                blocked = i;
            }
            continue;
        }
        auto saved = solver.snapshot();
        if (solver.set(op, i)) return true;
        conflict_ = solver.conflict();
        solver.restore(std::move(saved));
        if (meets && !blocker) {
            blocker = conflict_.why;
            blocked = i;
        }
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
    for (const auto& [edge, why] : cuts.why)
        epoch.queue_cycles =
            std::max(epoch.queue_cycles, queue_cycles(edge, epoch.chosen[choices_.edges[edge].producer - first]));
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
