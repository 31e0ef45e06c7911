#include "kernels/timing/kernel_timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/timing/slice_clocks.hpp"

namespace ttsim::impl {

namespace {

void set_sparse(KernelShape& s, const OpConfig& op, const std::optional<SparseCounts>& known) {
    s.op = "matmul_sparse";
    std::int64_t strips = s.t;
    for (const std::int64_t n : op.attr.num_nz_strips) strips = std::max(strips, n);
    s.nz_strips = known ? known->strips : strips;
    s.nz_ublocks = known ? known->ublocks : at_least_one(strips * s.mblock_m / 2);
    // A tile row of a shifted image overlaps two tile rows of the image, for any k-block length.
    const std::int64_t row_tiles = std::min(s.u_kt, std::int64_t{10});
    s.nz_tiles = known ? known->tiles : at_least_one(s.nz_ublocks * s.ublock_rt * row_tiles / 5);
    // The sparse tiles are input 0 and the activations input 1, as for a dense matmul.
    if (op.in_df.size() > 1) s.in1 = op.in_df[1];
}

/// The micro-blocks of a reduction are those of its operand.
void set_reduce(KernelShape& s, const OpConfig& op, const OpDef& def) {
    s.reduce_dim = op.attr.reduce_dim;
    if (s.reduce_dim == ReduceDim::Z) {
        s.z = at_least_one(op.attr.z);
        return;
    }
    const OperandUse use = def.use(op, 0, 0, 0);
    if (use.rects.empty()) return;
    s.ublock_rt = at_least_one(use.chunk_rt);
    s.ublock_ct = at_least_one(use.chunk_ct);
    s.mblock_m = at_least_one(use.rects.front().nr / s.ublock_rt);
    s.mblock_n = at_least_one(use.rects.front().nc / s.ublock_ct);
}

SliceClocks op_clocks(const OpConfig& op, const OpDef& def, const KernelModel& model,
                      const std::optional<SparseCounts>& sparse, bool alone) {
    if (def.op_class == OpClass::Fused && op.fused) return fused_clocks(op, model, alone);
    const KernelShape shape = kernel_shape(op, def, sparse);
    return slice_clocks(model, alone ? without_stream_waits(shape) : shape);
}

Cycles round_cycles(double cycles) { return Cycles(static_cast<std::uint64_t>(std::llround(std::max(0.0, cycles)))); }

}  // namespace

KernelShape kernel_shape(const OpConfig& op, const OpDef& def, const std::optional<SparseCounts>& sparse) {
    KernelShape s;
    s.op = std::string(def.name);
    s.approximate = op.attr.approximate_mode;
    s.vector = op.attr.vector.value_or(VectorMode::RC);
    s.fidelity = op.fidelity == Fidelity::Invalid ? Fidelity::LoFi : op.fidelity;
    s.in0 = op.in_df.empty() ? op.out_df : op.in_df[0];
    s.in1 = op.in_df.size() > 1 && def.op_class != OpClass::Move ? op.in_df[1] : DataFormat::Invalid;
    s.out = op.out_df;
    s.intermed = op.intermed_df;
    s.acc = op.acc_df;
    s.t = at_least_one(op.out.t);
    s.mblock_m = at_least_one(op.out.mblock_m);
    s.mblock_n = at_least_one(op.out.mblock_n);
    s.ublock_rt = at_least_one(op.out.ublock_rt);
    s.ublock_ct = at_least_one(op.out.ublock_ct);
    s.m_k = at_least_one(op.attr.m_k);
    s.u_kt = at_least_one(op.attr.u_kt);
    s.l1_acc = op.attr.l1_acc;
    s.bias = op.attr.bias;
    s.gelu = op.attr.sfpu_gelu;
    s.min_buffer_input = op.attr.min_buffer_input;
    if (def.op_class == OpClass::SparseMatmul || (def.op_class == OpClass::Matmul && op.attr.identity))
        set_sparse(s, op, sparse);
    if (def.op_class == OpClass::Reduce) set_reduce(s, op, def);
    if (!has_kernel_model(s))
        s.op = "nop";  // data movement without a model: tilizer, embedding, ethernet_datacopy, topk
    return s;
}

std::vector<StepTime> step_times(const OpConfig& op, const OpDef& def, const ChipTiming& chip,
                                 std::span<const double> shares, const std::optional<SparseCounts>& sparse) {
    const KernelModel& model = kernel_model(chip.chip);
    const SliceClocks slice = op_clocks(op, def, model, sparse, false), alone = op_clocks(op, def, model, sparse, true);
    std::vector<StepTime> times;
    for (const double share : shares)
        times.push_back({round_cycles(slice.threads[0] * share), round_cycles(slice.threads[1] * share),
                         round_cycles(slice.threads[2] * share), round_cycles(slice.math_busy * share),
                         round_cycles(slice.counted * share), round_cycles(alone.threads[0] * share),
                         round_cycles(alone.threads[1] * share), round_cycles(alone.threads[2] * share)});
    return times;
}

StepTime step_time(const OpConfig& op, const OpDef& def, const ChipTiming& chip, const StepWork& work) {
    return step_times(op, def, chip, {&work.share, 1}, work.sparse).front();
}

}  // namespace ttsim::impl
