// Configuration of an op for the kernels: sizes, formats, attributes. Built by the netlist reader, or by tests.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

enum class UblockOrder : std::uint8_t { Row, Column };

/// Blocking of a tensor: grid of cores (or buffers) x mblock (ublocks) x ublock (tiles), t slices.
struct Blocking {
    std::int64_t grid_r = 1, grid_c = 1;
    std::int64_t mblock_m = 1, mblock_n = 1;
    std::int64_t ublock_rt = 1, ublock_ct = 1;
    std::int64_t t = 1;
    UblockOrder order = UblockOrder::Row;
    friend bool operator==(const Blocking&, const Blocking&) = default;

    std::int64_t core_rt() const { return mblock_m * ublock_rt; }  ///< tile rows of one core
    std::int64_t core_ct() const { return mblock_n * ublock_ct; }
    std::int64_t ublock_tiles() const { return ublock_rt * ublock_ct; }
    std::int64_t mblock_tiles() const { return core_rt() * core_ct(); }
    std::int64_t cores() const { return grid_r * grid_c; }
    TileShape shape() const { return {t, grid_r * core_rt(), grid_c * core_ct()}; }
};

enum class ReluMode : std::uint8_t { None, Min, Max };
enum class VectorMode : std::uint8_t { R, C, RC };  ///< first 4 rows, first 16 columns, all
enum class ReduceDim : std::uint8_t { None, R, C, RC, Z };
enum class TopkSort : std::uint8_t { Max, ArgMax };
enum class SpliceUnit : std::uint8_t { Ublock, T };

struct SpliceInput {
    std::int64_t index = 0, length = 0, stride = 0;
    friend bool operator==(const SpliceInput&, const SpliceInput&) = default;
};

/// The value of an attribute, by kind (kernels/ops/attribute.hpp): flag, integer, number, word, list of integers, tiles
/// by input.
using AttrValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::map<int, std::int64_t>>;

/// The attributes of an op with their defaults. The op table lists which op has which attributes, and their fields
/// here.
struct OpAttributes {
    std::int64_t m_k = 0, u_kt = 0;
    bool bias = false, accumulate = false, l1_acc = false;
    std::int64_t z = 0;
    bool sfpu_gelu = false;  ///< sfpu_op: gelu
    int min_buffer_input = -1;
    bool requant = false, dequant = false;
    double zero_point = 0;
    // sparse matmul
    bool identity = false;
    std::int64_t num_index_tiles = 0, num_sparse_tiles = 0, num_columns = 0;
    std::int64_t sparse_tile_ptr_bits = 0, sparse_ublock_idx_bits = -1, indices_len = 0;
    std::int64_t fracture_factor = 1, starting_row = 0, act_t = 0;
    std::vector<std::int64_t> num_nz_strips;
    // SFPU
    std::optional<VectorMode> vector;
    bool approximate_mode = false;
    bool sfpu_on_pack = false;
    ReluMode relu = ReluMode::None;
    bool relu_en = false;
    float relu_threshold = 0;
    std::string stoch_rnd_mode = "none";
    ReduceDim reduce_dim = ReduceDim::None;
    std::string reduce_type;  ///< max (sum and avg are names only)
    double p = 0;
    std::int64_t seed = 0;
    double slope = 0.01;
    std::int64_t exp = 0;
    std::string fused_op_id;
    SpliceUnit granularity = SpliceUnit::Ublock;
    std::vector<SpliceInput> splice;  ///< per input
    std::int64_t num_indices = 0;
    std::int64_t k = 0;
    TopkSort sort = TopkSort::Max;
    bool kreduce = false;
    std::map<int, std::int64_t> kernel_broadcast;        ///< input -> tiles
    std::map<int, std::int64_t> kernel_broadcast_per_t;  ///< input -> tiles
    std::vector<std::int64_t> ingress_channels, egress_channels;
    std::int64_t dest_device = -1;
    std::map<std::string, AttrValue, std::less<>>
        more;  ///< by name: attributes without a field that differ from the default
    friend bool operator==(const OpAttributes&, const OpAttributes&) = default;
};

/// The operand or result of a sub-op of a fused op.
struct FusedOperand {
    enum class Kind : std::uint8_t { Input, Intermed, Dest, Output } kind = Kind::Input;
    int index = 0;  ///< of input or intermediate
    friend bool operator==(const FusedOperand&, const FusedOperand&) = default;
};

/// TMs that a sub-op applies to one of its inputs, in order.
struct FusedTm {
    enum class Kind : std::uint8_t { BroadcastR, BroadcastC, TileBroadcastR, TileBroadcastC } kind;
    std::int64_t factor = 1;
    friend bool operator==(const FusedTm&, const FusedTm&) = default;
};

struct FusedSubOp {
    std::string name, type;
    SourceLoc loc;
    std::vector<FusedOperand> inputs;
    std::vector<std::vector<FusedTm>> input_tms;  ///< per input
    FusedOperand output;
    std::int64_t mblock_m = 1, mblock_n = 1, ublock_rt = 1, ublock_ct = 1;
    OpAttributes attributes;
    std::vector<FusedOperand> pop, pop_last;
};

struct FusedDefinition {
    std::string id;
    SourceLoc loc;
    std::int64_t inputs = 0, intermediates = 0;
    std::vector<std::vector<FusedSubOp>> schedules;
};

/// What sizes and arithmetic of an op depend on in its chip; set_chip() sets it (netlist/netlist.hpp).
struct ChipTraits {
    std::int64_t alignment = default_noc_alignment;  ///< ChipFeatures::noc_alignment
    bool fpu_minus_unit = true;                      ///< ChipFeatures::fpu_minus_unit
};

/// What the numbers of a random op depend on beside its attributes. Golden gets all; blocks get the input and the place
/// of their core by BlockArgs.
struct RandomOrigin {
    std::int64_t input = 0;         ///< number of the input in the run
    std::int64_t row = 0, col = 0;  ///< of the first element: sub-ops are computed core by core
    std::int64_t rows = 0;          ///< of a slice of all cores, for sub-ops; 0: those of the result
};

/// Everything that the functions of the op table need to know about an op.
struct OpConfig {
    std::string type;  ///< registry name
    std::string name;  ///< for messages
    SourceLoc loc;
    Blocking out;
    TileDim tile;                  ///< of the output
    std::vector<TileShape> in;     ///< operand shapes after unpad, TMs and pad
    std::vector<TileDim> in_tile;  ///< operand tile dims after TMs
    std::vector<DataFormat> in_df;
    DataFormat acc_df = DataFormat::Float16_b;
    DataFormat intermed_df = DataFormat::Float16_b;
    DataFormat out_df = DataFormat::Float16_b;
    Fidelity fidelity = Fidelity::HiFi4;
    OpAttributes attr;
    bool gradient = false;
    bool untilize = false;
    std::shared_ptr<const FusedDefinition> fused;
    ChipTraits chip;
    RandomOrigin random;

    /// Bytes of a tile of operand k, and of the output, in L1 and DRAM.
    std::int64_t in_tile_bytes(std::size_t k) const { return tile_bytes(in_df[k], in_tile[k], chip.alignment); }
    std::int64_t out_tile_bytes() const { return tile_bytes(out_df, tile, chip.alignment); }
};

}  // namespace ttsim::impl
