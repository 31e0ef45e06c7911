// JSON files of a folder for Reportify, the viewer of PyBuda's compiler graphs. Files with the ending .buda are JSON
// too.
#pragma once

#include <nlohmann/json.hpp>

#include "netlist/device/device.hpp"

namespace ttsim::impl::report {

/// A graph of a pass (compiler/model/pass_graph.hpp) as a .buda file.
nlohmann::ordered_json pass_buda(const nlohmann::ordered_json& pass);
/// The placed netlist: all of it, or one epoch (a graph by index) with its queues.
nlohmann::ordered_json netlist_buda(const Netlist& netlist, std::optional<std::size_t> epoch = std::nullopt);
/// Grids of ops ("netlist") and the chip's cores ("device_info"), for the page of the placement.
nlohmann::ordered_json placement_json(const Netlist& netlist, const ChipInstance& chip);
/// DRAM addresses of queues by channel; of dynamic queues by epoch. `test`: the name of the test in the file.
nlohmann::ordered_json dram_json(const Netlist& netlist, const std::string& test);

}  // namespace ttsim::impl::report
