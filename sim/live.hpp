// A netlist with its machine and engine, which a session calls. Members are ordered so that they are destroyed safely.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/state/engine.hpp"
#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

/// Which engine computes: the modelled chips in the mode of the settings, or golden, which has no clock and ignores the
/// mode.
enum class Evaluator : std::uint8_t { Chips, Golden };

class LiveNetlist {
public:
    /// Throws Error with all problems of the netlist on this machine, or when a trace is requested from an engine
    /// without a clock.
    LiveNetlist(Netlist netlist, Machine machine, MachineSettings settings, Evaluator evaluator = Evaluator::Chips);
    ~LiveNetlist();
    LiveNetlist(const LiveNetlist&) = delete;
    LiveNetlist& operator=(const LiveNetlist&) = delete;

    /// Throws Error(Input) for an unknown program or parameter, or a program that cannot run.
    void call(const std::string& program, const std::map<std::string, std::int64_t>& params,
              std::optional<std::int64_t> first_input = {});
    Engine& engine() { return *engine_; }
    bool read_by_graph(const Queue& queue) const;
    const Netlist& netlist() const { return netlist_; }
    const Machine& machine() const { return machine_; }
    RunReport report() const;
    void finish_trace();  ///< throws when the trace could not be written

private:
    void update_sparse_counts();

    Netlist netlist_;
    Machine machine_;
    std::unique_ptr<RunState> state_;
    std::unique_ptr<ThreadPool> pool_;  // destroyed before the state, which its tasks refer to
    std::unique_ptr<Engine> engine_;
    std::size_t sparse_ops_ = 0;
};

}  // namespace ttsim::impl::sim
