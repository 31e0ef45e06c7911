// Everything that can stand still says what for: links of the chain that a hang is told by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/hang/remedy.hpp"

namespace ttsim::impl::sim {

/// One line of a wait-for chain: who waits, for what, and who owes it (nullptr: nobody inside the machine).
class Waiter;
struct WaitsFor {
    std::string text;
    const Waiter* owed_by = nullptr;
    std::optional<Room> room = std::nullopt;  ///< too small, as it seems from here
};
/// Part of an engine that can be asked why it does not move.
class Waiter {
public:
    virtual ~Waiter() = default;
    virtual WaitsFor waits_for() const = 0;
};

/// The hang: who waits for what.
struct WaitChain {
    std::string text;                     ///< link by link, until the chain closes or ends
    std::vector<Room> exhausted_buffers;  ///< buffers and queues that would have to be larger, those of the chain first
};
WaitChain wait_chain(const std::vector<const Waiter*>& unfinished);

}  // namespace ttsim::impl::sim
