// What a chip is, as numbers: read from configs/<chip>.yaml, every number there with its source.
// Code branches on these features, never on a chip's name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "isa/data_format.hpp"

namespace tt {

struct NocCoord {
    int x = 0;
    int y = 0;
    friend auto operator<=>(const NocCoord&, const NocCoord&) = default;
};

/// What the netlist rules and kernels depend on.
struct ChipFeatures {
    bool fp32_dest = false;   ///< acc_df Float32 and Int32
    bool tiny_tiles = false;  ///< tile_dim other than 32x32
    bool l1_accumulate = false;
    bool stochastic_rounding = false;
    bool transpose_binary = false;  ///< transpose on input 0 of a binary op
    bool sfpu_on_pack_thread = false;
    bool gradient_any_op = false;  ///< else only matmul, multiply, datacopy
    bool dram_ports = false;       ///< read_ports / write_ports on queues
    bool cross_graph_ops = false;  ///< an op may read an op of another graph; ethernet_datacopy
    int dest_tiles_16b = 8;        ///< ublock limit with a 16-bit Dst
    int dest_tiles_32b = 4;
};

/// Rates and latencies of the NoC, and what estimates need. Cycles are AI clock cycles.
struct ChipTiming {
    std::string chip;            ///< whose kernel constants and instruction set
    double noc_link_bytes = 32;  ///< per cycle and direction
    int noc_hop = 9;
    int noc_niu = 5;  ///< NIU to router and router to NIU, each
    int noc_packet_bytes = 8192;
    int noc_issue = 24;             ///< initiator, per packet
    double dram_read_bytes = 22.3;  ///< per cycle and channel
    double dram_write_bytes = 21.9;
    int epoch_load = 0;  ///< cycles to load what every core of the chip needs for an epoch, for estimates
};

struct ChipParams {
    std::string name;                         ///< grayskull, wormhole, wormhole_b0
    int grid_x = 0, grid_y = 0;               ///< NoC grid
    std::vector<int> worker_x, worker_y;      ///< distinct columns and rows of Tensix cores, ascending
    std::vector<std::vector<NocCoord>> dram;  ///< per channel its NoC ports
    std::vector<NocCoord> eth;                ///< per Ethernet channel
    NocCoord pcie, arc;
    bool harvest_from_end = false;  ///< translation hardware: harvested rows count from the end
    std::int64_t clock_mhz = 1000;
    std::int64_t l1_bytes = 0, l1_reserved = 0, eth_l1_bytes = 0, eth_l1_reserved = 0;
    std::int64_t dram_channel_bytes = 0;
    int dram_blocks = 1;  ///< memories of equal size in one channel, by address; each has the rates of `timing`
    ChipFeatures features;
    ChipTiming timing;
};

/// Reads configs/chips/<name>.yaml below the configuration folder (see config_dir()). Throws Error(Input).
ChipParams read_chip(const std::string& file);
/// The chip of that name (any letter case), read once. Throws when there is none.
const ChipParams& chip(const std::string& name);
std::vector<std::string> chip_names();
/// Where configs/ is: beside the program's build tree or the installed share folder.
std::string config_dir();

}  // namespace tt
