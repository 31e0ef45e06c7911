// One temporal epoch in flight: the cores, pipes, writers and queue ports of its Plan.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/figures.hpp"
#include "sim/machine/context.hpp"
#include "sim/machine/core.hpp"
#include "sim/machine/pipe_flow.hpp"
#include "sim/machine/writer_flow.hpp"

namespace ttsim::impl::sim {

class Epoch : public Actor, private EpochEvents {
public:
    Epoch(Context& context, const RunState::Prepared& prepared, const EpochLaunch& launch,
          std::map<const Queue*, QueueAccess> access, std::function<void()> finished);

    /// Starts loading the kernels; cores and pipes start when they are loaded.
    void start();

    const Plan& plan() const { return plan_; }
    EpochProbe* probe() const { return probe_; }
    Cycle ended() const { return ended_; }
    std::int64_t inputs() const { return launch_.inputs; }
    const EpochLaunch& launch() const { return launch_; }
    const std::map<const Queue*, QueueAccess>& access() const { return access_; }
    /// Counts the finished inputs and sets the base of the walk's scope to them.
    std::int64_t count_inputs_over();
    std::int64_t inputs_over() const;
    double done_fraction() const;  ///< finished fraction, by output tiles of all cores
    /// Inputs of one period of the walk.
    void set_period(std::int64_t inputs) { scope_.moved = inputs; }
    /// Before a walk over iterations: names its parts, and counts from its first input.
    void begin_iteration_walk(StateWalk& walk);
    void walk(StateWalk& walk);
    /// Iterations were skipped: the epoch is now that of a later launch, in the same state.
    void become(const EpochLaunch& launch, std::map<const Queue*, QueueAccess> access);

    /// Cores and writers that have not finished, in order of the plan.
    std::vector<const Waiter*> unfinished() const;

    void on_event(std::uint32_t what, std::uint64_t argument) override;
    void report(const std::vector<GraphReport*>& graphs) const;
    /// Steady rate, known once the epoch has ended; 0: unknown.
    double inputs_per_second() const { return inputs_per_second_; }

    // --- for debugger, telemetry and trace ---
    Cycle started() const { return started_; }
    bool loaded() const { return loaded_; }
    const std::vector<std::vector<std::unique_ptr<Core>>>& cores() const { return cores_; }  ///< per op of the plan
    const std::vector<std::unique_ptr<PipeFlow>>& pipes() const { return pipes_; }
    const std::vector<std::unique_ptr<WriterFlow>>& writers() const { return writers_; }

private:
    void core_packed(const Core& core) override;
    void core_finished() override;
    void writer_finished() override;
    void entry_written(std::int64_t input) override { finish_input(input); }
    void finish_input(std::int64_t input);
    void note_packed(const Core& core);
    void skip_inputs(std::vector<Cycle>& ends, const StateWalk& walk) const;
    LaunchTimes pace() const;
    void report_training(EpochType type) const;
    void report_graph(GraphReport& graph) const;
    void report_op(GraphReport& graph, std::size_t o) const;
    void walk_history(StateWalk& walk);
    void walk_input_ends(StateWalk& walk);
    void build_queues();
    void build_cores();
    void build_pipes();
    void build_writers();
    void check_finished();

    Context& context_;
    const Plan& plan_;
    EpochLaunch launch_;
    std::map<const Queue*, QueueAccess> access_;
    std::function<void()> finished_;
    StateWalk::Scope scope_;
    EpochView view_;                                         // view of the machine for its components
    EpochProbe* probe_;                                      // nullptr: neither traced nor watched
    std::vector<std::unique_ptr<QueuePort>> ports_;          // per plan queue
    std::vector<std::vector<std::unique_ptr<Core>>> cores_;  // per op
    std::vector<std::unique_ptr<PipeFlow>> pipes_;
    std::vector<std::unique_ptr<WriterFlow>> writers_;
    std::size_t open_cores_ = 0, open_writers_ = 0;
    bool done_ = false, loaded_ = false;
    Cycle started_ = 0, ended_ = 0;
    double inputs_per_second_ = 0;   // steady; 0: unknown
    std::vector<Cycle> input_ends_;  // last entry written, or last pack, of each input
    std::vector<std::vector<Cycle>>
        packed_;  // by graph of the plan and input: cycle in which all its cores have packed it
};

}  // namespace ttsim::impl::sim
