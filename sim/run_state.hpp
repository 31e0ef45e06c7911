// What the engines (functional, SystemC) share for one run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "netlist/plan/plan.hpp"
#include "netlist/program/queue_state.hpp"
#include "sim/checks/op_results.hpp"
#include "sim/hang/remedy.hpp"
#include "sim/inputs/host_inputs.hpp"
#include "sim/run.hpp"
#include "sim/values/compute.hpp"

namespace ttsim::impl::sim {

/// Tasks in flight beyond which the submitting thread works instead of running ahead: bounds memory.
inline constexpr std::size_t most_pending_tasks = 48;

struct RunState {
    const Netlist& netlist;
    const Machine& machine;
    std::vector<ProgramCall> calls;
    Forecast forecast;
    MachineSettings settings;
    ThreadPool& pool;
    bool live = false;  ///< nothing is forecast: calls, pushes and pops come as somebody makes them
    EntryStore store;
    HostInputs host;
    struct Prepared {
        std::shared_ptr<const Plan> plan;
        std::unique_ptr<Compute> compute;  // tasks refer to it: lives as long as the run
    };
    Saturations saturations;
    std::map<const Op*, SparseCounts> sparse;  // of encodings known before the run
    std::map<std::string, Prepared> plans;     // by plan_key()
    std::map<const Queue*, bool> read_by_graph;
    InputRecord input_record;
    std::unique_ptr<OpResults> op_results;  // nullptr unless ops are checked
    RunReport report;

    RunState(const Netlist& n, const Machine& m, std::vector<ProgramCall> c, MachineSettings s, ThreadPool& p);

    const Prepared& prepare(const EpochLaunch& launch);
    /// Adds the call to those the stream holds. In a live run the plans it needs are made first: throws when one cannot
    /// be made, and the stream is as before.
    void prepare_call(EpochStream& stream, const ProgramCall& call);
    void prepare_all(EpochStream stream);
    void elaborate_all();  ///< every plan of the run, so that what does not fit is refused before it starts
    /// Format in which entries that the host keeps to the end are packed, when that loses nothing.
    DataFormat keep_as(const Queue& queue) {
        const bool kept = queue.type == QueueType::Queue && !read_by_graph[&queue];
        return kept && settings.numerics == Numerics::Float32 ? queue.df : DataFormat::Invalid;
    }
    bool values() const { return settings.mode != Mode::Timing; }
    /// Popped entries leave the modelled memory, unless nobody reads the queue (the host keeps what it popped) or a
    /// program goes back to them.
    void forget_popped(const Queue& queue, std::int64_t below);
    /// Whether a program goes, or may go, back to entries that were popped.
    bool may_rewind(const Queue& queue) const;
    void throttle() {
        while (pool.pending() > most_pending_tasks && pool.help()) {
        }
    }
    /// An entry or slot of the store, once what fills it is computed.
    Tensor read(const Queue& queue, std::int64_t n);
    GraphReport& graph_report(const Graph& graph);
    /// Tells who wants to know that so many inputs of the run are over; `parts` counts those under way in part.
    void tell_progress(std::int64_t inputs, double parts) const;
    std::vector<Room> exhausted_buffers;  ///< after a hang: what was full, or empty for ever
};

/// No clock, queues without end: launches, inputs, ops and cores one after the other.
void run_functional(RunState& state);
/// The SystemC machine: values too when state.values().
void run_machine(RunState& state);

}  // namespace ttsim::impl::sim
