// Rules of docs/netlist.md shared by several ops. Each reports violations at op.loc, with the correct values.
#pragma once

#include <string>

#include "isa/arch.hpp"
#include "kernels/op_config.hpp"

namespace ttsim::impl {

/// Rules for every op of a graph: operand count, blocking, Dst limit, chip features, tile dims, stochastic rounding,
/// l1_acc, relu, gradient_op, untilize_output, integer and raw formats, kernel broadcasts. Called before OpDef::check.
void check_common(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out);

/// True if the op has all operands of its configuration, each with shape, tile dim and format, so that OpDef::check may
/// index them. Reports nothing: check_common() reports a wrong count.
bool operands_complete(const OpConfig& op);

/// Maximum tiles of a ublock in Dst with this acc_df.
int dest_limit(DataFormat acc_df, const ChipFeatures& chip);
/// Reports "ublock of 4x3 tiles ..." if tiles exceed dest_limit(). `what` names the ublock, as in "ublock of 'op0'".
void check_dest_limit(const OpConfig& op, std::int64_t tiles, const std::string& what, const ChipFeatures& chip,
                      Diagnostics& out);

/// Every operand must have the output's slices, rows and columns of tiles.
void check_eltwise_shapes(const OpConfig& op, Diagnostics& out);
/// Operands 0 and 1 must have the same tile dim.
void check_same_tile_dim(const OpConfig& op, Diagnostics& out);
/// Checks the relu attributes against the output format.
void check_relu(const OpAttributes& attr, DataFormat out_df, const std::string& name, const SourceLoc& loc,
                Diagnostics& out);

/// "1x4x8" : slices x tile rows x tile columns.
std::string shape_text(TileShape shape);

}  // namespace ttsim::impl
