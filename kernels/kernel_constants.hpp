// The named calibrated constants of the kernel-time model, per chip: timing.yaml of its folder, each with what it is,
// its source and how far off it leaves the model. Everything else comes from instruction streams.
#pragma once

#include <map>
#include <string>

namespace ttsim::impl {

/// The pipes that fed and drained the op of a measured sweep. No kernel has them: only measured rows are timed with
/// them (tools/validation/sweep_pipes.hpp); in a simulation the machine's pipes stand in their place.
struct SweepPipes {
    double supply_bytes = 14, matmul_supply_bytes = 11, depthwise_supply_bytes = 14, drain_bytes = 24;  ///< per clock
    double reduce_supply_bytes = 21, supply_iteration = 0;  ///< of a reduction; clocks until freed space brings tiles
    double supply_block = 1;        ///< tiles of a micro-block from which on operands wait for their stream
    double supply_window = 40960;   ///< operands of one input up to this many bytes do not wait for their stream
    double supply_tile = 0;         ///< clocks per tile besides its bytes
    double supply_tile_single = 0;  ///< the same, more, where a single input was measured
    double inputs = 128;            ///< over which a row was measured that does not say
};

struct KernelConstants {
    std::string chip;
    SweepPipes sweep;
    // rates, bytes per clock
    double unpack_bytes = 64, unpack_bytes_bfp = 80, pack_elements = 64;
    // what asking a stream for tiles and for room takes a thread, per micro-block
    double stream_wait = 100, stream_push = 100;
    // RISC-V work of the three threads, clocks
    double unpack_operand = 50, unpack_copy_tile = 9, unpack_elw_tile = 0, unpack_matmul_ublock = 60;
    double unpack_row = 50, unpack_step = 50;  ///< of a matmul: per row of micro-blocks, per k-block
    double math_ublock = 4, math_ublock_int = 30, math_copy_tile = 2, math_elw_tile = 2, math_product = 2,
           math_product_tile = 0, math_16bit_tile = 0;
    double pack_ublock = 80, pack_tile = 9, pack_int = 60, pack_many = 0, pack_product_tile = 0;
    double reload_unpack = 60, reload_math = 100, reload_tile = 0, reload_tile_32b = 100;
    double reduce_ublock = 10, reduce_column = 20, reduce_z_step = 10, slice_latency = 150;
    double splice_ublock = 0, splice_tile = 0;
    double sub_op = 100;  ///< unpack and math threads, per micro-block of a fused op's sub-op
    double strip = 100, strip_idle = 150, strip_tile = 45, strip_output = 80, strip_ublock = 0;
    // per input: fill and drain of the pipeline and reconfiguration between inputs
    double input_eltwise = 60, input_int = 250, input_matmul = 150, input_reduce = 0, input_sparse = 200;
    // products of the matrix unit per 32x32x32 tile product, phase and kind of kernel
    double mvmul_per_phase = 16, sparse_mvmul_per_phase = 14;
    /// Instructions of an SFPU kernel per tile, by op and mode: "exp", "exp/approx", "add/Int32".
    std::map<std::string, double> sfpu;
    /// Those of them that the chip's performance counter shows.
    std::map<std::string, double> sfpu_counted;
    /// Clocks per micro-block by which an op's kernel build differs from its family's, by op.
    std::map<std::string, double> ublock_extra;

    /// The count of `op` in the given mode: "op/mode", else "op", else "default".
    double sfpu_count(const std::string& op, const std::string& mode) const;
    /// The same of the counter, "op/mode", else "op"; where neither is listed, all of them.
    double sfpu_shown(const std::string& op, const std::string& mode) const;
};

/// Reads one file; every constant must be there. Throws Error(Input).
KernelConstants read_kernel_constants(const std::string& file);
/// Those of a chip, by name or path, read once for each file.
const KernelConstants& kernel_constants(const std::string& chip_name);

}  // namespace ttsim::impl
