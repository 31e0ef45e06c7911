// What would keep a netlist from hanging: buffers and queues of the wait-for chain, made larger and tried.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/run.hpp"

namespace ttsim::impl::sim {

/// A place that was full, or never filled, when nothing could move any more.
struct Room {
    enum class Kind : std::uint8_t {
        Entries,  ///< slots of the queue `name`
        Output,   ///< output buffer of the op `name`
        Operand   ///< buffer of operand `operand` of the op `name`
    };
    Kind kind = Kind::Entries;
    std::string name;
    std::size_t operand = 0;
    std::int64_t size = 0;  ///< entries, buf_size_mb or tiles as it is now
    friend bool operator==(const Room&, const Room&) = default;
};

/// Says which of these places to enlarge, and to what, so that the run `options` asks for ends: "" when the search
/// finds nothing. Every change it names has been simulated, in timing mode; the search takes no longer than `most`.
std::string remedy(const RunOptions& options, const std::vector<Room>& exhausted_buffers,
                   std::chrono::milliseconds most);

}  // namespace ttsim::impl::sim
