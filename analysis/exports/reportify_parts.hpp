// The parts of a Reportify folder, each in its own source file.
#pragma once

#include <nlohmann/json.hpp>

#include "netlist/device/device.hpp"

namespace ttsim::impl::report {

/// A graph of a pass (compiler/model/pass_graph.hpp) as a .buda file.
nlohmann::ordered_json pass_buda(const nlohmann::ordered_json& pass);
/// The placed netlist: all of it, or one epoch (a graph by index) with its queues.
nlohmann::ordered_json netlist_buda(const Netlist& netlist, std::optional<std::size_t> epoch = std::nullopt);
/// {"netlist": .., "device_info": ..}.
nlohmann::ordered_json placement_json(const Netlist& netlist, const ChipInstance& chip);
/// Addresses of queues by channel, and by epochs for queues that programs allocate.
nlohmann::ordered_json dram_json(const Netlist& netlist, const std::string& test);

}  // namespace ttsim::impl::report
