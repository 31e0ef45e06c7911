// One DRAM channel behind its controller: how long it is busy with an access.
#pragma once

#include <cstdint>

namespace ttsim::impl::sim {

/// Clocks are AI clock cycles.
struct DramTiming {
    double peak_bytes = 24;          ///< per clock, of the pins
    double refresh_every = 1900;     ///< clocks between refreshes
    double refresh_for = 120;        ///< clocks a refresh takes from all accesses
    double page_bytes = 2048;        ///< of an open row
    double page_read = 0.75;         ///< clocks lost per page read, beyond what other banks hide
    double page_write = 2.4;         ///< and written
    double small_write = 65;         ///< clocks of a write that is merged into what is there
    std::uint64_t small_bytes = 64;  ///< up to which size
    double request = 6.8;            ///< clocks between requests a port takes, of any size

    /// Clocks the channel is taken by an access of that size.
    double busy(bool write, std::uint64_t bytes) const;
    /// Bytes per clock of a long stream of accesses of that size.
    double rate(bool write, std::uint64_t bytes) const { return static_cast<double>(bytes) / busy(write, bytes); }
};

}  // namespace ttsim::impl::sim
