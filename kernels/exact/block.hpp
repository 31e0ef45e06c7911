// The bit-true arithmetic on the matrices the simulator works with: operands and results are float32 values of their
// formats, as everywhere in kernels/ops. All of it is --math exact; what costs no more than another way is fast math
// too.
#pragma once

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/op_config.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::exact {

/// sums += in0 x in1 on unpacked operands in `format` (of in0), k tile by k tile of `k_tile` inner indices. Integers
/// (acc Int32) multiply as their phases do.
void product(DataFormat format, DataFormat acc, Fidelity fidelity, std::int64_t k_tile, ConstMatrixView in0,
             ConstMatrixView in1, MatrixView sums);

/// Unpacked operands through SrcA into an empty Dst.
void move_to_dest(DataFormat format, DataFormat acc, MatrixView values);

/// Dst packed to `intermediate` in L1 and read back into Dst. A Float32 intermediate of a 32-bit Dst returns unchanged:
/// the unpacker writes it to Dst directly.
void spill_and_reload(DataFormat acc, DataFormat intermediate, MatrixView dest);

/// l1 += dest: the packer's sum of two L1 contents of `format` (Float32 or Float16_b), both values of it.
void add_in_l1(DataFormat format, ConstMatrixView added, MatrixView l1);

/// ReLU between the packer's early and late step; `values` leave Dst (acc) and come back after the early step.
void pack_relu(DataFormat acc, DataFormat out, const OpAttributes& attributes, MatrixView values);

}  // namespace ttsim::impl::exact
