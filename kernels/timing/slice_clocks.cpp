#include "kernels/timing/slice_clocks.hpp"

namespace ttsim::impl {

void SliceClocks::add(const SliceClocks& other) {
    for (std::size_t i = 0; i < thread_count; ++i) threads[i] += other.threads[i];
    math_busy += other.math_busy;
    counted += other.counted;
}

namespace {

/// Cycles of `count` ublocks, without the costs per input.
SliceClocks blocks_clocks(double count, const ScoreboardResult& block) {
    SliceClocks clocks;
    for (std::size_t i = 0; i < thread_count; ++i) clocks.threads[i] = count * block.busy[i];
    const auto longest = std::max_element(clocks.threads.begin(), clocks.threads.end());
    *longest = std::max(*longest, count * block.steady);
    clocks.math_busy = count * block.math_busy;
    clocks.counted = count * block.counted;
    return clocks;
}

bool is_kind(const FusedOperand& operand, FusedOperand::Kind kind) { return operand.kind == kind; }

DataFormat format_of(const OpConfig& op, const FusedOperand& operand) {
    if (operand.kind != FusedOperand::Kind::Input) return op.intermed_df;
    const auto k = static_cast<std::size_t>(operand.index);
    return k < op.in_df.size() ? op.in_df[k] : op.out_df;
}

/// A sub-op as a separate op.
KernelShape sub_shape(const OpConfig& op, const FusedSubOp& sub) {
    using Kind = FusedOperand::Kind;
    KernelShape s;
    s.op = sub.type == "matmul" || has_kernel_model({.op = sub.type}) ? sub.type : "nop";
    s.sub_op = true;
    s.fidelity = op.fidelity;
    s.in0 = sub.inputs.empty() ? op.out_df : format_of(op, sub.inputs[0]);
    s.in1 = sub.inputs.size() > 1 ? format_of(op, sub.inputs[1]) : DataFormat::Invalid;
    s.out = is_kind(sub.output, Kind::Output) ? op.out_df : op.intermed_df;
    s.intermed = op.intermed_df;
    s.acc = op.acc_df;
    s.mblock_m = at_least_one(sub.mblock_m);
    s.mblock_n = at_least_one(sub.mblock_n);
    s.ublock_rt = at_least_one(sub.ublock_rt);
    s.ublock_ct = at_least_one(sub.ublock_ct);
    s.m_k = at_least_one(sub.attributes.m_k);
    s.u_kt = at_least_one(sub.attributes.u_kt);
    s.approximate = op.attr.approximate_mode;  // sub-ops have no own setting
    s.vector = sub.attributes.vector.value_or(VectorMode::RC);
    s.waits = std::any_of(sub.inputs.begin(), sub.inputs.end(),
                          [](const FusedOperand& in) { return is_kind(in, Kind::Input); });
    s.pushes = is_kind(sub.output, Kind::Output);
    if (sub.type == "reduce") {
        s.op = "reduce";
        s.reduce_dim = sub.attributes.reduce_dim;
        s.z = at_least_one(sub.attributes.z);
        if (s.reduce_dim == ReduceDim::None) s.op = "nop";
    }
    return s;
}

/// Whether the kernel works tile by tile in Dst, so that it can read operands from and leave results in Dst.
bool tile_by_tile(const KernelShape& shape) {
    const KernelFamily family = family_of(shape);
    return family == KernelFamily::Copy || family == KernelFamily::Unary || family == KernelFamily::Binary ||
           family == KernelFamily::SfpuBinary;
}

bool passes_in_dest(const FusedSubOp& sub, const FusedSubOp& next) {
    return is_kind(sub.output, FusedOperand::Kind::Dest) &&
           std::any_of(next.inputs.begin(), next.inputs.end(),
                       [](const FusedOperand& in) { return is_kind(in, FusedOperand::Kind::Dest); });
}

/// Shapes of the sub-ops of a schedule. It requests tiles from streams once a micro-block: the fixed cost of a request
/// does not depend on the number of operands.
class SubShapes {
public:
    SubShapes(const OpConfig& op, bool alone) : op_(op), alone_(alone) {}
    /// Of the next sub-op of the schedule.
    KernelShape next(const FusedSubOp& sub) {
        KernelShape shape = sub_shape(op_, sub);
        if (alone_) return without_stream_waits(shape);
        shape.waits = shape.waits && !requested_;
        requested_ = requested_ || shape.waits;
        return shape;
    }

private:
    const OpConfig& op_;
    bool alone_;
    bool requested_ = false;
};

/// Cycles of the chain of sub-ops in Dst that starts at `from`; advances `from` past it.
SliceClocks chain_clocks(const OpConfig& op, const std::vector<FusedSubOp>& schedule, std::size_t& from,
                         const KernelModel& model, SubShapes& shapes) {
    std::vector<KernelShape> links{shapes.next(schedule[from])};
    while (from + 1 < schedule.size() && passes_in_dest(schedule[from], schedule[from + 1])) {
        if (!tile_by_tile(links.back()) || !tile_by_tile(sub_shape(op, schedule[from + 1]))) break;
        KernelShape next = shapes.next(schedule[from + 1]);
        const auto& inputs = schedule[from + 1].inputs;
        next.in_dest = static_cast<int>(std::count_if(inputs.begin(), inputs.end(), [](const FusedOperand& in) {
            return is_kind(in, FusedOperand::Kind::Dest);
        }));
        // The unpacked operand counts as the second one.
        if (!is_kind(inputs.front(), FusedOperand::Kind::Dest) && inputs.size() > 1) std::swap(next.in0, next.in1);
        links.back().stays_in_dest = true;
        links.push_back(next);
        ++from;
    }
    ++from;
    if (tile_by_tile(links.front()))
        return blocks_clocks(static_cast<double>(links.front().ublocks()), model.chained_block(links));
    SliceClocks sum;
    for (const KernelPart& part : model.time(links.front()).parts) sum.add(blocks_clocks(part.count, part.time));
    return sum;
}

/// An intermediate must be complete before it is read, so all threads wait for the slowest.
void wait_for_all(SliceClocks& part) { part.threads.fill(*std::max_element(part.threads.begin(), part.threads.end())); }

void add_input_share(SliceClocks& clocks, double share) {
    for (double& thread : clocks.threads) thread = std::max(0.0, thread + share);
}

}  // namespace

SliceClocks slice_clocks(const KernelModel& model, const KernelShape& shape) {
    const KernelTime time = model.time(shape);
    const double slices = static_cast<double>(shape.t);
    SliceClocks clocks;
    double steady = 0;
    for (const KernelPart& part : time.parts) {
        for (std::size_t i = 0; i < thread_count; ++i) clocks.threads[i] += part.count * part.time.busy[i] / slices;
        steady += part.count * part.time.steady / slices;
        clocks.math_busy += part.count * part.time.math_busy / slices;
        clocks.counted += part.count * part.time.counted / slices;
    }
    const auto longest = std::max_element(clocks.threads.begin(), clocks.threads.end());
    *longest = std::max(*longest, steady);
    add_input_share(clocks, time.per_input / slices);
    return clocks;
}

SliceClocks fused_clocks(const OpConfig& op, const KernelModel& model, bool alone) {
    std::vector<SliceClocks> parts;
    double share = 0;  // per input once, for any number of sub-ops
    for (const auto& schedule : op.fused->schedules) {
        SubShapes shapes(op, alone);
        for (std::size_t i = 0; i < schedule.size();) {
            if (!find_op(schedule[i].type)) {
                ++i;
                continue;
            }
            share = std::max(share, model.time(sub_shape(op, schedule[i])).per_input);
            parts.push_back(chain_clocks(op, schedule, i, model, shapes));
        }
    }
    SliceClocks sum;
    for (SliceClocks& part : parts) {
        if (parts.size() > 1) wait_for_all(part);
        sum.add(part);
    }
    add_input_share(sum, share / static_cast<double>(at_least_one(op.out.t)));
    return sum;
}

}  // namespace ttsim::impl
