// A netlist on a machine, ready to be called: what a session holds. Everything a run needs, in an order in which it
// ends well.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/engine.hpp"
#include "sim/run_state.hpp"

namespace ttsim::impl::sim {

/// What computes: the modelled chips, as the settings' mode says, or golden, which has no clock and asks for no mode.
enum class Evaluator : std::uint8_t { Chips, Golden };

class LiveNetlist {
public:
    /// Throws Error with all that does not fit the machine, or a trace that an engine without a clock cannot write.
    LiveNetlist(Netlist netlist, Machine machine, MachineSettings settings, Evaluator evaluator = Evaluator::Chips);
    ~LiveNetlist();
    LiveNetlist(const LiveNetlist&) = delete;
    LiveNetlist& operator=(const LiveNetlist&) = delete;

    /// Throws Error(Input) for an unknown program or parameter, or a program that cannot run.
    void call(const std::string& program, const std::map<std::string, std::int64_t>& params);
    Engine& engine() { return *engine_; }
    bool read_by_graph(const Queue& queue) const;
    const Netlist& netlist() const { return netlist_; }
    const Machine& machine() const { return machine_; }
    RunReport report() const;
    void finish_trace();  ///< throws when it could not be written

private:
    void learn_sparse_counts();

    Netlist netlist_;
    Machine machine_;
    std::unique_ptr<RunState> state_;
    std::unique_ptr<ThreadPool> pool_;  // ends before the state: its tasks refer to it
    std::unique_ptr<Engine> engine_;
    std::size_t sparse_ops_ = 0;
};

}  // namespace ttsim::impl::sim
