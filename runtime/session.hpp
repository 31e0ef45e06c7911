// A device with state: a netlist on a machine, alive from call to call.
//
//   push(queue, entry), write(ram, slot) --> run(program, parameters) --> get(queue), pop(queue), read(ram, slot)
//
// Simulated time moves only inside calls. What the host does happens at the session's present time and takes what the
// host model says; the same calls in the same order give the same bits and cycles. Rams, queues and pointers keep what
// they hold from run to run. Calls may come from several threads: one is served at a time, and the simulations of all
// sessions of a process take turns (SystemC holds one at a time); values are computed on the session's own threads.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "kernels/tensor.hpp"
#include "netlist/device/device.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::runtime {

struct SessionOptions {
    /// Timing: entries have no values; get() is refused. Functional: no clock; a program goes on as far as entries and
    /// free slots allow, and one input is between two ops of a graph.
    sim::Mode mode = sim::Mode::Full;
    bool golden = false;  ///< values by golden, in float32, in place of the modelled chips; no clock, whatever the mode
    Numerics numerics = Numerics::Real;
    unsigned threads = 0;       ///< for values; 0 = one per processor; never changes a result
    bool extrapolate = true;    ///< Timing: rounds of a loop that repeat exactly are not simulated one by one
    sim::PipeMechanisms pipes;  ///< for studies: what of the chip's pipes takes time
    sim::TraceOptions trace;    ///< written by finish_trace(), or when the session ends
    /// How long, in real time, a call that nothing inside the machine can help waits for calls of other threads.
    std::chrono::milliseconds other_threads{0};
    const std::atomic<int>* stop = nullptr;  ///< a signal's number there ends a call with Fault::Interrupted
};

/// How long a call may take, in simulated cycles from the present. It ends sooner when nothing can move any more.
struct Timeout {
    std::uint64_t cycles = sim_forever;
    /// In place of SessionOptions::other_threads: real time in which nothing inside the machine moves.
    std::optional<std::chrono::milliseconds> others{};
    static constexpr std::uint64_t sim_forever = ~std::uint64_t{0};
    static Timeout none() { return {0}; }
};

class Session {
public:
    /// `netlist` as read_netlist() gives it, or resolved. Throws Error(Input, Unsupported) with all that does not fit
    /// the machine.
    Session(Netlist netlist, Machine machine, SessionOptions options = {});
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Starts `program` after those run before and goes on until all are over, or wait for inputs that have not come.
    /// `params`: "$p_x" or "p_x"; those not given are chosen as for a netlist file (docs/netlist.md "Parameters").
    void run(const std::string& program, const std::map<std::string, std::int64_t>& params = {});
    /// Goes on until all programs are over. Throws Error(Hang) with the chain of waits when they cannot be.
    void wait(Timeout timeout = {});
    bool idle() const;

    // --- queues; entries are z x rows x cols elements (tiles as the queue's blocking says), float32 ---
    /// Behind those pushed before, converted to the queue's format. Waits for a free slot.
    /// Throws Error(Hang) when the queue stays full.
    void push(const std::string& queue, const Tensor& entry, Timeout timeout = {});
    /// All or none: waits until there is room for all of them.
    void push(const std::string& queue, const std::vector<Tensor>& entries, Timeout timeout = {});
    /// The oldest entry that was not popped, or the `ahead`-th after it; it stays in the queue.
    /// Throws Error(Hang) when it does not come.
    Tensor get(const std::string& queue, Timeout timeout = {}, std::int64_t ahead = 0);
    /// Frees the oldest `count` entries.
    void pop(const std::string& queue, std::int64_t count = 1, Timeout timeout = {});
    std::int64_t ready(const std::string& queue) const;  ///< entries that get() would give at once
    std::int64_t room(const std::string& queue) const;   ///< entries that push() would take at once

    // --- rams ---
    void write(const std::string& ram, std::int64_t slot, const Tensor& entry);
    /// Zeros when nothing has written the slot. Waits for programs in flight first.
    Tensor read(const std::string& ram, std::int64_t slot);

    std::uint64_t now() const;  ///< cycles since the session began; 0 without a clock
    /// What was done so far: cycles, graphs with all their executes, parameters chosen.
    sim::RunReport report() const;
    /// Ends the trace; the session goes on without one. Throws Error(Input) when it could not be written.
    void finish_trace();

    const Netlist& netlist() const;  ///< resolved
    const Machine& machine() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl::runtime
