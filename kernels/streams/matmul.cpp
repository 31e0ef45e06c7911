// Dense, depthwise and sparse matmul.
#include <algorithm>

#include "kernels/streams/emitter.hpp"

namespace ttsim::impl::streams {

namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Reloads partial sums of the micro-block from L1 through SrcA.
void reload(Emitter& e) {
    e.risc(unpack, e.c.reload_unpack, "reload_unpack");
    e.risc(math, e.c.reload_math, "reload_math");
    const bool wide = e.shape.intermed == DataFormat::Int32 || e.shape.intermed == DataFormat::Float32;
    for (std::int64_t i = 0; i < e.shape.ublock_tiles(); ++i) {
        e.risc(unpack, e.c.unpack_copy_tile, "unpack_copy_tile");
        e.unpack_tile(false, e.shape.intermed);
        e.risc(math, e.c.reload_tile + (wide ? e.c.reload_tile_32b : 0), "reload_tile");
        e.copy_tile();
    }
}

/// One inner step: each tile of the operand with fewer tiles stays in its bank while all tiles of the other are
/// unpacked. `lost_bytes`: L1 bandwidth that the unpackers lose to the packer in the step.
void inner_step(Emitter& e, std::int64_t rt, std::int64_t ct, double per_phase, double lost_bytes) {
    const int phase_count = static_cast<int>(phases(e.shape.fidelity).size());
    const std::int64_t outer = std::min(rt, ct), inner = std::max(rt, ct);
    const bool rows_outside = rt <= ct;
    const double lost = lost_bytes / static_cast<double>(outer * (1 + inner));
    for (std::int64_t o = 0; o < outer; ++o) {
        e.unpack_tile(true, rows_outside ? e.shape.in0 : e.shape.in1, lost);
        for (std::int64_t i = 0; i < inner; ++i) {
            e.unpack_tile(false, rows_outside ? e.shape.in1 : e.shape.in0, lost);
            e.product(phase_count, per_phase, i + 1 == inner);
        }
    }
}

struct Flow {
    bool reloads, is_output;
};
Flow flow(const KernelShape& shape, BlockPosition position) {
    const bool last = position == BlockPosition::Only || position == BlockPosition::Last;
    const bool first = position == BlockPosition::Only || position == BlockPosition::First;
    return {!first && !shape.l1_acc, last};
}

/// A micro-block's share of waiting for and releasing operands: one operand once per k-block, the other per row of
/// micro-blocks (per column with min_buffer_input 1).
double operand_clocks(const KernelShape& s, const KernelConstants& c) {
    const auto times = static_cast<double>(s.min_buffer_input == 1 ? s.mblock_n : s.mblock_m);
    return (c.unpack_step + c.unpack_row * times) / static_cast<double>(s.ublocks());
}

/// Whether the packer adds the micro-block to partial sums in L1.
bool accumulates(const KernelShape& s, BlockPosition position) { return s.l1_acc && position != BlockPosition::Only; }

void pack(Emitter& e, BlockPosition position, bool to_output) {
    e.pack_block(e.shape.ublock_tiles(),
                 (to_output ? e.output_clocks() : e.c.pack_ublock) +
                     e.c.pack_product_tile * static_cast<double>(e.shape.ublock_tiles()),
                 accumulates(e.shape, position));
}

}  // namespace

void build_matmul(Emitter& e, BlockPosition position) {
    const KernelShape& s = e.shape;
    const Flow f = flow(s, position);
    e.risc(unpack, e.c.unpack_matmul_ublock + operand_clocks(s, e.c), "unpack_matmul_ublock");
    e.math_begin();
    if (f.reloads) reload(e);
    // The packer's accesses to partial sums in L1 take bandwidth from the unpackers.
    const double lost_bytes =
        accumulates(s, position) ? e.c.l1_acc_bytes * as_double(s.ublock_tiles()) / as_double(s.u_kt) : 0;
    for (std::int64_t k = 0; k < s.u_kt; ++k) inner_step(e, s.ublock_rt, s.ublock_ct, e.c.mvmul_per_phase, lost_bytes);
    e.risc(math, e.c.math_product_tile * static_cast<double>(s.ublock_tiles()), "math_product_tile");
    if (f.is_output) e.activation();
    e.math_end();
    pack(e, position, f.is_output);
}

void build_depthwise(Emitter& e) {
    const KernelShape& s = e.shape;
    const int phase_count = static_cast<int>(phases(s.fidelity).size());
    e.risc(unpack, e.c.unpack_matmul_ublock, "unpack_matmul_ublock");
    e.math_begin();
    // Sums stay in Dst. Each output tile uses its own weight tile, so no tile is reused.
    for (std::int64_t k = 0; k < s.m_k * s.u_kt; ++k)
        for (std::int64_t i = 0; i < s.ublock_tiles(); ++i) {
            e.unpack_tile(true, s.in0);
            e.unpack_tile(false, s.in1);
            e.product(phase_count, e.c.mvmul_per_phase, true);
        }
    e.math_end();
    pack(e, BlockPosition::Only, true);
}

void build_sparse(Emitter& e, MicroBlock block) {
    const KernelShape& s = e.shape;
    const int phase_count = static_cast<int>(phases(s.fidelity).size());
    if (block.position == BlockPosition::Idle) {  // the strip's encoding skips this micro-block
        e.risc(unpack, e.c.strip_idle, "strip_idle");
        return;
    }
    const bool reloads = block.position == BlockPosition::Middle;
    e.risc(unpack, e.c.strip_ublock, "strip_ublock");
    e.math_begin();
    if (reloads) reload(e);
    for (std::int64_t i = 0; i < block.strip_tiles; ++i) {
        // The unpack thread decodes the entry, then unpacks the activations of its row.
        e.ahead(unpack, e.c.strip_tile, "strip_tile");
        e.unpack_tile(true, s.in0);
        for (std::int64_t column = 0; column < s.ublock_ct; ++column) {
            e.unpack_tile(false, s.in1);
            e.product(phase_count, e.c.sparse_mvmul_per_phase, column + 1 == s.ublock_ct);
        }
    }
    e.math_end();
    e.pack_block(s.ublock_tiles(), e.c.pack_ublock, false);
}

}  // namespace ttsim::impl::streams
