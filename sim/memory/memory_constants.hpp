// What DRAM channels, Ethernet links and PCIe of a chip take: memory.yaml of its folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/arch.hpp"
#include "sim/memory/dram_channel.hpp"
#include "sim/memory/eth_link.hpp"

namespace ttsim::impl::sim {

/// Bytes per clock and clocks of the host link, each direction on its own.
struct PcieTiming {
    double read_bytes = 24.5, read_latency = 800;    ///< a core reads from the host
    double write_bytes = 26.4, write_latency = 370;  ///< or writes to it
    double untilized_bytes = 4.15;                   ///< the same, rows of a tensor in pieces
    double push_bytes = 24, push_latency = 1342;     ///< the host writes to DRAM
    double pop_bytes = 5.8, pop_latency = 1052;      ///< or reads from it
};

/// Clocks of accesses that wait for their answer.
struct AccessTiming {
    double dram_read = 300;      ///< of a read, beyond channel and NoC
    double pointer_write = 401;  ///< a queue's pointer in DRAM
    double pointer_poll = 384;
};

/// What a core reads from DRAM before an epoch.
struct EpochTiming {
    double blob = 65536, kernels = 57344;  ///< bytes; kernels only where it does not hold them
    double rate = 20.4;                    ///< bytes per clock of a channel
    double commands = 2;                   ///< accesses one after the other before
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

/// Throws Error(Input) with the place of a missing, unknown or senseless entry.
MemoryConstants read_memory_constants(const std::string& file);
/// Of the chip, read once for each file.
const MemoryConstants& memory_constants(const ChipParams& chip);
const MemoryConstants& memory_constants(const std::string& chip_name);

}  // namespace ttsim::impl::sim
