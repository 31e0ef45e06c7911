// The parts of validate(), one per group of rules.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "netlist/checks/name_index.hpp"
#include "netlist/checks/validate.hpp"

namespace ttsim::impl::checking {

struct Validation {
    const Netlist& netlist;
    const ChipParams& chip;
    const DeviceGrid& grid;
    std::int64_t chips;
    Diagnostics& out;
    NameIndex index;
    std::unordered_map<std::string_view, std::vector<const Queue*>> fed_queues;  ///< op -> queues it writes
    std::unordered_map<std::string_view, std::vector<const Op*>> readers;        ///< queue or op -> ops that read it
    std::unordered_map<std::string_view, std::unordered_set<const Graph*>>
        reader_graphs;  ///< queue or op -> graphs that read it
};

/// Placement of ops and queues: chips, grids, channels, addresses, Ethernet.
void check_places(Validation& v);
/// Connections: formats, tile dims and shapes at both ends, TMs, untilized and gradient outputs, aliases.
void check_links(Validation& v);
/// Kernel broadcasts must hold all tiles that are read. Only for otherwise valid netlists.
void check_broadcasts(Validation& v);
/// Programs: variables, loops, executes and their settings.
void check_programs(Validation& v);

}  // namespace ttsim::impl::checking
