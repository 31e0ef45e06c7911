// A netlist on something that executes it, with state that lasts from call to call: the SystemC machine, or values
// alone. One caller at a time; the session above it keeps several threads apart.
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

    /// A program to execute after those called before. What it needs is elaborated now: throws Error when it cannot be.
    virtual void call(const ProgramCall& call) = 0;
    /// Goes on until `until` holds (asked at the start and after every instant), nothing can move, or simulated time
    /// reaches `deadline`. Returns whether `until` holds. Throws what went wrong inside; the engine is unusable then.
    virtual bool advance(const Until& until, std::uint64_t deadline = no_deadline) = 0;
    virtual bool idle() const = 0;  ///< all programs called are over
    virtual std::uint64_t now() const = 0;

    // --- queues of the host; FIFO entries by push number ---
    virtual std::int64_t pushed(const Queue& queue) const = 0;  ///< number of the next entry the host pushes
    virtual std::int64_t room(const Queue& queue) const = 0;    ///< entries that can be pushed now
    virtual void push(const Queue& queue, EntryPtr entry) = 0;  ///< room() > 0
    virtual std::int64_t popped(const Queue& queue) const = 0;  ///< number of the next entry to pop
    virtual std::int64_t ready(const Queue& queue) const = 0;   ///< complete entries from popped() on
    virtual void pop(const Queue& queue, std::int64_t count) = 0;

    /// Content of a FIFO entry or ram slot, complete when it returns; zeros of a ram slot nothing has written.
    virtual Tensor read(const Queue& queue, std::int64_t n) = 0;
    virtual void write(const Queue& ram, std::int64_t slot, EntryPtr entry) = 0;

    /// Why nothing moves: who waits for whom, link by link.
    virtual std::string waits() const = 0;
    /// Ends the trace, when there is one; RunReport::trace_failure says when it could not be written.
    virtual void complete() {}
};

}  // namespace ttsim::impl::sim
