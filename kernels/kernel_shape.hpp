// One op on one core as input of the kernel-time model: operation, formats, blocking.
#pragma once

#include <cstdint>
#include <string>

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/op_config.hpp"

namespace ttsim::impl {

/// Nonzero parts of a sparse matmul's encoding: all output slices of one input on one core.
struct SparseCounts {
    std::int64_t strips = 0, ublocks = 0, tiles = 0;
    friend bool operator==(const SparseCounts&, const SparseCounts&) = default;
};

/// Sparse tiles for each row of output tiles in the picker of a convolution. A row of output tiles reads one row of
/// activation tiles, or two where the kernel's offset or the image's edge splits it. ResNet-50's first convolution on
/// Wormhole (7x1 cores, 27,450 clk an input) fits 1.2.
inline constexpr double convolution_row_tiles = 1.2;

struct KernelShape {
    std::string op;  ///< name in the op table; reduce has reduce_dim, sparse matmul is `matmul_sparse`
    ReduceDim reduce_dim = ReduceDim::None;
    bool approximate = false;
    VectorMode vector = VectorMode::RC;
    Fidelity fidelity = Fidelity::LoFi;
    DataFormat in0 = DataFormat::Float16_b, in1 = DataFormat::Invalid;
    DataFormat out = DataFormat::Float16_b, intermed = DataFormat::Float16_b, acc = DataFormat::Float16_b;
    std::int64_t t = 1, mblock_m = 1, mblock_n = 1, ublock_rt = 1, ublock_ct = 1;
    std::int64_t m_k = 1, u_kt = 1, z = 1;
    bool l1_acc = false;
    bool bias = false;
    bool gelu = false;                                         ///< product only: gelu on the result in Dst
    std::int64_t nz_strips = 0, nz_ublocks = 0, nz_tiles = 0;  ///< sparse matmul, all slices of one input
    /// Whether the kernel waits for operand tiles from streams, and for output space of a stream.
    bool waits = true, pushes = true;
    // A sub-op of a fused op: its threads are configured once per micro-block. It can use operands that the previous
    // sub-op left in Dst, and leave its result there.
    bool sub_op = false;
    int in_dest = 0;  ///< number of operands in Dst
    bool stays_in_dest = false;
    int min_buffer_input = 0;  ///< matmul: the operand that is waited for per row (0) or column (1) of micro-blocks

    std::int64_t ublocks() const { return mblock_m * mblock_n; }
    std::int64_t ublock_tiles() const { return ublock_rt * ublock_ct; }
    friend bool operator==(const KernelShape&, const KernelShape&) = default;
};

/// Kernel families, which differ in the work of the threads.
enum class KernelFamily : std::uint8_t {
    Copy,
    Unary,
    Binary,
    SfpuBinary,
    Splice,
    ReduceTile,
    ReduceZ,
    Matmul,
    Depthwise,
    Sparse
};
KernelFamily family_of(const KernelShape& shape);

/// Position of a micro-block among the k-blocks of a matmul. It determines whether partial sums are reloaded and where
/// results go. Sparse matmul: a strip that touches the micro-block, or not (Idle).
enum class BlockPosition : std::uint8_t { Only, First, Middle, Last, Idle };

}  // namespace ttsim::impl
