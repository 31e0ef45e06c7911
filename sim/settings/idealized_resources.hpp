// Resources that take no time in a what-if run, which shows how much they limit the real run.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl::sim {

/// Transfers through an idealized resource start when they are ready and never queue; the latency of the route remains.
struct IdealizedResources {
    bool noc = false, ethernet = false;
    bool host = false;  ///< PCIe
    bool load = false;  ///< kernels and programs of epochs
    bool dram = false;  ///< all channels; else those of dram_channels
    std::set<std::int64_t> dram_channels;
    /// DRAM channels that stand for the L1 of a core each, without pins and the latency of DRAM. Not of a what-if run:
    /// device sessions place operands there (runtime/operand_places.hpp).
    std::set<std::int64_t> l1_channels;
    std::set<std::string> ops;    ///< kernels of these ops take no time
    std::set<std::string> pipes;  ///< transfers to the operands of these ops take no time
    std::set<std::string> sends;  ///< transfers from these ops to other ops take no time
    std::set<std::string>
        room;  ///< operand and output buffers of these ops hold two more inputs, regardless of the size of L1

    bool any() const;
    friend auto operator<=>(const IdealizedResources&, const IdealizedResources&) = default;
    bool idealizes_channel(std::int64_t channel) const {
        return dram || dram_channels.contains(channel) || is_l1(channel);
    }
    bool is_l1(std::int64_t channel) const { return l1_channels.contains(channel); }
};

/// Parses "noc", "eth", "host", "load", "dram", "dram:CHANNEL", "op:NAME", "pipes:NAME",
/// "sends:NAME", "room:NAME".
/// Throws Error(Input) for another word.
IdealizedResources parse_idealized_resources(const std::vector<std::string>& words);
/// Throws Error(Input) for an op that the netlist does not have.
void check_names(const IdealizedResources& parts, const Netlist& netlist);

}  // namespace ttsim::impl::sim
