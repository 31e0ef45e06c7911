// Search for a remedy of a hang: enlarges buffers and queues of the wait-for chain and simulates the result.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/run.hpp"

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

/// Returns a text that names the buffers to enlarge, with their new sizes, so that the run of `options` completes; ""
/// when the search finds none. Every result was simulated in timing mode. The search takes at most `most`.
std::string remedy(const RunOptions& options, const std::vector<Room>& exhausted_buffers,
                   std::chrono::milliseconds most);

}  // namespace ttsim::impl::sim
