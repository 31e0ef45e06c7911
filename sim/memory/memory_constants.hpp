// What DRAM channels, router buffers, Ethernet links and PCIe of a chip take: configs/memory/<chip>.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/arch.hpp"
#include "sim/memory/dram_channel.hpp"
#include "sim/memory/eth_link.hpp"
#include "sim/memory/flit_noc.hpp"

namespace tt::sim {

struct MemoryConstants {
    std::string chip;
    DramTiming dram;
    std::vector<NocCoord> dram_ports;  ///< by memory channel
    int dram_requests = 12;            ///< a port holds
    int dram_buffer = 64;              ///< flits between controller and NoC
    RouterLimits router;
    int issue = 24;      ///< clocks between requests of a core
    int initiators = 4;  ///< reads a core has under way
    std::optional<EthTiming> eth;
};

/// Throws Error(Input) with the place of a missing, unknown or senseless entry.
MemoryConstants read_memory_constants(const std::string& file);
/// Of the chip of that name, read once.
const MemoryConstants& memory_constants(const std::string& chip_name);

}  // namespace tt::sim
