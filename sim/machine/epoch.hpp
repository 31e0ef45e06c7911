// One temporal epoch in flight: the cores, pipes, writers and queue ports of its Plan.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/machine/core.hpp"
#include "sim/machine/pipe_flow.hpp"
#include "sim/machine/writer_flow.hpp"

namespace tt::sim {

class Epoch : public Actor {
public:
    Epoch(Context& context, const RunState::Prepared& prepared, const EpochLaunch& launch,
          std::map<const Queue*, QueueAccess> access, std::function<void()> finished);

    /// Kernels load, then everything starts.
    void start();

    // --- what its parts reach through it ---
    Cycle now() const { return context_.now; }
    void schedule(std::int64_t chip, Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument = 0) {
        context_.board.chip(chip).calendar().at(when, actor, what, argument);
    }
    Board& board() { return context_.board; }
    const Plan& plan() const { return plan_; }
    const Compute& compute() const { return compute_; }
    EntryStore& store() { return context_.state.store; }
    void close(const EntrySpan& entry, const Queue& queue) {
        context_.state.store.close(entry, context_.state.pool, context_.state.keep_as(queue));
    }
    OpResults* op_results() { return context_.state.op_results.get(); }  ///< nullptr: nobody wants them
    /// Number of the result that the epoch's first input makes of an op of its plan.
    std::int64_t first_result(const PlanOp& op) const { return first_results_.at(op.graph); }
    const PipeMechanisms& mechanisms() const { return context_.state.settings.pipes; }
    /// From a block that is packed, and that all forks may send, to its first tile leaving.
    Cycle block_time(std::int64_t chip, std::size_t forks) const;
    bool values() const { return context_.state.values(); }
    bool wants_input_times(const PlanOp& op) const { return context_.state.input_record.wanted(*op.graph); }
    EpochProbe* probe() const { return probe_; }
    Cycle ended() const { return ended_; }
    void throttle() { context_.state.throttle(); }
    std::int64_t inputs() const { return launch_.inputs; }
    const EpochLaunch& launch() const { return launch_; }
    const std::map<const Queue*, QueueAccess>& access() const { return access_; }
    const QueueAccess& access(const Queue& queue) const { return access_.at(&queue); }
    QueuePort& port(const Queue& queue);
    const StateWalk::Scope& scope() const { return scope_; }
    /// Sets the scope: to the inputs that are over now, and what lay between an earlier such number and the present.
    std::int64_t count_inputs_over();
    std::int64_t inputs_over() const;
    double share_done() const;  ///< of its cores' output tiles
    void set_period(std::int64_t inputs) { scope_.moved = inputs; }
    void walk(StateWalk& walk);

    void core_packed(const Core& core);
    void core_finished();
    void writer_finished();
    void entry_written(const QueuePort& port, std::int64_t input);
    /// For wait-for chains: a writer or reader of the queue in this epoch that has not finished; nullptr otherwise.
    const Waiter* writer_of(const QueuePort& port) const;
    const Waiter* reader_of(const QueuePort& port) const;
    /// Parts that have not finished, in order of the plan.
    std::vector<const Waiter*> unfinished() const;

    void on_event(std::uint32_t what, std::uint64_t argument) override;
    void report(const std::vector<GraphReport*>& graphs) const;

private:
    void input_over(std::int64_t input);
    void note_packed(const Core& core);
    void skip_inputs(std::vector<Cycle>& ends, const StateWalk& walk) const;
    void report_graph(GraphReport& graph) const;
    void report_op(GraphReport& graph, std::size_t o) const;
    void walk_input_ends(StateWalk& walk);
    void build_pipes();
    void check_finished();

    Context& context_;
    const Plan& plan_;
    const Compute& compute_;
    EpochLaunch launch_;
    std::map<const Queue*, QueueAccess> access_;
    std::function<void()> finished_;
    std::map<const Graph*, std::int64_t> first_results_;     // with --check ops
    EpochProbe* probe_;                                      // nullptr: nobody traces
    std::vector<std::unique_ptr<QueuePort>> ports_;          // per plan queue
    std::vector<std::vector<std::unique_ptr<Core>>> cores_;  // per op
    std::vector<std::unique_ptr<PipeFlow>> pipes_;
    std::vector<std::unique_ptr<WriterFlow>> writers_;
    std::size_t open_cores_ = 0, open_writers_ = 0;
    bool done_ = false;
    Cycle started_ = 0, ended_ = 0;
    StateWalk::Scope scope_;
    std::vector<Cycle> input_ends_;           // last entry written, or last pack, of each input
    std::vector<std::vector<Cycle>> packed_;  // by graph of the plan and input: by all its cores
};

}  // namespace tt::sim
