// Costs of launching ops one by one, from configs/launch.yaml and the chip's memory.yaml, in cycles of the chip's
// clock.
#pragma once

#include <cstdint>
#include <span>

#include "isa/arch.hpp"

namespace ttsim::impl::runtime {

struct LaunchCosts {
    double enqueue = 0;                       ///< host time of a launch of a known program
    double enqueue_new = 0;                   ///< host time of the first launch of a program
    double gap = 0;                           ///< between two ops on the device, if the host is ahead
    double spread = 0;                        ///< from the first to the last core's start
    double push_bytes = 1, push_latency = 0;  ///< bytes per cycle and cycles of a host write to device memory
    double pop_bytes = 1, pop_latency = 0;    ///< the same of a host read
    double dram_bytes = 1, dram_latency = 0;  ///< of a copy inside the device, over all channels
    double l1_bytes = 1, l1_latency = 0;      ///< the same of the L1 of one core

    std::uint64_t write_cycles(std::int64_t bytes) const;  ///< of a host write of this size
    std::uint64_t read_cycles(std::int64_t bytes) const;   ///< of a host read
    /// Part of a data movement op: bytes in DRAM are read or written through all channels, those in L1 by `l1_cores`.
    struct Moved {
        std::int64_t bytes = 0;
        std::int64_t l1_cores = 0;  ///< 0: in DRAM
    };
    /// Of a data movement op. DRAM and L1 work at the same time.
    std::uint64_t move_cycles(std::span<const Moved> sources, const Moved& result) const;
};

/// Throws Error(Input) with the place of a missing or wrong entry.
LaunchCosts launch_costs(const ChipParams& chip);

}  // namespace ttsim::impl::runtime
