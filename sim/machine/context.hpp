// Objects shared by all components of the simulated machine: the run, the board, the queues, the time.
#pragma once

#include <map>
#include <memory>

#include "sim/machine/chip.hpp"
#include "sim/machine/probe.hpp"
#include "sim/machine/queue_memory.hpp"
#include "sim/state/run_state.hpp"
#include "sim/state/waiter.hpp"

namespace ttsim::impl::sim {

struct Context {
    RunState& state;
    Board& board;
    const Cycle& now;
    bool input_over = false;  ///< an input of some epoch has finished in this cycle
    Probe* probe;             ///< nullptr: neither traced nor watched
    std::map<const Queue*, std::unique_ptr<QueueMemory>> queues;
    bool attention = false;  ///< since the last cycle an input is over, or commands were issued

    QueueMemory& memory(const Queue& queue) {
        auto& slot = queues[&queue];
        if (!slot) slot = std::make_unique<QueueMemory>(queue, state);
        return *slot;
    }
};

}  // namespace ttsim::impl::sim
