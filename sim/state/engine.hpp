// Interface of an engine: it executes programs of one netlist and keeps its state between calls. Engines are the
// SystemC machine, the functional engine and golden. Not thread-safe; the session serializes its callers.
//
//   call(program), push(queue, entry)  -->  advance(until ...)  -->  ready(queue), peek, pop
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "netlist/program/queue_state.hpp"
#include "sim/values/entry.hpp"

namespace ttsim::impl::sim {

using Until = std::function<bool()>;
inline constexpr std::uint64_t no_deadline = std::numeric_limits<std::uint64_t>::max();

class Engine {
public:
    virtual ~Engine() = default;

    /// Appends a program to those called before. Its plans are elaborated now; throws Error when that fails.
    virtual void call(const ProgramCall& call) = 0;
    /// Runs until `until` holds, no event is left, or simulated time reaches `deadline`. `until` is evaluated at the
    /// start and after every instant. Returns whether `until` holds. Rethrows errors of the run; the engine is unusable
    /// afterwards.
    virtual bool advance(const Until& until, std::uint64_t deadline = no_deadline) = 0;
    virtual bool idle() const = 0;  ///< all called programs have finished
    virtual std::uint64_t now() const = 0;
    /// Cycles in which the busiest DRAM memory was busy; 0 without a clock.
    virtual std::uint64_t dram_busy() const { return 0; }

    // --- queues that the host pushes or pops; FIFO entries are numbered by push ---
    virtual std::int64_t pushed(const Queue& queue) const = 0;  ///< number of the next entry the host pushes
    virtual std::int64_t room(const Queue& queue) const = 0;    ///< entries that can be pushed now
    virtual void push(const Queue& queue, EntryPtr entry) = 0;  ///< room() > 0
    virtual std::int64_t popped(const Queue& queue) const = 0;  ///< number of the next entry to pop
    virtual std::int64_t ready(const Queue& queue) const = 0;   ///< complete entries from popped() on
    virtual void pop(const Queue& queue, std::int64_t count) = 0;

    /// Content of a FIFO entry or ram slot. Waits until it is computed. An unwritten ram slot reads as zeros.
    virtual Tensor read(const Queue& queue, std::int64_t n) = 0;
    virtual void write(const Queue& ram, std::int64_t slot, EntryPtr entry) = 0;

    /// The wait-for chain of a blocked engine, one line per link.
    virtual std::string waits() const = 0;
    /// Finishes the trace, if any. RunReport::trace_failure is set when it could not be written.
    virtual void complete() {}
};

}  // namespace ttsim::impl::sim
