// Walks the waits of an epoch to their roots: the slowest op is often only the victim of another, of a channel or of a
// buffer.
//
// The walk begins at the ops that end last. What a core works is its own; what it waits for its own transfers is a
// channel's, a link's or a pipe's; what it waits for tiles goes on to its producer, what it waits for room to its
// consumer, in proportion. A walk that comes back to an op has found a ring: the buffer in which the ring waits for
// room is too small (a fork whose branches meet again, or two ops that take turns).
#pragma once

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

/// A root of waits.
struct Root {
    RootKind kind = RootKind::Op;
    std::string place;  ///< "op 'mm'", "chip 0 dram 3", "pipe from 'a' to 'b'", ...
    std::string op,
        other;  ///< Op, Sends: the op; Pipe, Buffer: producer and consumer; Reads, Writes: op and queue; else ""
    double cycles = 0;   ///< of the walk that ended here
    double busy = 0;     ///< of a channel or link: share of the window; of an op: its work
    bool fork = false;   ///< Buffer: the ring has a longer branch
    std::string victim;  ///< the op that waited for it, where that is another
};

/// Largest first; their cycles add up to the graph's window.
std::vector<Root> roots(const WaitGraph& graph);

}  // namespace ttsim::impl::trace
