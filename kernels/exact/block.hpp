// Bit-true arithmetic on matrices. Operands and results are float32 values of their formats, as in kernels/ops. --math
// exact uses all of it; fast math uses the parts that cost no more than an approximation.
#pragma once

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/op_config.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::exact {

/// sums += in0 x in1 on unpacked operands in `format` (of in0), per k tile of `k_tile` inner indices. Integers (acc
/// Int32) are multiplied by fidelity phases.
void product(DataFormat format, DataFormat acc, Fidelity fidelity, const ChipTraits& chip, std::int64_t k_tile,
             ConstMatrixView in0, ConstMatrixView in1, MatrixView sums);

/// Copies unpacked operands through SrcA into an empty Dst.
void move_to_dest(DataFormat format, DataFormat acc, MatrixView values);

/// Packs Dst to `intermediate` in L1 and reads it back into Dst. A Float32 intermediate of a 32-bit Dst is unchanged,
/// since the unpacker writes it to Dst directly.
void spill_and_reload(DataFormat acc, DataFormat intermediate, MatrixView dest);

/// l1 += added, as the packer accumulates in L1. Both hold values of `format` (Float32 or Float16_b).
void add_in_l1(DataFormat format, ConstMatrixView added, MatrixView l1);

/// Applies ReLU between the packer's early and late step. `values` are Dst elements (acc) on entry, and results of the
/// early step after.
void pack_relu(DataFormat acc, DataFormat out, const OpAttributes& attributes, MatrixView values);

}  // namespace ttsim::impl::exact
