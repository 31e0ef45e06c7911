// The SystemC machine as an engine: clock, board, queues and sequencer of one netlist, alive from call to call.
#pragma once

#include <memory>

#include "sim/engine.hpp"
#include "sim/machine/machine_view.hpp"
#include "sim/run_state.hpp"

namespace ttsim::impl::sim {

class SystemcContext;
class Watch;

class LiveMachine : public Engine {
public:
    /// `state` outlives it. What state.forecast says the host pushes is pushed, and outputs are popped, as slots and
    /// entries come; with nothing forecast, push() and pop() do so.
    /// `watch`: keeps counters for view(), unless the run is traced; null: nobody looks.
    explicit LiveMachine(RunState& state, Watch* watch = nullptr);
    ~LiveMachine() override;

    void call(const ProgramCall& call) override;
    bool advance(const Until& until, std::uint64_t deadline = no_deadline) override;
    bool idle() const override;
    std::uint64_t now() const override;
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

    std::vector<Room> exhausted_buffers() const;  ///< places of the chain of waits() that were full, or never filled
    std::uint64_t next_event() const;             ///< the cycle in which something happens next; no_deadline: none
    /// What a debugger sees. Valid while the machine lives.
    MachineView view() const { return MachineView(*this); }
    /// The error to throw in place of `error`: it also says what became of the trace, which ends here.
    Error failed(const Error& error);

private:
    friend class MachineView;
    struct Parts;
    RunState& state_;
    Watch* watch_;
    std::unique_ptr<SystemcContext> systemc_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace ttsim::impl::sim
