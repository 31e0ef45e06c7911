// Calibrated constants of the kernel-time model, per chip, from timing.yaml of its folder. Each has a description, a
// source and the remaining model error there. All other times come from instruction streams.
#pragma once

#include <map>
#include <string>

namespace ttsim::impl {

/// Pipes that fed and drained the op in a measured sweep. Only comparisons with measured rows use them
/// (tools/validation/sweep_pipes.hpp); in a simulation the machine's pipes replace them.
struct SweepPipes {
    double supply_bytes = 14, matmul_supply_bytes = 11, depthwise_supply_bytes = 14, drain_bytes = 24;  ///< per clock
    double reduce_supply_bytes = 21, supply_iteration = 0;  ///< of a reduction; cycles from freed space to new tiles
    double slice_moves = 10;        ///< to move a tile of a reduction along z to Dst, with the hand-over
    double supply_block = 1;        ///< minimum tiles of a micro-block for operands to wait for their stream
    double supply_window = 40960;   ///< operands of one input up to this many bytes do not wait for their stream
    double supply_tile = 0;         ///< cycles per tile in addition to its bytes
    double supply_tile_single = 0;  ///< additional, if a single input was measured
    double inputs = 128;            ///< number of inputs of a row that does not specify it
};

struct KernelConstants {
    std::string chip;
    SweepPipes sweep;
    // rates, bytes per cycle
    double unpack_bytes = 64, unpack_bytes_bfp = 80, pack_elements = 64;
    // cost for a thread to request tiles and space from streams, per micro-block
    double stream_wait = 100, stream_push = 100;
    // RISC-V work of the three threads, cycles
    double unpack_operand = 50, unpack_copy_tile = 9, unpack_elw_tile = 0, unpack_matmul_ublock = 60;
    double unpack_row = 50, unpack_step = 50;  ///< of a matmul: per row of micro-blocks, per k-block
    double math_ublock = 4, math_ublock_int = 30, math_copy_tile = 2, math_elw_tile = 2, math_product = 2,
           math_product_tile = 0, math_16bit_tile = 0;
    double pack_ublock = 80, pack_tile = 9, pack_int = 60, pack_many = 0, pack_product_tile = 0;
    double l1_acc_bytes = 0;  ///< L1 bandwidth that the unpackers lose per tile that the packer adds to partial sums
    double reload_unpack = 60, reload_math = 100, reload_tile = 0, reload_tile_32b = 100;
    double reduce_ublock = 10, reduce_column = 20, reduce_z_step = 10, slice_copy_16bit = 20, slice_latency = 150;
    double splice_ublock = 0, splice_tile = 0;
    double sub_op = 100;  ///< unpack and math threads, per micro-block of a fused op's sub-op
    double strip = 100, strip_idle = 150, strip_tile = 45, strip_output = 80, strip_ublock = 0;
    // per input: pipeline fill and drain, and reconfiguration between inputs
    double input_eltwise = 60, input_int = 250, input_matmul = 150, input_reduce = 0, input_sparse = 200;
    // FPU products per 32x32x32 tile product and phase, by kind of kernel
    double mvmul_per_phase = 16, sparse_mvmul_per_phase = 14;
    /// Instructions of an SFPU kernel per tile, by op and mode: "exp", "exp/approx", "add/Int32".
    std::map<std::string, double> sfpu;
    /// The part of these instructions that the chip's performance counter counts.
    std::map<std::string, double> sfpu_counted;
    /// Cycles per micro-block by which an op's kernel differs from its family, by op.
    std::map<std::string, double> ublock_extra;

    /// Instructions of `op` in the given mode: "op/mode", else "op", else "default".
    double sfpu_count(const std::string& op, const std::string& mode) const;
    /// Counted instructions: "op/mode", else "op"; if neither is listed, all instructions.
    double sfpu_counted_instructions(const std::string& op, const std::string& mode) const;
};

/// Reads a file; every constant is required. Throws Error(Input).
KernelConstants read_kernel_constants(const std::string& file);
/// The constants of a chip, by name or path. Each file is read once.
const KernelConstants& kernel_constants(const std::string& chip_name);

}  // namespace ttsim::impl
