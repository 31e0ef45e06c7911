// A session: a netlist on a machine whose state persists between calls.
// push(queue, entry), write(ram, slot) --> run(program, parameters) --> get(queue), pop(queue), read(ram, slot)
// Simulated time advances only inside calls. Host accesses happen at the session's current time and take the time of
// the host model. The same calls in the same order give the same bits and cycles. Rams, queues and pointers keep their
// contents between runs. Calls may come from several threads: they are serialized, and the simulations of all sessions
// of a process run alternately (SystemC supports one at a time). Values are computed on the session's own threads.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "kernels/tensor.hpp"
#include "netlist/device/device.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::runtime {

/// Mode::Timing: entries have no values; get() fails. Functional: no clock; a program continues as far as entries and
/// free slots allow, with one input between two ops of a graph. `inputs_count` has no effect.
struct SessionOptions : sim::MachineValues {
    bool golden = false;        ///< values by golden in float32 instead of the simulated chips; no clock in any mode
    sim::PipeMechanisms pipes;  ///< for studies: which pipe mechanisms take time
    sim::IdealizedResources idealized{};  ///< as of what-if runs
    sim::TraceOptions trace;              ///< written by finish_trace(), or at the end of the session
    /// Real time that a call, blocked inside the machine, waits for calls of other threads.
    std::chrono::milliseconds other_threads{0};
    const std::atomic<int>* stop = nullptr;  ///< if set to a signal number, calls end with Fault::Interrupted
};

/// Maximum duration of a call in simulated cycles from now. It ends earlier if nothing can progress.
struct Timeout {
    std::uint64_t cycles = sim_forever;
    /// Replaces SessionOptions::other_threads: real time to wait while nothing inside the machine progresses.
    std::optional<std::chrono::milliseconds> others{};
    static constexpr std::uint64_t sim_forever = ~std::uint64_t{0};
    static Timeout none() { return {0}; }
};

class Session {
public:
    /// `netlist` as returned by read_netlist(), or resolved. Throws Error(Input, Unsupported) with all
    /// incompatibilities with the machine, and Error(Input) for options out of range.
    Session(Netlist netlist, Machine machine, SessionOptions options = {});
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Starts `program` after earlier ones, and continues until all are done or wait for missing inputs. `params`:
    /// "$p_x" or "p_x"; others are chosen as for a netlist file (docs/netlist.md "Parameters"). `first_input`: number
    /// of the first input, on which random ops depend; none: graphs count on from their last execute.
    void run(const std::string& program, const std::map<std::string, std::int64_t>& params = {},
             std::optional<std::int64_t> first_input = {});
    /// Continues until all programs are done. Throws Error(Hang) with the wait-for chain if they cannot finish.
    void wait(Timeout timeout = {});
    bool has_values() const;  ///< not in timing mode
    bool idle() const;

    // --- queues; entries are z x rows x cols elements (tiles by the queue's blocking), float32 ---
    /// Appends an entry, converted to the queue's format. Waits for a free slot. Throws Error(Hang) if the queue stays
    /// full.
    void push(const std::string& queue, const Tensor& entry, Timeout timeout = {});
    /// Appends all entries or none: waits until there is space for all.
    void push(const std::string& queue, const std::vector<Tensor>& entries, Timeout timeout = {});
    /// Appends an entry in a session that computes no values.
    void push_without_values(const std::string& queue, Timeout timeout = {});
    /// The oldest entry, or the `ahead`-th after it; does not pop it. Throws Error(Hang) if it does not arrive.
    Tensor get(const std::string& queue, Timeout timeout = {}, std::int64_t ahead = 0);
    /// Frees the oldest `count` entries.
    void pop(const std::string& queue, std::int64_t count = 1, Timeout timeout = {});
    std::int64_t ready(const std::string& queue) const;  ///< entries available without waiting
    std::int64_t room(const std::string& queue) const;   ///< entries that push() accepts without waiting

    // --- rams ---
    void write(const std::string& ram, std::int64_t slot, const Tensor& entry);
    /// Zeros if the slot was never written. Waits for programs in flight first.
    Tensor read(const std::string& ram, std::int64_t slot);

    std::uint64_t now() const;  ///< cycles since the session began; 0 without a clock
    /// Results so far: cycles, graphs with all their executes, parameters.
    sim::RunReport report() const;
    /// Ends the trace; the session continues without one. Throws Error(Input) if it could not be written.
    void finish_trace();

    const Netlist& netlist() const;  ///< resolved
    const Machine& machine() const;
    unsigned threads() const;  ///< of the options

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl::runtime
