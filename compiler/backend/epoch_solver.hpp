// The candidates of the ops of one epoch, where they lie, and which edges between them go through DRAM.
//
//   a policy's wishes, op by op --GraphSolver--> candidates that go together --placer, buffers--> Epoch
#pragma once

#include <functional>

#include "compiler/backend/edge_limits.hpp"
#include "compiler/backend/placer.hpp"
#include "compiler/backend/routes.hpp"

namespace ttsim::impl::ir {

struct Epoch {
    std::size_t first = 0;                                        ///< of the ops
    std::vector<std::size_t> chosen;                              ///< candidate of each op from `first` on
    std::vector<Place> places;                                    ///< as many
    std::vector<std::int64_t> buffers;                            ///< buf_size_mb, as many
    std::map<std::size_t, double> waiting;                        ///< edge -> slices that wait in its producer
    std::map<std::size_t, std::string> cuts;                      ///< edges through DRAM inside the epoch, and why
    std::vector<std::vector<std::optional<Rejection>>> rejected;  ///< per op and candidate, by the edges
    double target = 0;                                            ///< cycles
    double link_cycles = 0;                                       ///< of the busiest NoC link, per input
    double load_cycles = 0;                                       ///< of its programs, once
    double output_streaming_cycles = 0;                           ///< of the output that takes longest, per input
    std::size_t end() const { return first + chosen.size(); }
};

/// What a policy wants.
struct Wish {
    double target = 0;  ///< cycles that an op should stay within
    /// Candidates of an op, the most wanted first.
    std::function<std::vector<std::size_t>(std::size_t op)> order;
};

class EpochSolver {
public:
    EpochSolver(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget, const ScheduleOptions& options)
        : choices_(choices), costs_(costs), budget_(budget), options_(options) {}

    enum class Failure : std::uint8_t { None, Cores, Edges };
    /// `before`: candidates of all ops before `first`. Nothing when the ops do not fit together: failure() tells why.
    std::optional<Epoch> solve(std::size_t first, std::size_t end, const Wish& wish,
                               const std::vector<std::size_t>& before);
    Failure failure() const { return failure_; }
    /// Why edges forbid the epoch last tried: op, edge, limit, by how much, and what would help.
    [[noreturn]] void refuse() const;

private:
    struct Cuts;
    GraphSolver begin(std::size_t first, std::size_t end, const std::vector<std::size_t>& before) const;
    std::optional<GraphSolver> decide(std::size_t first, std::size_t end, const Wish& wish,
                                      const std::vector<std::size_t>& before, Cuts& cuts);
    std::map<std::size_t, std::string> asked_for(std::size_t first, std::size_t end) const;
    bool decide_op(GraphSolver& solver, std::size_t op, const Wish& wish, Cuts& cuts);
    bool relieve(std::size_t op, const Rejection& why, Cuts& cuts);
    void make_room(const NoRoom& missing, const GraphSolver& solver, Cuts& cuts);
    std::optional<Epoch> finish(const GraphSolver& solver, std::size_t first, std::size_t end, const Wish& wish,
                                Cuts& cuts, bool& again);

    const Choices& choices_;
    const EdgeCosts& costs_;
    const OpBudget& budget_;
    const ScheduleOptions& options_;
    Failure failure_ = Failure::None;
    bool alone_ = false;  ///< the op of the epoch last tried is its only one
    Conflict conflict_;
};

/// That edges allow an op no grid, and what would help. `alone`: it is the only op of its epoch.
Error refusal(const Choices& choices, std::size_t op, const Rejection& why, bool alone, SelfCut self_cut);

/// Throws LegalizationError, as EpochSolver::refuse() does, where an edge is within the limits with no grids of its
/// ops: names the first, and the origins of all such consumers.
void refuse_impossible_edges(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget);

/// What an op asks of the placer.
Rectangle rectangle(const Blocking& blocking, const OpOverride* user);

/// "49 streams from a core, there are 16, most for 'a' -> 'b' (operand 0)" and the like.
std::string to_string(const Rejection& rejection, const Choices& choices);

}  // namespace ttsim::impl::ir
