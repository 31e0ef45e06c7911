// L1 buffer sizes of a core, and whether they fit (docs/modelling.md "L1 space").
#pragma once

#include "netlist/device/device.hpp"
#include "netlist/plan/plan.hpp"

namespace tt {

/// Tiles of an op's output buffer per core, unless it hands over blocks of which few are ever made (HandOver).
std::int64_t output_buffer_tiles(const Op& op);
/// Whether partial sums lie in the output buffer.
bool packs_in_place(const OpConfig& op);
/// Tiles of the input buffer of a streamed operand k per core.
std::int64_t input_buffer_tiles(const Op& op, std::size_t k, const OperandUse& use, std::int64_t tile_bytes);
/// Whether output and operand buffers (PlanOperand::l1_tiles) fit in what the chip leaves.
bool fits_l1(const PlanOp& op, const ChipParams& chip);
/// Adds an error at the op's place when they do not.
void check_l1(const PlanOp& op, const ChipParams& chip, Diagnostics& out);

}  // namespace tt
