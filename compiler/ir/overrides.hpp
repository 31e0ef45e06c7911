// The user's overrides for single ops, by their names in the netlist.
//
//   in a YAML file            matmul_1: {size: [2, 4], place: [0, 0], transpose: true, t: 4, u_kt: 2,
//                                        input_buffers: [0, 16], output_buffers: 4, epoch_break: true}
//                             add_2: {queued: [1], nops: [0, 2], after: [matmul_1], fuse: false, t_columns: 2, chip: 1}
//                             add_3: {nops: {matmul_1: 1}, input_blocks: [4]}
//                             conv1: {fracture: 3}
//                             matmul_4: {parts: 4}
//   on the command line       matmul_1:size=2x4,place=0x0,transpose=1,t=4,u_kt=2,input_buffers=0x16,epoch_break=1
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace ttsim::impl::ir {

struct OpOverride {
    SourceLoc loc;
    std::optional<std::pair<std::int64_t, std::int64_t>> size;   ///< grid: rows, columns of cores
    std::optional<std::pair<std::int64_t, std::int64_t>> place;  ///< coordinates of its first core
    std::optional<bool> transpose;                               ///< grid rows lie along columns of the chip
    std::optional<std::int64_t> t;                               ///< number of slices by rows
    std::optional<std::int64_t> t_columns;                       ///< number of slices by columns
    std::optional<bool> by_columns;     ///< if it streams: whether slices are by columns (t_dir: r or c)
    std::optional<std::int64_t> u_kt;   ///< inner dimension of a block, in tiles
    std::optional<std::int64_t> parts;  ///< of a product with constants: split by columns into 2 to 8 ops; 1: not split
    std::vector<std::int64_t> input_buffers;     ///< minimum size of each operand's buffer in tiles
    std::vector<std::int64_t> input_blocks;      ///< the same in blocks of the op
    std::optional<std::int64_t> output_buffers;  ///< buf_size_mb of the netlist
    std::optional<bool> dram_parameters;         ///< its constants: read from DRAM for each input (true), or kept in L1
    std::vector<std::int64_t> queued;            ///< indices of operands that pass through a queue in DRAM
    std::vector<std::int64_t> nops;              ///< number of nops before each operand
    std::map<std::string, std::int64_t> nops_after;  ///< number of nops between this op and the named one it reads
    std::optional<bool> fuse;        ///< false: never fused; true: always, with neighbours for which it is true as well
    std::vector<std::string> after;  ///< ops of the netlist that precede it
    bool epoch_break = false;        ///< starts an epoch
    bool chip_break = false;         ///< it and later ops are on the next chip
    std::optional<std::int64_t> chip;      ///< the chip of this op only; later ops stay on the chip of the earlier ones
    std::optional<std::int64_t> fracture;  ///< of a convolution of the model: parts of its kernel's rows

    bool affects_placement() const;  ///< has a setting that applies to an op of the netlist
    bool affects_fusion() const;     ///< has a setting that applies before elementwise ops are fused
    bool begins_epoch() const { return epoch_break || chip_break || chip; }
};
using Overrides = std::map<std::string, OpOverride>;

/// Adds the overrides of a YAML file. Throws Error(Input) at the position of an error.
void read_overrides(const std::string& file, Overrides& into);
void parse_overrides(const std::string& text, const std::string& file, Overrides& into);
/// Adds the override of a command line option.
void parse_override(const std::string& text, Overrides& into);

/// Names that overrides may refer to.
struct OverrideNames {
    std::vector<std::string> ops;           ///< ops of the netlist
    std::vector<std::string> apart;         ///< ops before fusion of elementwise ops: for `nops` and `fuse`
    std::vector<std::string> convolutions;  ///< convolutions of the model: for `fracture`
};

/// An override without effect.
struct IgnoredOverride {
    std::string op;
    std::string code;     ///< error_code::unknown_name or cannot_stream
    std::string nearest;  ///< the most similar name of an op; "": none is similar
    std::string message;
    friend bool operator==(const IgnoredOverride&, const IgnoredOverride&) = default;
};

/// Removes overrides that check_overrides() would reject and returns them. Another frontend of the same model may have
/// those names.
std::vector<IgnoredOverride> drop_unknown(Overrides& overrides, const OverrideNames& names);

/// Throws Error(Input) for names that no op has, and with `fracture` no convolution.
void check_overrides(const Overrides& overrides, const OverrideNames& names);

}  // namespace ttsim::impl::ir
