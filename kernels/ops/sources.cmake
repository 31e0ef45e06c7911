# One file per op family (kernels/ops/op_table.cpp lists the ops). Paths are relative to kernels/.
set(OP_SOURCES
  ops/copy.cpp ops/sfpu_op.cpp ops/sfpu_unary.cpp ops/sfpu_attributed.cpp ops/binary.cpp ops/quantization.cpp ops/tilizer.cpp ops/splice.cpp
  ops/embedding.cpp ops/topk.cpp ops/ethernet_datacopy.cpp
  ops/matmul.cpp ops/matmul_sparse.cpp ops/depthwise.cpp ops/reduce.cpp ops/fused_op.cpp
  ops/attribute.cpp ops/op_checks.cpp ops/golden_result.cpp ops/integer_bits.cpp)

# Loops over elements: vectorised for the baseline. No flag here changes a value (no errno, no FP traps are observed).
tt_source_flags(SOURCES ops/sfpu_unary.cpp ops/sfpu_attributed.cpp ops/binary.cpp ops/quantization.cpp ops/op_common.cpp FLAGS -O3 -fno-math-errno -fno-trapping-math)
