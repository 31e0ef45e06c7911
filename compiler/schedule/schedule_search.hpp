// The search for a schedule on the simulated chip.
//
//   schedules of several policies -> their epochs, measured -> the quickest way put together of these
//     -> one change in every epoch, all measured by one run -> ...
//
// Every run counts against the budget, so that the result depends on nothing else.
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
    /// All are kept by reference. `simulate`: runs a netlist.
    ScheduleSearch(const Graph& graph, const Planner& planner, const OpBudget& budget, const CompileOptions& options,
                   const EmitOptions& emit);

    /// Runs the schedule of a policy. Throws Error(Unsupported) when it has none.
    void attempt(const ScheduleOptions& variant);
    /// The same by rows.
    void attempt_rows();
    /// Until so many runs were made, those of attempt() included, or nothing is left to try.
    void improve(std::int64_t most_runs);
    std::int64_t runs() const { return runs_; }
    /// The best that ran. Throws Error(Hang) when every schedule stood still.
    std::pair<Schedule, EmittedModel> take();

private:
    /// Epochs to make, and what to keep where they do not fit.
    struct Slot {
        std::vector<EpochWish> moved, kept;
    };
    struct Best {
        Schedule schedule;
        EmittedModel emitted;
        ScheduleOptions options;
        double cycles = 0, sum = 0;  ///< by the aim; of the epochs
    };
    bool run(Schedule schedule, const ScheduleOptions& options, const std::string& what);
    double judged(const SimulatedRun& run) const;
    bool put_together(const Way& way);
    std::vector<Slot> changed(const Way& way, std::int64_t round);
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
    std::set<std::vector<std::size_t>> ran_;  // ways, by ends of epochs and candidates
    std::vector<std::string> steps_;
    std::int64_t runs_ = 0;
};

}  // namespace ttsim::impl::ir
