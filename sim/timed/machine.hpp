// The SystemC machine as an engine: clock, board, queues and sequencer of one netlist, kept between calls.
#pragma once

#include <memory>

#include "sim/machine/machine_view.hpp"
#include "sim/state/engine.hpp"
#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

class Watch;

class LiveMachine : public Engine {
public:
    /// `state` must outlive the machine. Entries in state.forecast are pushed, and outputs are popped, as soon as slots
    /// and entries are available. Without a forecast the caller uses push() and pop(). `watch`: keeps counters for
    /// view(), unless the run is traced; null: no counters.
    explicit LiveMachine(RunState& state, Watch* watch = nullptr);
    ~LiveMachine() override;

    void call(const ProgramCall& call) override;
    bool advance(const Until& until, std::uint64_t deadline = no_deadline) override;
    /// Advances until all calls are done. `at_intervals` is called now and then. False: nothing can move any more.
    bool finish_calls(const std::function<void()>& at_intervals);
    bool idle() const override;
    std::uint64_t now() const override;
    std::uint64_t dram_busy() const override;
    std::int64_t pushed(const Queue& queue) const override;
    std::int64_t room(const Queue& queue) const override;
    void push(const Queue& queue, EntryPtr entry) override;
    std::int64_t popped(const Queue& queue) const override;
    std::int64_t ready(const Queue& queue) const override;
    void pop(const Queue& queue, std::int64_t count) override;
    Tensor read(const Queue& queue, std::int64_t n) override;
    void write(const Queue& ram, std::int64_t slot, EntryPtr entry) override;
    std::string waits() const override;
    void complete() override;

    std::vector<Room> exhausted_buffers() const;  ///< buffers of the chain of waits() that stayed full or empty
    std::uint64_t next_event() const;             ///< cycle of the next event; no_deadline: none
    /// State for a debugger. Valid as long as the machine.
    MachineView view() const { return MachineView(*this); }
    /// Finishes the trace after a failure. Returns `error` with a line about the trace, for the caller to throw.
    Error failed(const Error& error);

private:
    friend class MachineView;
    struct Parts;
    bool advance(const Until& until, std::uint64_t deadline, const bool* needed);
    RunState& state_;
    Watch* watch_;
    std::unique_ptr<Parts> parts_;
};

/// Runs the SystemC machine; computes values when state.values().
void run_machine(RunState& state);

}  // namespace ttsim::impl::sim
