// Chooses candidates and places of the ops of one epoch, and the edges that go through DRAM.
//
//   a policy's preferences, op by op --GraphSolver--> compatible candidates --placer, buffers--> Epoch
#pragma once

#include <functional>

#include "compiler/backend/edge_limits.hpp"
#include "compiler/backend/placer.hpp"
#include "compiler/backend/routes.hpp"

namespace ttsim::impl::ir {

struct Epoch {
    std::size_t first = 0;                                        ///< first op
    std::vector<std::size_t> chosen;                              ///< candidate of each op from `first` on
    std::vector<Place> places;                                    ///< per op
    std::vector<std::int64_t> buffers;                            ///< buf_size_mb per op
    std::map<std::size_t, double> waiting;                        ///< edge -> slices that wait in the producer's buffer
    std::map<std::size_t, std::string> cuts;                      ///< edges through DRAM inside the epoch, with reasons
    std::vector<std::vector<std::optional<Rejection>>> rejected;  ///< per op and candidate
    double target = 0;                                            ///< cycles
    double link_cycles = 0;                                       ///< of the busiest NoC link, per input
    double load_cycles = 0;                                       ///< to load its programs, once
    double output_streaming_cycles = 0;                           ///< of the slowest output, per input
    double queue_cycles = 0;                                      ///< of the slowest edge through DRAM, per input
    std::size_t end() const { return first + chosen.size(); }
};

/// A policy's target and ranking of candidates.
struct Preference {
    double target = 0;  ///< cycles that an op should not exceed
    /// Candidates of an op, best first.
    std::function<std::vector<std::size_t>(std::size_t op)> order;
};

class EpochSolver {
public:
    EpochSolver(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget, const ScheduleOptions& options)
        : choices_(choices), costs_(costs), budget_(budget), options_(options) {}

    enum class Failure : std::uint8_t { None, Cores, Edges };
    /// `before`: candidates of all ops before `first`. nullopt if the ops do not fit; see failure().
    std::optional<Epoch> solve(std::size_t first, std::size_t end, const Preference& preference,
                               const std::vector<std::size_t>& before);
    Failure failure() const { return failure_; }
    /// Throws the error for the last epoch that edges forbade: op, edge, limit, excess and remedies.
    [[noreturn]] void refuse() const;

private:
    struct Cuts;
    GraphSolver begin(std::size_t first, std::size_t end, const std::vector<std::size_t>& before) const;
    std::optional<GraphSolver> decide(std::size_t first, std::size_t end, const Preference& preference,
                                      const std::vector<std::size_t>& before, Cuts& cuts);
    std::map<std::size_t, std::string> user_cuts(std::size_t first, std::size_t end) const;
    bool choose_candidate(GraphSolver& solver, std::size_t op, const Preference& preference, Cuts& cuts);
    double queue_cycles(std::size_t edge, std::size_t i) const;
    bool widen_producer(const GraphSolver& solver, const Rejection& why, std::size_t wanted,
                        const Preference& preference, Cuts& cuts) const;
    bool cut_for(std::size_t op, const Rejection& why, Cuts& cuts);
    void make_room(const NoRoom& missing, const GraphSolver& solver, Cuts& cuts);
    std::optional<Epoch> finish(const GraphSolver& solver, std::size_t first, std::size_t end,
                                const Preference& preference, Cuts& cuts, bool& again);

    const Choices& choices_;
    const EdgeCosts& costs_;
    const OpBudget& budget_;
    const ScheduleOptions& options_;
    Failure failure_ = Failure::None;
    bool alone_ = false;  ///< the last epoch has only one op
    Conflict conflict_;
};

/// The error that edges allow no grid of an op, with remedies. `alone`: it is the only op of its epoch.
Error refusal(const Choices& choices, std::size_t op, const Rejection& why, bool alone, SelfCut self_cut);

/// Throws LegalizationError if no grids of its ops keep an edge within the limits. The message is about the first such
/// edge; the error has the origins of all such consumers.
void refuse_impossible_edges(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget);

/// The rectangle of cores that an op needs.
Rectangle rectangle(const Blocking& blocking, const OpOverride* user);

/// For example "49 streams from a core, there are 16, most for 'a' -> 'b' (operand 0)".
std::string to_string(const Rejection& rejection, const Choices& choices);

}  // namespace ttsim::impl::ir
