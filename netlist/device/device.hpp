// The machine of a run: chips with their working rows, and the links between them.
// product name (gs_e150, wh_n300, ...) | chip folder | soc descriptor + cluster descriptor | arch default --> Machine
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/arch.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Sizes of one chip for netlist checks: logical worker rows and columns, DRAM and Ethernet channels.
struct DeviceGrid {
    std::int64_t rows = 0, cols = 0, dram_channels = 0, eth_channels = 0;
    std::int64_t dram_channel_bytes = 0;
};

/// One chip of a machine: ChipParams with the rows and columns left after harvesting.
struct ChipInstance {
    std::int64_t id = 0;
    ChipParams params;                ///< worker_x, worker_y hold the working columns and rows only (noc0 coordinates)
    std::vector<int> harvested_rows;  ///< noc0 y of the harvested rows
    bool mmio = false;                ///< has its own host link
    std::vector<int> harvested_columns{};  ///< noc0 x of the harvested columns
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
    /// The chips on a shortest path from `from` to `to`, inclusive (lowest ids first on ties); empty if there is none.
    /// Chips without Ethernet use peer-to-peer PCIe: {from, to}.
    std::vector<std::int64_t> route(std::int64_t from, std::int64_t to) const;
};

struct MachineOptions {
    std::string device{};               ///< product, soc descriptor, chip folder; "" = all of arch
    std::string cluster{};              ///< cluster descriptor file; "" = default cluster
    std::vector<int> harvested_rows{};  ///< noc0 y, every chip
    std::int64_t chips = 1;             ///< highest chip id of the netlist + 1
};

/// Creates the machine for a netlist on `arch`, a chip's name or path. Throws Error(Input) with the place in a
/// descriptor or the name of the flag.
Machine make_machine(const std::string& arch, const MachineOptions& options);

/// The chip of `device`, as an argument for chip(); "" if `device` does not determine it (a soc descriptor, or no
/// device).
std::string device_chip(const std::string& device);

/// Harvests the line of cores at noc0 `at` (a column if `column`) of a chip; no effect if it is harvested already.
/// `source` names the option or file in errors. Throws Error(Input) for a line without cores, or the last one.
void harvest_line(ChipInstance& instance, int at, bool column, std::string_view source);

/// Products of products.yaml, and chips with a `summary`: name, arch, chips, grid, description.
struct ProductInfo {
    std::string name, arch, summary;
    std::int64_t chips = 1, rows = 0, cols = 0;
    bool validated = false;  ///< ChipParams::validated of its chips
};
std::vector<ProductInfo> products();

}  // namespace ttsim::impl
