// Timing constants of DRAM channels, Ethernet links and PCIe of a chip, from memory.yaml of its folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/arch.hpp"
#include "sim/memory/dram_channel.hpp"
#include "sim/memory/eth_link.hpp"

namespace ttsim::impl::sim {

/// Bandwidths (bytes per clock) and latencies (clocks) of the host link; the directions are independent.
struct PcieTiming {
    double read_bytes = 24.5, read_latency = 800;    ///< a core reads from the host
    double write_bytes = 26.4, write_latency = 370;  ///< a core writes to the host
    double untilized_bytes = 4.15;                   ///< a core writes untilized rows to the host
    double push_bytes = 24, push_latency = 1342;     ///< the host writes to DRAM
    double pop_bytes = 5.8, pop_latency = 1052;      ///< the host reads from DRAM
};

/// Latencies of single accesses, in clocks.
struct AccessTiming {
    double dram_read = 300;      ///< latency of a read, without channel and NoC
    double pointer_write = 401;  ///< writing a queue's pointer in DRAM
    double pointer_poll = 384;   ///< reading a queue's pointer in DRAM
};

/// Data that a core reads from DRAM before an epoch.
struct EpochTiming {
    double blob = 65536, kernels = 57344;  ///< bytes; kernels are skipped when the core holds them already
    double rate = 20.4;                    ///< bytes per clock of a channel
    double commands = 2;                   ///< sequential accesses before the load
};

struct MemoryConstants {
    std::string chip;
    DramTiming dram;
    std::vector<NocCoord> dram_ports;  ///< by memory channel
    std::optional<EthTiming> eth;
    PcieTiming pcie;
    AccessTiming access;
    EpochTiming epoch;
};

/// Throws Error(Input) with the location of a missing, unknown or invalid entry.
MemoryConstants read_memory_constants(const std::string& file);
/// Constants of the chip; each file is read once.
const MemoryConstants& memory_constants(const ChipParams& chip);
const MemoryConstants& memory_constants(const std::string& chip_name);

}  // namespace ttsim::impl::sim
