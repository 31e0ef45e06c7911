# One file per op family, in the order of docs/ops.md. Each "OpDef op_NAME" that a file defines is in the table
# (op_table.cpp). Paths are relative to kernels/.
set(OP_SOURCES
  ops/copy.cpp ops/ethernet_datacopy.cpp ops/sfpu_op.cpp ops/sfpu_unary.cpp ops/sfpu_attributed.cpp ops/binary.cpp ops/quantization.cpp
  ops/matmul.cpp ops/matmul_sparse.cpp ops/depthwise.cpp ops/reduce.cpp ops/fused_op.cpp
  ops/tilizer.cpp ops/splice.cpp ops/embedding.cpp ops/topk.cpp
  ops/attribute.cpp ops/op_checks.cpp ops/golden_result.cpp ops/integer_bits.cpp)

# generated/op_list.hpp: the ops that these files define
tt_list_definitions(HEADER op_list.hpp SOURCES ${OP_SOURCES} PATTERN "OpDef (op_[a-z0-9_]+)( =|{)" TYPE OpDef NAMESPACE ttsim::impl
  INCLUDE kernels/ops/op_def.hpp TABLE found_ops)

# Loops over elements: vectorised for the baseline. No flag here changes a value (no errno, no FP traps are observed).
tt_source_flags(SOURCES ops/sfpu_unary.cpp ops/sfpu_attributed.cpp ops/binary.cpp ops/quantization.cpp ops/op_common.cpp FLAGS -O3 -fno-math-errno -fno-trapping-math)
