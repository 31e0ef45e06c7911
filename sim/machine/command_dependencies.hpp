// Which command of a program must wait for which earlier one: the same chip, or memory where order matters.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "netlist/program/queue_state.hpp"

namespace ttsim::impl::sim {

/// What a command touches.
struct CommandUse {
    bool launch = false;
    std::set<std::int64_t> chips;
    std::vector<QueueUse> queues;
};
CommandUse use_of(const EpochCommand& command, PointerTable& pointers);

/// Whether `later` must wait until `earlier` is over. A FIFO that one launch fills and a later one empties is no
/// reason: its own pointers make the reader wait.
bool conflict(const Netlist& netlist, const CommandUse& earlier, const CommandUse& later);

}  // namespace ttsim::impl::sim
