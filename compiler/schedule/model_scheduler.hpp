// From a graph of device ops to a schedule and its netlist, by the policy and with what makes it fit.
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
    std::optional<Graph> graph;  ///< in place of the one that was given
};

/// Of graphs of one model on one device.
class ModelScheduler {
public:
    /// All are kept by reference.
    ModelScheduler(const CompileOptions& options, const OpBudget& budget, const ScheduleOptions& scheduling,
                   const EmitOptions& emit)
        : options_(options), budget_(budget), scheduling_(scheduling), emit_(emit) {}

    /// The schedule of the policy and its netlist. Where the streams of some core need more descriptions than there is
    /// room for, all cores give some of their L1 for them.
    Scheduled schedule(const Graph& graph) const;
    /// What schedule() made of the graph, or of a few other schedules the one that runs quickest on the simulated chip.
    Scheduled quickest_of_few(const Graph& graph, Scheduled made) const;
    /// Of an execute, by the aim; of a schedule that stands still without end.
    double run(const Scheduled& made) const;
    /// A schedule to see what holds up a graph.
    Schedule balanced(const Graph& graph) const;
    /// For choices between two graphs.
    Estimate estimate_of(const Graph& graph) const;
    double estimate(const Graph& graph) const { return estimate_of(graph).cycles; }

private:
    /// make(budget) with the least L1 for more descriptions of streams with which it is not refused. No more of them
    /// help an op that has no room by itself.
    template <class Make>
    std::invoke_result_t<Make, const OpBudget&> with_room(const Graph& graph, Make make) const;
    /// With the effort that the user allows.
    Scheduled searched(const Graph& graph, const OpBudget& budget) const;
    /// Where a fork would wait for another path, with nops between as long as that is quicker.
    Scheduled relieved(const Graph& graph, const OpBudget& budget) const;
    bool quicker(const Schedule& schedule, const EmittedModel& emitted, const Scheduled& than) const;
    std::pair<Schedule, EmittedModel> scheduled(const Graph& graph, const OpBudget& budget) const;
    /// Of an execute, by the aim.
    double simulated(const EmittedModel& emitted) const;
    /// Of an execute of a graph on device level, by the policy most of the variants share.
    double simulated_cycles(const Graph& graph, const OpBudget& budget) const;
    /// Of several schedules, each run on the simulated chip.
    std::pair<Schedule, EmittedModel> quickest(const Graph& graph, const Planner& planner,
                                               const OpBudget& budget) const;

    const CompileOptions& options_;
    const OpBudget& budget_;
    const ScheduleOptions& scheduling_;
    const EmitOptions& emit_;
};

}  // namespace ttsim::impl::ir
