// One op on one core as the kernel-time model sees it: what it computes, in which formats, in which blocks.
#pragma once

#include <cstdint>
#include <string>

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "kernels/op_config.hpp"

namespace ttsim::impl {

/// What of a sparse matmul's encoding is there, all output slices of one input on one core.
struct SparseCounts {
    std::int64_t strips = 0, ublocks = 0, tiles = 0;
    friend bool operator==(const SparseCounts&, const SparseCounts&) = default;
};

struct KernelShape {
    std::string op;  ///< registry name; reduce carries reduce_dim, sparse matmul is `matmul_sparse`
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
    bool gelu = false;                                         ///< of a product: gelu on its result in Dst
    std::int64_t nz_strips = 0, nz_ublocks = 0, nz_tiles = 0;  ///< sparse matmul, all slices of one input
    /// Whether operands come by streams the kernel must ask for tiles, and its result leaves by one it must ask for
    /// room.
    bool waits = true, pushes = true;
    // A sub-op of a fused op: its threads are set up for it once a micro-block, it takes operands that the sub-op
    // before left in Dst, and its result stays there for the next.
    bool sub_op = false;
    int in_dest = 0;  ///< how many of its operands
    bool stays_in_dest = false;
    int min_buffer_input = 0;  ///< of a matmul: the operand that is waited for a row (0) or column (1) of micro-blocks

    std::int64_t ublocks() const { return mblock_m * mblock_n; }
    std::int64_t ublock_tiles() const { return ublock_rt * ublock_ct; }
    friend bool operator==(const KernelShape&, const KernelShape&) = default;
};

/// The families of kernels: which threads do what.
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

/// Where a micro-block stands among the k-blocks of a matmul: whether partial sums come back and where results go.
/// Sparse matmul: a strip that touches the micro-block, or not (Idle).
enum class BlockPosition : std::uint8_t { Only, First, Middle, Last, Idle };

}  // namespace ttsim::impl
