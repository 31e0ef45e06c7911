// Copies, SFPU ops, element-wise ops and reductions.
#include <algorithm>

#include "isa/data_format.hpp"

#include "kernels/streams/emitter.hpp"

namespace ttsim::impl::streams {

namespace {

double pack_clocks(const Emitter& e) { return e.output_clocks() + ublock_extra_cycles(e.shape, e.c); }

/// Unpacks and computes a micro-block of tiles of one operand.
void single_operand(Emitter& e, double sfpu_instructions, double counted) {
    const bool splice = family_of(e.shape) == KernelFamily::Splice;
    if (e.shape.in_dest > 0) {
        for (std::int64_t i = 0; sfpu_instructions > 0 && i < e.shape.ublock_tiles(); ++i)
            e.sfpu_tile(sfpu_instructions, counted);
        return;
    }
    e.risc(unpack, splice ? e.c.splice_ublock : e.c.unpack_operand, splice ? "splice_ublock" : "unpack_operand");
    for (std::int64_t i = 0; i < e.shape.ublock_tiles(); ++i) {
        e.risc(unpack, e.c.unpack_copy_tile, "unpack_copy_tile");
        e.unpack_tile(false, e.shape.in0);
        e.copy_tile();
        if (sfpu_instructions > 0) e.sfpu_tile(sfpu_instructions, counted);
    }
}

bool plain_copy(const KernelShape& shape) {
    const KernelFamily family = family_of(shape);
    return family == KernelFamily::Copy || family == KernelFamily::Splice;
}

}  // namespace

void build_unary(Emitter& e) {
    const bool splice = family_of(e.shape) == KernelFamily::Splice;
    e.wait_operands();
    e.math_begin();
    const std::string mode = sfpu_mode(e.shape);
    if (plain_copy(e.shape))
        single_operand(e, 0, 0);
    else
        single_operand(e, e.c.sfpu_count(e.shape.op, mode), e.c.sfpu_counted_instructions(e.shape.op, mode));
    e.math_end();
    // The packer of a splice follows its unpacker, so its synchronization cost is in the unpacker's.
    if (!splice) return e.pack_block(e.shape.ublock_tiles(), pack_clocks(e), false);
    e.risc(KernelThread::Pack, e.c.splice_tile * static_cast<double>(e.shape.ublock_tiles()), "splice_tile");
    e.pack_block(e.shape.ublock_tiles(), 0, false);
}

namespace {

/// SFPU: copies operands to Dst through SrcA unless they are in Dst.
void sfpu_pair(Emitter& e) {
    const KernelShape& s = e.shape;
    for (int operand = s.in_dest; operand < 2; ++operand) {
        e.unpack_tile(false, operand == 0 ? s.in0 : s.in1);
        e.copy_tile();
    }
    e.sfpu_tile(e.c.sfpu_count(s.op, sfpu_mode(s)), e.c.sfpu_counted_instructions(s.op, sfpu_mode(s)));
}

/// FPU: from SrcA and SrcB. An operand in Dst is moved back to SrcA while the other is unpacked.
void fpu_pair(Emitter& e) {
    const KernelShape& s = e.shape;
    const bool product = s.op == "multiply";
    const int phase_count = product ? static_cast<int>(phases(s.fidelity).size()) : 1;
    e.risc(unpack, e.c.unpack_elw_tile, "unpack_elw_tile");
    if (s.in_dest > 0)
        e.set_bank_valid(false);
    else
        e.unpack_tile(false, s.in0);
    if (s.in_dest > 1)
        e.set_bank_valid(true);
    else
        e.unpack_tile(true, s.in1);
    if (s.in_dest > 0) e.fetch_tile();
    e.eltwise_tile(product ? "ELWMUL" : s.op == "subtract" ? "ELWSUB" : "ELWADD", phase_count);
}

}  // namespace

void build_binary(Emitter& e) {
    const bool sfpu = family_of(e.shape) == KernelFamily::SfpuBinary;
    const int unpacked = 2 - std::min(2, e.shape.in_dest);
    e.wait_operands();
    e.risc(unpack, unpacked * e.c.unpack_operand + ublock_extra_cycles(e.shape, e.c), "unpack_operand");
    e.math_begin();
    for (std::int64_t i = 0; i < e.shape.ublock_tiles(); ++i)
        if (sfpu)
            sfpu_pair(e);
        else
            fpu_pair(e);
    e.math_end();
    e.pack_block(e.shape.ublock_tiles(), pack_clocks(e), false);
}

namespace {

/// A micro-block of one slice. The unpacker waits for the math thread, which compares a tile for longer than it takes
/// to unpack one; meanwhile the RISC-V gets the tiles of the next slice.
void reduce_slice(Emitter& e, double sfpu_instructions, double counted, double copied_tile) {
    if (e.shape.in_dest > 0) return single_operand(e, sfpu_instructions, counted);
    if (e.shape.waits) e.ahead(unpack, e.c.stream_wait, "stream_wait");
    e.ahead(unpack, e.c.unpack_operand, "unpack_operand");
    for (std::int64_t i = 0; i < e.shape.ublock_tiles(); ++i) {
        e.ahead(unpack, e.c.unpack_copy_tile, "unpack_copy_tile");
        e.unpack_tile(false, e.shape.in0);
        e.copy_tile();
        e.risc(math, copied_tile, "slice_copy_16bit");
        if (sfpu_instructions > 0) e.sfpu_tile(sfpu_instructions, counted);
    }
}

}  // namespace

void build_reduce(Emitter& e) {
    const KernelShape& s = e.shape;
    e.math_begin();
    if (s.reduce_dim == ReduceDim::Z) {
        // The first slice is copied to Dst, each later one compared with it.
        const bool wide = !is_block_float(s.in0);
        const double instructions = e.c.sfpu_count("reduce", wide ? "z16" : "z");
        const double counted = e.c.sfpu_counted_instructions("reduce", wide ? "z16" : "z");
        const double wait = s.ublocks() == 1 ? e.c.slice_latency : 0;
        for (std::int64_t z = 0; z < s.z; ++z) {
            if (z > 0) e.risc(math, e.c.reduce_z_step + wait, "reduce_z_step");
            reduce_slice(e, z > 0 ? instructions : 0, counted, z == 0 && s.z > 1 && wide ? e.c.slice_copy_16bit : 0);
        }
    } else {
        const bool rows = s.reduce_dim == ReduceDim::R;
        const std::int64_t chain = rows ? s.mblock_m : s.reduce_dim == ReduceDim::C ? s.mblock_n : s.ublocks();
        for (std::int64_t i = 0; i < chain; ++i) {
            e.risc(unpack, e.c.reduce_ublock, "reduce_ublock");
            if (rows) e.risc(math, e.c.reduce_column * static_cast<double>(s.ublock_ct), "reduce_column");
            single_operand(e, e.c.sfpu_count("reduce", rows ? "r" : "c"),
                           e.c.sfpu_counted_instructions("reduce", rows ? "r" : "c"));
        }
    }
    e.math_end();
    const std::int64_t rows = s.reduce_dim == ReduceDim::R || s.reduce_dim == ReduceDim::RC ? 1 : s.ublock_rt;
    const std::int64_t columns = s.reduce_dim == ReduceDim::C || s.reduce_dim == ReduceDim::RC ? 1 : s.ublock_ct;
    e.pack_block(rows * columns, pack_clocks(e), false);
}

}  // namespace ttsim::impl::streams
