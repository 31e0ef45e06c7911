// Which machine a run uses: chips with their working rows, and the links between them.
//   product name (gs_e150, wh_n300, ...) | chip folder | soc descriptor + cluster descriptor | arch default --> Machine
#pragma once

#include <string>
#include <vector>

#include "isa/arch.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// What the checks of a netlist ask of one chip: logical worker rows and columns, DRAM and Ethernet channels.
struct DeviceGrid {
    std::int64_t rows = 0, cols = 0, dram_channels = 0, eth_channels = 0;
    std::int64_t dram_channel_bytes = 0;
};

/// One chip of a machine: ChipParams with the rows that are left after harvesting.
struct ChipInstance {
    std::int64_t id = 0;
    ChipParams params;                ///< worker_x, worker_y hold the working columns and rows only (noc0 coordinates)
    std::vector<int> harvested_rows;  ///< noc0 y of rows taken away
    bool mmio = false;                ///< has a host link of its own
    NocCoord worker(std::int64_t logical_row, std::int64_t logical_col) const {
        return {params.worker_x[static_cast<std::size_t>(logical_col)],
                params.worker_y[static_cast<std::size_t>(logical_row)]};
    }
};

struct EthLink {  ///< both directions
    std::int64_t chip_a = 0, channel_a = 0, chip_b = 0, channel_b = 0;
    friend bool operator==(const EthLink&, const EthLink&) = default;
};

struct Machine {
    std::string name;                 ///< product or descriptor, for the report
    std::vector<ChipInstance> chips;  ///< ascending id
    std::vector<EthLink> links;

    const ChipInstance* find(std::int64_t id) const;
    DeviceGrid grid(std::int64_t id) const;
    /// Chips a transfer passes, from `from` to `to` inclusive, over a shortest path (lowest ids first on ties);
    /// empty when there is none. Chips without Ethernet reach each other peer to peer over PCIe: {from, to}.
    std::vector<std::int64_t> route(std::int64_t from, std::int64_t to) const;
};

struct MachineOptions {
    std::string device{};               ///< product, soc descriptor, chip folder; "" = all of arch
    std::string cluster{};              ///< cluster descriptor file; "" = default cluster
    std::vector<int> harvested_rows{};  ///< noc0 y, every chip
    std::int64_t chips = 1;             ///< highest chip id of the netlist + 1
};

/// The machine for a netlist on `arch`, a chip's name or path. Throws Error(Input) with the place in a descriptor, or
/// naming the flag.
Machine make_machine(const std::string& arch, const MachineOptions& options);

/// The chip that `device` is or is made of, as chip() takes it; "" where it does not say (a soc descriptor, no device).
std::string device_chip(const std::string& device);

/// Products of products.yaml, and chips whose `summary` makes them devices: name, arch, chips, grid, a sentence.
struct ProductInfo {
    std::string name, arch, summary;
    std::int64_t chips = 1, rows = 0, cols = 0;
};
std::vector<ProductInfo> products();

}  // namespace ttsim::impl
