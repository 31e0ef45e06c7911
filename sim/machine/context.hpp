// What all parts of the modelled machine reach: the run, the board, the queues, the time.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "sim/machine/chip.hpp"
#include "sim/machine/probe.hpp"
#include "sim/machine/queue_memory.hpp"
#include "sim/run_state.hpp"

namespace tt::sim {

struct Context {
    RunState& state;
    Board& board;
    const Cycle& now;
    bool input_over = false;  ///< an input of some epoch has left the machine in this cycle
    Probe* probe;             ///< nullptr: nobody traces
    std::map<const Queue*, std::unique_ptr<QueueMemory>> queues;

    QueueMemory& memory(const Queue& queue) {
        auto& slot = queues[&queue];
        if (!slot) slot = std::make_unique<QueueMemory>(queue, state);
        return *slot;
    }
};

/// One line of a wait-for chain: who waits, for what, and who owes it (nullptr: nobody inside the machine).
class Waiter;
struct WaitsFor {
    std::string text;
    const Waiter* owed_by = nullptr;
    std::optional<Room> room = std::nullopt;  ///< too small, as it seems from here
};
/// Part of the machine that can be asked why it does not move.
class Waiter {
public:
    virtual ~Waiter() = default;
    virtual WaitsFor waits_for() const = 0;
};

}  // namespace tt::sim
