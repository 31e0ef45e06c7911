// Prints a Plan as text, for `ttsim explain`.
#include "netlist/plan/plan.hpp"

namespace ttsim::impl {

static const char* name_of(Intake intake) {
    switch (intake) {
        case Intake::PerStep:
            return "one chunk per step";
        case Intake::InTurn:
            return "alternating chunks";
        case Intake::PerSlice:
            return "one slice at a time";
        case Intake::SliceEnd:
            return "at the end of a slice";
        case Intake::WholeInput:
            return "whole input";
        case Intake::Strips:
            return "k-blocks in turn, over all slices";
        case Intake::Resident:
            return "resident (prologue)";
    }
    return "";
}

static std::string print_operand(const Plan& plan, const PlanOp& op, std::size_t k) {
    const PlanOperand& operand = op.operands[k];
    const std::string from = operand.producer_op >= 0
                                 ? plan.ops[static_cast<std::size_t>(operand.producer_op)].op->name()
                                 : plan.queues[static_cast<std::size_t>(operand.producer_queue)].queue->name;
    std::string tms;
    for (const Tm& tm : op.op->tms[k].tms) tms += (tms.empty() ? " [" : ", ") + to_string(tm);
    if (!tms.empty()) tms += ']';
    const Pipe& first = operand.pipes.front();
    std::string text =
        fmt::format("    in{} {}{} {}: {}, buffer {} tiles, {} pipes to {} cores each, {} chunks of {} tiles\n", k,
                    from, tms, to_string(operand.df), name_of(operand.intake), operand.capacity_tiles,
                    operand.pipes.size(), first.cores.size(), first.chunks(), first.chunk_tiles.front());
    if (operand.reads.chunk > 0)
        text +=
            fmt::format("      read in chunks of {} tiles, requests of {}\n", operand.reads.chunk, operand.reads.unit);
    if (operand.held_tiles > 0)
        text += fmt::format("      prologue: {} tiles are in L1 and are sent for every input, in {} runs\n",
                            operand.held_tiles, operand.held_runs);
    return text;
}

static std::string print_output_streaming(const PlanOp& op) {
    const OutputStreaming& made = op.output_streaming;
    if (made.forks.empty()) return "";
    if (!made.scatter()) return fmt::format("    output: in order, {} forks per core\n", made.streams);
    std::int64_t repeats = 1;
    for (const Fork& fork : made.forks) repeats = std::max(repeats, fork.repeats);
    return fmt::format(
        "    output: scatter, because {} {}; blocks of {} mblocks ({} tiles), {} in its buffer, units of {} tiles, {} "
        "forks and {} phases per core and block{}{}\n",
        made.because, to_string(made.rule), made.block_mblocks, made.block_tiles, made.buffer_tiles / made.block_tiles,
        made.unit, made.streams, made.most_phases(), repeats > 1 ? fmt::format(", periodic_repeat {}", repeats) : "",
        made.held_together > made.block_tiles
            ? fmt::format("; {} tiles are kept, which a reader needs together", made.held_together)
            : "");
}

static std::string print_op(const Plan& plan, const PlanOp& op) {
    const Blocking& b = op.op->cfg.out;
    std::string text =
        fmt::format("  {} {} grid {}x{} at core {}-{}, t {}, mblock {}x{}, ublock {}x{}, {}\n", op.op->name(),
                    op.op->cfg.type, b.grid_r, b.grid_c, op.cores.front().x, op.cores.front().y, b.t, b.mblock_m,
                    b.mblock_n, b.ublock_rt, b.ublock_ct, to_string(op.op->cfg.out_df));
    for (std::size_t k = 0; k < op.operands.size(); ++k) text += print_operand(plan, op, k);
    const StepTime& time = op.step_times.back();
    text += fmt::format(
        "    loop: {} slices x {} steps; last step unpack {} math {} pack {} cycles; output buffer {} tiles\n",
        op.slices, op.steps_per_slice, time.unpack.value(), time.math.value(), time.pack.value(), op.capacity_tiles);
    text += print_output_streaming(op);
    for (const int q : op.out_queues)
        text += fmt::format("    -> queue {}\n", plan.queues[static_cast<std::size_t>(q)].queue->name);
    return text;
}

std::string print_plan(const Plan& plan) {
    std::string text = "epoch:";
    for (const Graph* graph : plan.graphs) text += fmt::format(" {} (chip {})", graph->name, graph->device());
    text += '\n';
    for (const PlanOp& op : plan.ops) text += print_op(plan, op);
    return text;
}

}  // namespace ttsim::impl
