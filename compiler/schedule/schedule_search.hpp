// Searches a schedule by running candidates on the simulated chip.
//
//   schedules of several policies -> their epochs, measured -> the fastest sequence of measured epochs
//     -> one mutation per epoch, all measured by one run -> ...
//
// The budget is a number of runs, so that the result is deterministic.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/backend/schedule.hpp"
#include "compiler/options/compile_options.hpp"
#include "compiler/schedule/epoch_moves.hpp"
#include "compiler/schedule/epoch_pool.hpp"

namespace ttsim::impl::ir {

class ScheduleSearch {
public:
    /// Keeps references to all arguments. CompileOptions::simulate runs a netlist.
    ScheduleSearch(const Graph& graph, const Planner& planner, const OpBudget& budget, const CompileOptions& options,
                   const EmitOptions& emit);

    /// Runs the schedule of a policy. Throws Error(Unsupported) if it has none.
    void attempt(const ScheduleOptions& variant);
    /// Runs the best schedule with ublocks by rows.
    void attempt_rows();
    /// Searches until this many runs in total, with those of attempt(), or until nothing is left to try.
    void improve(std::int64_t most_runs);
    std::int64_t runs() const { return runs_; }
    /// The best schedule. Throws Error(Hang) if every schedule hung.
    std::pair<Schedule, EmittedModel> take();

private:
    /// New epochs, and the old ones as fallback if they do not fit.
    struct Slot {
        std::vector<EpochRequest> moved, kept;
    };
    struct Best {
        Schedule schedule;
        EmittedModel emitted;
        ScheduleOptions options;
        double cycles = 0, sum = 0;  ///< by objective; sum over epochs
    };
    bool run(Schedule schedule, const ScheduleOptions& options, const std::string& what);
    double objective(const SimulatedRun& run) const;
    bool run_best_sequence(const EpochSequence& sequence);
    std::vector<Slot> mutate(const EpochSequence& sequence, std::int64_t round);
    std::optional<Schedule> made(const std::vector<Slot>& slots) const;

    const Graph& graph_;
    const Planner& planner_;
    const OpBudget& budget_;
    const CompileOptions& options_;
    const EmitOptions& emit_;
    EpochPool pool_;
    EpochMoves moves_;
    std::optional<Best> best_;
    std::optional<Error> failure_;
    std::set<std::vector<std::size_t>> ran_;  // keys of schedules that ran: epochs and candidates
    std::vector<std::string> steps_;
    std::int64_t runs_ = 0;
};

}  // namespace ttsim::impl::ir
