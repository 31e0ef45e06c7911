// Wait-for chains, which explain a hang: each blocked component reports what it waits for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl::sim {

/// A buffer or queue that was full, or empty, at the hang.
struct Room {
    enum class Kind : std::uint8_t {
        Entries,  ///< slots of the queue `name`
        Output,   ///< output buffer of the op `name`
        Operand   ///< buffer of operand `operand` of the op `name`
    };
    Kind kind = Kind::Entries;
    std::string name;
    std::size_t operand = 0;
    std::int64_t size = 0;  ///< current size: entries, buf_size_mb or tiles
    friend bool operator==(const Room&, const Room&) = default;
};

/// One link of a wait-for chain: text, and the component that is waited for (nullptr: none inside the machine).
class Waiter;
struct WaitsFor {
    std::string text;
    const Waiter* waits_on = nullptr;
    std::optional<Room> room = std::nullopt;  ///< the buffer that may be too small
};
/// A component of an engine that can be blocked.
class Waiter {
public:
    virtual ~Waiter() = default;
    virtual WaitsFor waits_for() const = 0;
};

/// The wait-for chain of a hang.
struct WaitChain {
    std::string text;                     ///< one line per link, until the chain closes or ends
    std::vector<Room> exhausted_buffers;  ///< candidates for enlargement, those of the chain first
};
WaitChain wait_chain(const std::vector<const Waiter*>& unfinished);

}  // namespace ttsim::impl::sim
