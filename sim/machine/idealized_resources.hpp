// What of a machine takes no time in a run, to see what the run would gain without it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl::sim {

/// Transfers through a free part begin when they are ready and never wait for others; the way to it still takes time.
struct IdealizedResources {
    bool noc = false, ethernet = false;
    bool host = false;  ///< PCIe
    bool load = false;  ///< kernels and programs of epochs
    bool dram = false;  ///< all channels, or
    std::set<std::int64_t> dram_channels;
    std::set<std::string> ops;    ///< kernels of these take no time
    std::set<std::string> pipes;  ///< what comes into these, from wherever, takes no time
    std::set<std::string> sends;  ///< what goes out of these to other ops takes no time
    std::set<std::string> room;   ///< their operand and output buffers hold two inputs more, whatever L1 has

    bool any() const;
    bool frees_channel(std::int64_t channel) const { return dram || dram_channels.contains(channel); }
};

/// Of "noc", "eth", "host", "load", "dram", "dram:CHANNEL", "op:NAME", "pipes:NAME",
/// "sends:NAME", "room:NAME".
/// Throws Error(Input) for another word.
IdealizedResources parse_idealized_resources(const std::vector<std::string>& words);
/// Throws Error(Input) for an op that the netlist does not have.
void check_names(const IdealizedResources& parts, const Netlist& netlist);

}  // namespace ttsim::impl::sim
