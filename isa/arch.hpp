// Parameters of a chip, read from the YAML files of configs/chips/NAME/; each number there has its source.
// chip.yaml: places, sizes, features; names the other parts, or a chip that it inherits from (`like`)
// isa.yaml, timing.yaml, memory.yaml, noc.yaml: see isa/chip_part.hpp
// Code branches on these features, never on a chip's name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl {

struct NocCoord {
    int x = 0;
    int y = 0;
    friend auto operator<=>(const NocCoord&, const NocCoord&) = default;
};

/// Features of a chip that netlist rules and kernels depend on.
struct ChipFeatures {
    bool fp32_dest = false;   ///< acc_df Float32 and Int32
    bool tf32 = false;        ///< SrcA and SrcB hold TF32, not only 16-bit formats
    int fpu_rows = 8;         ///< rows of Dst per element-wise FPU instruction
    int sfpu_lanes = 32;      ///< elements per SFPU instruction
    bool tiny_tiles = false;  ///< tile_dim other than 32x32
    bool l1_accumulate = false;
    bool stochastic_rounding = false;
    bool transpose_binary = false;  ///< transpose on input 0 of a binary op
    bool sfpu_on_pack_thread = false;
    bool gradient_any_op = false;   ///< otherwise only matmul, multiply, datacopy
    bool dram_ports = false;        ///< read_ports / write_ports on queues
    bool cross_graph_ops = false;   ///< an op may read an op of another graph; ethernet_datacopy
    bool dest_any_operand = false;  ///< a sub-op of a fused op may read Dst as any operand, otherwise only as the first
    bool broadcast_blocks = false;  ///< kernel broadcasts of a matmul must hold whole inner blocks
    bool untilize_integers = false;  ///< untilize_output of Int8 and Int32
    bool fpu_minus_unit = false;     ///< a sum of -1 unit of a 32-bit Dst comes out 2^27 times too large (--math exact)
    /// Bytes; tiles and queues are padded to multiples of it, and a queue's header has as many.
    std::int64_t noc_alignment = default_noc_alignment;
    int dest_tiles_16b = 8;  ///< ublock limit with a 16-bit Dst
    int dest_tiles_32b = 4;
};

/// Rates and latencies of NoC and DRAM, and values for estimates, in AI clock cycles.
struct ChipTiming {
    std::string chip;            ///< chip.yaml that these times belong to; an argument for chip()
    double noc_link_bytes = 32;  ///< per cycle and direction
    int noc_hop = 9;
    int noc_niu = 5;  ///< NIU to router and router to NIU, each
    int noc_packet_bytes = 8192;
    int noc_issue = 24;             ///< initiator, per packet
    double dram_read_bytes = 22.3;  ///< per cycle and channel
    double dram_write_bytes = 21.9;
    int epoch_load = 0;  ///< for estimates: cycles to load programs and configuration of all cores for an epoch
};

/// Paths of the files of a chip's parts, own or inherited.
struct ChipFiles {
    std::string isa, timing, memory, noc;
};

/// Memory that the vendor's runtime reserves and maps, for device images.
struct ChipImages {
    int epoch_slots = 0;                   ///< pending commands per core; 0: not known
    int channel_cores = 0;                 ///< cores whose programs are on the busiest DRAM channel; 0: an equal share
    std::vector<std::int64_t> host_bytes;  ///< host memory that a chip can access, per channel; empty: not known
};

struct ChipParams {
    std::string name;            ///< the folder's name, in small letters
    std::string file;            ///< chip.yaml it was read from; absolute
    std::string summary;         ///< one sentence; not empty if the chip is a selectable device
    std::string note;            ///< printed with every run and check on the chip; "" for none
    bool validated = false;      ///< results were compared with measurements of this chip; never inherited
    bool is_default = false;     ///< the chip of commands that name none; never inherited
    std::string tt_perf_report;  ///< its name for tt-perf-report; "": not supported there
    ChipFiles files;
    int grid_x = 0, grid_y = 0;               ///< NoC grid
    std::vector<int> worker_x, worker_y;      ///< distinct columns and rows of Tensix cores, ascending
    std::vector<std::vector<NocCoord>> dram;  ///< per channel its NoC ports
    std::vector<NocCoord> eth;                ///< per Ethernet channel
    NocCoord pcie, arc;
    bool harvest_from_end = false;  ///< translation hardware: harvested rows count from the end
    bool harvests_columns = false;  ///< cards lose columns of cores; otherwise rows
    std::int64_t clock_mhz = 1000;
    std::int64_t l1_bytes = 0, l1_reserved = 0, eth_l1_bytes = 0, eth_l1_reserved = 0;
    std::int64_t dram_channel_bytes = 0;
    int dram_blocks = 1;  ///< memories of equal size in one channel, by address; each has the rates of `timing`
    ChipFeatures features;
    ChipTiming timing;
    ChipImages images;
};

/// Reads a chip.yaml. Throws Error(Input).
ChipParams read_chip(const std::string& file);
/// Finds a chip by name (any letter case), or by the path of its folder or chip.yaml. Each file is read once. A chip
/// found by path is later known by name too, unless a configuration folder has a chip of that name. Throws Error(Input)
/// if there is none. The reference is valid until the process ends.
const ChipParams& chip(const std::string& name_or_path);
/// The chips of the configuration folders (isa/config_dir.hpp) and those found by their path, in alphabetical order.
std::vector<std::string> chip_names();
/// The chip of commands that name none: the first with `default: true` in chip.yaml. Throws Error(Input) if there is
/// none.
const ChipParams& default_chip();
/// Whether a chip of that name is known and validated.
bool is_validated(const std::string& name);
/// What every report on the chip states: its note, and that it is not validated.
std::vector<std::string> chip_notes(const ChipParams& params);
/// Whether `text` is the path of a chip's folder or chip.yaml. Soc descriptors do not count.
bool is_chip_path(const std::string& text);

}  // namespace ttsim::impl
