// Timing of one DRAM channel with its controller.
#pragma once

#include <cstdint>

namespace ttsim::impl::sim {

/// Clocks are AI clock cycles.
struct DramTiming {
    double peak_bytes = 24;          ///< bytes per clock of the pins
    double refresh_every = 1900;     ///< clocks between refreshes
    double refresh_for = 120;        ///< clocks of a refresh, which blocks all accesses
    double page_bytes = 2048;        ///< bytes of an open row
    double page_read = 0.75;         ///< clocks lost per page read, not hidden by other banks
    double page_write = 2.4;         ///< clocks lost per page written
    double small_write = 65;         ///< clocks of a small write, which is merged with the stored data
    std::uint64_t small_bytes = 64;  ///< largest size of such a write
    double request = 6.8;            ///< minimum clocks between requests of a port

    /// Clocks for which an access of `bytes` occupies the channel.
    double busy(bool write, std::uint64_t bytes) const;
    /// Bytes per clock of a long stream of accesses of `bytes` each.
    double rate(bool write, std::uint64_t bytes) const { return static_cast<double>(bytes) / busy(write, bytes); }
};

}  // namespace ttsim::impl::sim
