// Schedules a graph of device ops by the policy and emits the netlist, with retries that make it fit.
#pragma once

#include <type_traits>
#include <utility>

#include "compiler/backend/schedule.hpp"
#include "compiler/options/compile_options.hpp"
#include "compiler/schedule/conv_fracture.hpp"

namespace ttsim::impl::ir {

struct Scheduled {
    Schedule schedule;
    EmittedModel emitted;
    std::optional<Graph> graph;  ///< a modified graph that replaces the given one
};

/// Schedules graphs of one model on one device.
class ModelScheduler {
public:
    /// Keeps references to all arguments.
    ModelScheduler(const CompileOptions& options, const OpBudget& budget, const ScheduleOptions& scheduling,
                   const EmitOptions& emit)
        : options_(options), budget_(budget), scheduling_(scheduling), emit_(emit) {}

    /// The schedule of the policy and its netlist. If some core needs more stream descriptions than fit, part of the L1
    /// of all cores is reserved for them.
    Scheduled schedule(const Graph& graph) const;
    /// The fastest of the given schedule and a few others on the simulated chip.
    Scheduled quickest_of_few(const Graph& graph, Scheduled made) const;
    /// Simulated cycles of an execute, by objective; infinite for a schedule that hangs.
    double run(const Scheduled& made) const;
    /// A schedule that shows the bottlenecks of a graph.
    Schedule balanced(const Graph& graph) const;
    /// Estimate for choices between graphs.
    Estimate estimate_of(const Graph& graph) const;
    double estimate(const Graph& graph) const { return estimate_of(graph).cycles; }

private:
    /// make(budget) with the least L1 for stream descriptions that suffices. Not retried if an op fits on no grid.
    template <class Make>
    std::invoke_result_t<Make, const OpBudget&> with_overlay_space(const Graph& graph, Make make) const;
    /// Schedules with the user's effort.
    Scheduled search_schedule(const Graph& graph, const OpBudget& budget) const;
    /// Inserts nops at held forks as long as that is faster.
    Scheduled without_blocked_forks(const Graph& graph, const OpBudget& budget) const;
    bool is_faster(const Schedule& schedule, const EmittedModel& emitted, const Scheduled& than) const;
    std::pair<Schedule, EmittedModel> scheduled(const Graph& graph, const OpBudget& budget) const;
    /// Simulated cycles of an execute, by objective.
    double simulated(const EmittedModel& emitted) const;
    /// Simulated cycles of an execute of a device-level graph, scheduled by the balanced policy.
    double simulated_cycles(const Graph& graph, const OpBudget& budget) const;
    /// The fastest of several schedules on the simulated chip.
    std::pair<Schedule, EmittedModel> quickest(const Graph& graph, const Planner& planner,
                                               const OpBudget& budget) const;

    const CompileOptions& options_;
    const OpBudget& budget_;
    const ScheduleOptions& scheduling_;
    const EmitOptions& emit_;
};

}  // namespace ttsim::impl::ir
