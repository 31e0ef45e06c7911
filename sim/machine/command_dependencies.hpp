// Dependencies between commands of a program: a shared chip, or shared memory whose order of accesses matters.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "netlist/program/queue_state.hpp"

namespace ttsim::impl::sim {

/// The chips and queues that a command uses.
struct CommandUse {
    struct QueueMemory {
        const Queue* owner = nullptr;  ///< the queue itself, or the one whose memory it is an alias of
        QueueUse use;
    };
    bool launch = false;
    boost::container::small_vector<std::int64_t, 1> chips;  ///< ascending
    boost::container::small_vector<QueueMemory, 4> queues;  ///< in the order of their owners
};
CommandUse use_of(const EpochCommand& command, const Netlist& netlist, PointerTable& pointers);

/// Whether `later` must wait until `earlier` has finished. A FIFO that one launch writes and a later one reads is no
/// dependency, since its pointers synchronize them.
bool conflict(const CommandUse& earlier, const CommandUse& later);

}  // namespace ttsim::impl::sim
