// State of one run that the engines (functional, SystemC) share.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/thread_pool.hpp"
#include "netlist/plan/plan.hpp"
#include "netlist/program/queue_state.hpp"
#include "netlist/program/training_step.hpp"
#include "sim/inputs/host_inputs.hpp"
#include "sim/state/report.hpp"
#include "sim/state/waiter.hpp"
#include "sim/values/compute.hpp"
#include "sim/values/op_results.hpp"

namespace ttsim::impl::sim {

/// Limit of tasks in flight, which bounds memory. Above it the submitting thread executes tasks itself.
inline constexpr std::size_t max_pending_tasks = 48;

struct RunState {
    const Netlist& netlist;
    const Machine& machine;
    std::vector<ProgramCall> calls;
    Forecast forecast;
    MachineSettings settings;
    ThreadPool& pool;
    bool live = false;  ///< a session: calls, pushes and pops are not known in advance
    EntryStore store;
    HostInputs host;
    struct Prepared {
        std::shared_ptr<const Plan> plan;
        std::unique_ptr<Compute> compute;  // kept until the end of the run, since tasks refer to it
    };
    Saturations saturations;
    std::map<const Op*, SparseCounts> sparse;  // counts of the encodings that are known before the run
    std::map<std::string, Prepared> plans;     // by plan_key()
    std::map<const Queue*, bool> read_by_graph;
    TrainingStep training;  // epoch types of the graphs
    InputRecord input_record;
    std::unique_ptr<OpResults> op_results;  // nullptr unless ops are checked
    RunReport report;

    RunState(const Netlist& n, const Machine& m, std::vector<ProgramCall> c, MachineSettings s, ThreadPool& p);

    const Prepared& prepare(const EpochLaunch& launch);
    /// Appends the call to the stream. In a live run its plans are elaborated first; when that throws, the stream is
    /// unchanged.
    void prepare_call(EpochStream& stream, const ProgramCall& call);
    void prepare_all(EpochStream stream);
    std::shared_ptr<const Plan> plan_of(const EpochLaunch& launch) const;
    void add(Prepared& prepared, std::shared_ptr<const Plan> plan);
    void elaborate_all();  ///< elaborates every plan of the run, so that errors are reported before it starts
    /// The type of the epoch of a graph; nullopt: the netlist does not train.
    std::optional<EpochType> epoch_type(const std::string& graph) const;
    /// Format in which entries that stay until the end of the run are packed, when that is lossless.
    DataFormat retained_format(const Queue& queue) {
        const bool kept = queue.type == QueueType::Queue && !read_by_graph[&queue];
        return kept && settings.numerics == Numerics::Float32 ? queue.df : DataFormat::Invalid;
    }
    bool values() const { return settings.mode != Mode::Timing; }
    /// Drops popped entries from the modelled memory. Kept are entries that no graph reads (the host keeps them) and
    /// those a program may rewind to.
    void forget_popped(const Queue& queue, std::int64_t below);
    /// Whether a program rewinds, or may rewind, to entries that were popped.
    bool may_rewind(const Queue& queue) const;
    void throttle() {
        while (pool.pending() > max_pending_tasks && pool.help()) {
        }
    }
    /// Reads an entry or slot of the store; waits until it is computed.
    Tensor read(const Queue& queue, std::int64_t n);
    /// The graph's part of the report. Invalid once another graph is executed for the first time.
    GraphReport& graph_report(const Graph& graph);
    std::unordered_map<std::string, std::size_t> report_places;  ///< in report.graphs, by name
    /// Reports the number of finished inputs to settings.progress; `parts` also counts fractions of inputs in progress.
    void report_progress(std::int64_t inputs, double parts) const;
    std::vector<Room> exhausted_buffers;  ///< after a hang: buffers that stayed full or empty
};

}  // namespace ttsim::impl::sim
