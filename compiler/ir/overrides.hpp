// What the user decides for single ops, by their names in the netlist.
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
    std::optional<std::pair<std::int64_t, std::int64_t>> place;  ///< its first core
    std::optional<bool> transpose;                               ///< rows of the grid along columns of the chip
    std::optional<std::int64_t> t;                               ///< slices of rows
    std::optional<std::int64_t> t_columns;                       ///< slices of columns
    std::optional<bool> by_columns;     ///< where it goes in slices, whether they are of columns (t_dir: r or c)
    std::optional<std::int64_t> u_kt;   ///< tiles of the inner block
    std::optional<std::int64_t> parts;  ///< of a product with constants: ops that make its columns, 2 to 8; 1: whole
    std::vector<std::int64_t> input_buffers;          ///< least tiles of each operand's buffer
    std::vector<std::int64_t> input_blocks;           ///< the same in blocks as the op takes them at once
    std::optional<std::int64_t> output_buffers;       ///< buf_size_mb of the netlist
    std::optional<bool> dram_parameters;              ///< its constants come from DRAM for each input, or stay in L1
    std::vector<std::int64_t> queued;                 ///< operands that go through a queue in DRAM
    std::vector<std::int64_t> nops;                   ///< how many stand before each operand
    std::map<std::string, std::int64_t> nops_behind;  ///< how many stand between it and an op that it reads
    std::optional<bool> fuse;              ///< never part of a chain; or always, where its neighbours are so too
    std::vector<std::string> after;        ///< ops of the netlist that come before it
    bool epoch_break = false;              ///< an epoch begins with it
    bool chip_break = false;               ///< the ops from it on are on the next chip
    std::optional<std::int64_t> chip;      ///< its own; ops behind it are where those before it are
    std::optional<std::int64_t> fracture;  ///< of a convolution of the model: parts its kernel's rows are cut into

    bool places() const;  ///< anything for an op of the netlist is set
    bool shapes() const;  ///< anything that is done before elementwise ops become one
    bool begins_epoch() const { return epoch_break || chip_break || chip; }
};
using Overrides = std::map<std::string, OpOverride>;

/// Adds those of a YAML file. Throws Error(Input) at the place of what is wrong.
void read_overrides(const std::string& file, Overrides& into);
void parse_overrides(const std::string& text, const std::string& file, Overrides& into);
/// Adds one of the command line.
void parse_override(const std::string& text, Overrides& into);

/// Names that overrides may be for.
struct OverrideNames {
    std::vector<std::string> ops;           ///< of the netlist
    std::vector<std::string> apart;         ///< before elementwise ops become one: of `nops` and `fuse`
    std::vector<std::string> convolutions;  ///< of the model: of `fracture`
};

/// Takes out what check_overrides() would refuse and says so, a line each: names that another way of reading the same
/// model may have.
std::vector<std::string> drop_unknown(Overrides& overrides, const OverrideNames& names);

/// Throws Error(Input) for names that none of the ops has, and for `fracture` none of the convolutions.
void check_overrides(const Overrides& overrides, const OverrideNames& names);

}  // namespace ttsim::impl::ir
