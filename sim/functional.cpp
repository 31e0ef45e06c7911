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
        if (state.op_results) state.op_results->begin(launch, *plan_);
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
            // (2) every core's slices and the queues they feed, (3) queues that take all of them at once
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

    /// Entries that take an op's slices one by one as they are computed: of queues without TMs. Sums of gradients read
    /// what is there before.
    std::vector<std::pair<const Queue*, EntrySpan>> open_entries(std::size_t o, std::int64_t input) {
        std::vector<std::pair<const Queue*, EntrySpan>> opened;
        const PlanOp& op = plan_->ops[o];
        if (op.op->cfg.gradient) return opened;
        for (std::size_t k = 0; k < op.operands.size(); ++k) {  // reads come before the writes of the same op
            if (op.operands[k].producer_op >= 0 || !resident_[o][k].empty()) continue;
            const auto q = static_cast<std::size_t>(op.operands[k].producer_queue);
            if (entries_[q].parts.empty()) read_queue(q, input);
        }
        for (const int q : op.out_queues) {
            const Queue& queue = *plan_->queues[static_cast<std::size_t>(q)].queue;
            if (queue.input_tms.empty() && writes(queue, input))
                opened.emplace_back(&queue, state_.store.open(queue, access_.at(&queue).write(input)));
        }
        return opened;
    }

    bool writes(const Queue& queue, std::int64_t input) const {
        return !access_.at(&queue).epilogue || input + 1 >= inputs_;
    }

    /// Whether anything reads the op's slices once all of them are there.
    bool keeps_blocks(std::size_t o) const {
        const PlanOp& op = plan_->ops[o];
        return !op.readers.empty() || op.op->cfg.gradient ||
               std::any_of(op.out_queues.begin(), op.out_queues.end(), [this](int q) {
                   return !plan_->queues[static_cast<std::size_t>(q)].queue->input_tms.empty();
               });
    }

    /// Slices of operand k, first and count, that output slice s needs.
    static std::pair<std::int64_t, std::int64_t> needed(const PlanOperand& operand, std::int64_t s) {
        return operand.whole_input ? std::pair(std::int64_t{0}, operand.operand_z)
                                   : std::pair(s * operand.slices, operand.slices);
    }

    /// Slice by slice, so that an operand slice goes when the last core that needs it has been given it.
    void run_op(std::size_t o, std::int64_t input) {
        const PlanOp& op = plan_->ops[o];
        const auto opened = open_entries(o, input);
        const bool keep = keeps_blocks(o);
        std::vector<PipeSlices> made(op.operands.size());
        std::vector<std::map<std::pair<std::size_t, std::int64_t>, std::int64_t>> uses_left(op.operands.size());
        for (std::size_t k = 0; k < op.operands.size(); ++k)
            for (const std::size_t pipe : op.operands[k].pipe_of_core)
                for (std::int64_t s = 0; s < op.slices; ++s)
                    for (auto [z, left] = needed(op.operands[k], s); left > 0; ++z, --left) ++uses_left[k][{pipe, z}];
        for (std::int64_t s = 0; s < op.slices; ++s)
            for (std::size_t core = 0; core < op.cores.size(); ++core) {
                std::vector<std::vector<AssembledPtr>> operands(op.operands.size());
                for (std::size_t k = 0; k < op.operands.size(); ++k) {
                    const PlanOperand& operand = op.operands[k];
                    const bool resident = operand.intake == Intake::Resident && inputs_ > 1;
                    const std::size_t pipe = operand.pipe_of_core[core];
                    for (auto [z, left] = needed(operand, s); left > 0; ++z, --left) {
                        operands[k].push_back(slice(o, k, pipe, z, input, resident ? resident_[o][k] : made[k]));
                        if (--uses_left[k].at({pipe, z}) == 0) made[k].erase({pipe, z});
                    }
                }
                const BlockPtr block = compute_.reserve(op);
                compute_.run(block, op, core, s, input, std::move(operands), gradient_base(o, core, s, input));
                for (const auto& [queue, to] : opened) compute_.write(op, core, s, block, to);
                if (keep) blocks_[o][{static_cast<std::uint32_t>(core), s}] = block;
                if (OpResults* results = state_.op_results.get())
                    results->add(compute_, op, core, s, results->first_of(op) + input, block);
                state_.throttle();
            }
        for (const auto& [queue, to] : opened) state_.store.close(to, state_.pool, state_.keep_as(*queue));
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
            if (!writes(queue, input) || (queue.input_tms.empty() && !op.op->cfg.gradient)) continue;
            const EntrySpan to = state_.store.open(queue, access_.at(&queue).write(input));
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
