// Finds the root causes of the waits of an epoch. The slowest op is often delayed by another op, a channel or a buffer.
//
// The walk starts at the ops that end last and distributes their cycles. Busy cycles are attributed to the op. Waits
// for its own transfers are attributed to a channel, link or pipe. Waits for tiles continue at the producer, waits for
// room at the consumer, in proportion. A walk that returns to an op has found a ring: the buffer in which the ring
// waits for room is too small (a fork whose branches join again, or two ops that alternate).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/wait_graph.hpp"

namespace ttsim::impl::trace {

enum class RootKind : std::uint8_t {
    Op,
    Dram,
    Host,
    Ethernet,
    NocLink,
    Pipe,
    Reads,
    Writes,
    Buffer,
    Load,
    Entries,
    Sends
};
std::string to_string(RootKind kind);  ///< "op", "dram", ...

/// A root cause of waits.
struct Root {
    RootKind kind = RootKind::Op;
    std::string place;  ///< "op 'mm'", "chip 0 dram 3", "pipe from 'a' to 'b'", ...
    std::string op,
        other;  ///< Op, Sends: the op; Pipe, Buffer: producer and consumer; Reads, Writes: op and queue; else ""
    double cycles = 0;          ///< cycles attributed to this root
    double busy = 0;            ///< channel or link: busy fraction of the window; op: fraction of its busy cycles
    bool fork = false;          ///< Buffer: the ring has a longer branch
    std::string victim;         ///< the op that waited for it, when it is a different one
    std::int64_t channel = -1;  ///< Dram: its number on its chip
};

/// Sorted by cycles, largest first; the sum of the cycles is the graph's window.
std::vector<Root> roots(const WaitGraph& graph);

}  // namespace ttsim::impl::trace
