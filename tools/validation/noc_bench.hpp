// Patterns of transfers as in the vendor's public data movement tests: cores issue transactions back to back in a loop
// and wait for all of them at a barrier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/noc/fabric.hpp"

namespace ttsim::impl::noc {

enum class Pattern {
    OneFromOne,  ///< one core reads from one
    OneToOne,    ///< one writes to one
    OneFromAll,
    OneToAll,
    AllToOne,    ///< all write to one
    AllFromOne,  ///< all read from one
    AllToAll,
    AllFromAll,
    Multicast,  ///< one writes to a rectangle
};
/// "one_from_one" ...
const std::vector<std::string>& pattern_names();

struct BenchCase {
    Pattern pattern = Pattern::OneFromOne;
    std::uint64_t bytes = 4096;  ///< of a transaction
    std::uint32_t count = 1;     ///< transactions from each core to each destination
    int noc = 0;
    bool dram = false;           ///< the remote memory is a DRAM channel; one_from_one and one_to_one only
    bool same_axis = false;      ///< the remote core is in the same column; else both coordinates differ
    bool loopback = false;       ///< the remote core is the core itself
    bool stateful = false;       ///< calls that keep the destination register set
    bool linked = false;         ///< multicasts that keep their path reserved
    int grid_x = 0, grid_y = 0;  ///< grid of "all" or of the multicast rectangle; 0: that of the chip
};

struct BenchResult {
    double cycles = 0;           ///< start of the loops to the last barrier
    double bytes_per_cycle = 0;  ///< per issuing core
    Fabric::Use links, nius, dram;
    std::uint64_t packets = 0;
};

/// Throws Error(Unsupported) for impossible cases, such as a multicast that reads DRAM.
BenchResult bench(const BenchCase& what, const Topology& topology, const Constants& constants);

}  // namespace ttsim::impl::noc
