// Functional mode: the values of the modelled machine in program order.
#include <algorithm>

#include "sim/run_state.hpp"
#include "sim/values/compute.hpp"

namespace tt::sim {

namespace {

/// One launch of an epoch.
class FunctionalLaunch {
public:
    FunctionalLaunch(RunState& state, PointerTable& pointers, const EpochLaunch& launch)
        : state_(state),
          plan_(state.prepare(launch).plan),
          compute_(*state.prepare(launch).compute),
          access_(pointers.launch(launch)),
          inputs_(launch.inputs) {
        last_read_by_.resize(plan_->ops.size());
        for (std::size_t o = 0; o < plan_->ops.size(); ++o) {
            int last = static_cast<int>(o);
            for (const PlanReader& reader : plan_->ops[o].readers) last = std::max(last, reader.op);
            last_read_by_[static_cast<std::size_t>(last)].push_back(o);
        }
        for (const PlanOp& op : plan_->ops) {
            resident_.emplace_back(op.operands.size());
            gradients_.emplace_back(op.cores.size() * static_cast<std::size_t>(op.slices));
        }
    }

    const std::map<const Queue*, QueueAccess>& access() const { return access_; }

    /// Calls `moved` with the share of the input that is behind it.
    void run_input(std::int64_t input, const std::function<void(double)>& moved) {
        // (1) what the inputs read is fixed before this input writes anything
        read_queues(input);
        blocks_.assign(plan_->ops.size(), {});
        for (std::size_t o = 0; o < plan_->ops.size(); ++o) {
            // (2) every core's slices, then (3) the queues they feed
            run_op(o, input);
            write_queues(o, input);
            for (const std::size_t producer : last_read_by_[o]) blocks_[producer].clear();
            moved(static_cast<double>(o + 1) / static_cast<double>(plan_->ops.size()));
        }
    }

private:
    using PipeSlices = std::map<std::pair<std::size_t, std::int64_t>, AssembledPtr>;  // (pipe, z)

    void read_queues(std::int64_t input) {
        entries_.assign(plan_->queues.size(), {});
        for (std::size_t q = 0; q < plan_->queues.size(); ++q) {
            const PlanQueue& queue = plan_->queues[q];
            if (queue.readers.empty()) continue;
            const bool streams = queue.queue->type == QueueType::Queue && queue.writer >= 0;
            if (!streams || state_.store.has(*queue.queue, access_.at(queue.queue).read(input))) read_queue(q, input);
        }
    }

    void read_queue(std::size_t q, std::int64_t input) {
        const Queue& queue = *plan_->queues[q].queue;
        const std::int64_t n = access_.at(&queue).read(input);
        if (queue.type == QueueType::Queue && !state_.store.has(queue, n))
            fail_input(queue.loc, "queue '{}' is read at slot {} (entry {}), which nothing has written", queue.name,
                       n % queue.entries, n);
        // In prologue the first input's read serves all, even where the operand is streamed anew for each.
        EntrySpan& first = prologue_[&queue];
        if (!access_.at(&queue).prologue || first.parts.empty()) first = state_.store.read(queue, n);
        entries_[q] = first;
    }

    AssembledPtr slice(std::size_t o, std::size_t k, std::size_t p, std::int64_t z, std::int64_t input,
                       PipeSlices& made) {
        AssembledPtr& slot = made[{p, z}];
        if (slot) return slot;
        const PlanOp& op = plan_->ops[o];
        const PlanOperand& operand = op.operands[k];
        SourceRefs refs;
        if (operand.producer_op < 0) {
            const auto q = static_cast<std::size_t>(operand.producer_queue);
            if (entries_[q].parts.empty()) read_queue(q, input);  // a FIFO that an op of this launch fills
            refs.entry = entries_[q];
        } else {
            const auto& produced = blocks_[static_cast<std::size_t>(operand.producer_op)];
            const Pipe& pipe = operand.pipes[p];
            for (std::int64_t chunk = z * operand.chunks_per_slice; chunk < (z + 1) * operand.chunks_per_slice; ++chunk)
                for (std::uint32_t n = pipe.first_need[static_cast<std::size_t>(chunk)];
                     n < pipe.first_need[static_cast<std::size_t>(chunk) + 1]; ++n)
                    for (std::int64_t s = pipe.needs[n].z_first; s <= pipe.needs[n].z_last; ++s)
                        refs.blocks[{pipe.needs[n].source, s}] = produced.at({pipe.needs[n].source, s});
        }
        slot = compute_.assemble(op, k, operand.pipes[p], z, std::move(refs));
        return slot;
    }

    void run_op(std::size_t o, std::int64_t input) {
        const PlanOp& op = plan_->ops[o];
        std::vector<PipeSlices> made(op.operands.size());
        for (std::size_t core = 0; core < op.cores.size(); ++core)
            for (std::int64_t s = 0; s < op.slices; ++s) {
                std::vector<std::vector<AssembledPtr>> operands(op.operands.size());
                for (std::size_t k = 0; k < op.operands.size(); ++k) {
                    const PlanOperand& operand = op.operands[k];
                    const bool resident = operand.intake == Intake::Resident && inputs_ > 1;
                    const bool whole = operand.whole_input;
                    const std::int64_t first = whole ? 0 : s * operand.slices;
                    const std::int64_t count = whole ? operand.operand_z : operand.slices;
                    for (std::int64_t z = first; z < first + count; ++z)
                        operands[k].push_back(
                            slice(o, k, operand.pipe_of_core[core], z, input, resident ? resident_[o][k] : made[k]));
                }
                const BlockPtr block = compute_.reserve(op);
                compute_.run(block, op, core, s, input, std::move(operands), gradient_base(o, core, s, input));
                blocks_[o][{static_cast<std::uint32_t>(core), s}] = block;
                state_.throttle();
            }
    }

    BlockPtr gradient_base(std::size_t o, std::size_t core, std::int64_t s, std::int64_t input) {
        const PlanOp& op = plan_->ops[o];
        if (!op.op->cfg.gradient) return nullptr;
        const Queue& queue = *plan_->queues[static_cast<std::size_t>(op.out_queues.at(0))].queue;
        const QueueAccess& access = access_.at(&queue);
        const BlockPtr& last = gradients_[o][core * static_cast<std::size_t>(op.slices) + static_cast<std::size_t>(s)];
        if (last && (access.epilogue || access.write_step == 0)) return last;
        if (input == 0 && access.zero) return nullptr;
        return compute_.load_block(op, core, s, state_.store.read(queue, access.write(input)));
    }

    void write_queues(std::size_t o, std::int64_t input) {
        const PlanOp& op = plan_->ops[o];
        if (op.op->cfg.gradient)
            for (const auto& [place, block] : blocks_[o])
                gradients_[o][place.first * static_cast<std::size_t>(op.slices) +
                              static_cast<std::size_t>(place.second)] = block;
        for (const int q : op.out_queues) {
            const Queue& queue = *plan_->queues[static_cast<std::size_t>(q)].queue;
            const QueueAccess& access = access_.at(&queue);
            if (access.epilogue && input + 1 < inputs_) continue;
            const EntrySpan to = state_.store.open(queue, access.write(input));
            if (queue.input_tms.empty())
                for (const auto& [place, block] : blocks_[o]) compute_.write(op, place.first, place.second, block, to);
            else
                compute_.write_through_tms(op, queue, {blocks_[o], {}}, to);
            state_.store.close(to, state_.pool, state_.keep_as(queue));
        }
    }

    RunState& state_;
    std::shared_ptr<const Plan> plan_;
    const Compute& compute_;
    std::map<const Queue*, QueueAccess> access_;
    std::int64_t inputs_;
    std::map<const Queue*, EntrySpan> prologue_;
    std::vector<EntrySpan> entries_;                                                  // per plan queue, this input
    std::vector<std::map<std::pair<std::uint32_t, std::int64_t>, BlockPtr>> blocks_;  // per op, this input
    std::vector<std::vector<std::size_t>> last_read_by_;                              // per op: producers it reads last
    std::vector<std::vector<PipeSlices>> resident_;                                   // per op and operand
    std::vector<std::vector<BlockPtr>> gradients_;                                    // per op: core * slices + slice
};

}  // namespace

void run_functional(RunState& state) {
    PointerTable pointers(state.netlist);
    EpochStream stream(state.netlist, state.calls, state.options.inputs_count);
    EpochCommand command;
    std::int64_t done = 0;
    while (stream.next(command)) {
        if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
            pointers.move(*move);
            state.forget_popped(*move->queue, pointers.at(*move->queue).popped());
            continue;
        }
        if (const auto* allocate = std::get_if<AllocateCommand>(&command)) {
            pointers.allocate(*allocate);
            continue;
        }
        const auto& launch = std::get<EpochLaunch>(command);
        FunctionalLaunch running(state, pointers, launch);
        for (std::int64_t input = 0; input < launch.inputs; ++input) {
            running.run_input(input,
                              [&](double share) { state.tell_progress(done, static_cast<double>(done) + share); });
            ++done;
        }
        pointers.finish(running.access(), launch.input_count());
        for (const auto& [queue, _] : running.access()) state.forget_popped(*queue, pointers.at(*queue).popped());
        for (const ExecuteCommand& member : launch.members) {
            GraphReport& report = state.graph_report(*member.graph);
            ++report.executes;
            report.inputs += launch.inputs;
        }
    }
    state.pool.wait_all();
}

}  // namespace tt::sim
