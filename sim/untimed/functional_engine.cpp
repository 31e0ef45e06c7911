#include "sim/untimed/functional_engine.hpp"

#include <algorithm>
#include <set>

#include "sim/values/kept_slices.hpp"

namespace ttsim::impl::sim {

namespace {

class FunctionalLaunch : public UntimedLaunch {
public:
    FunctionalLaunch(RunState& state, const EpochLaunch& launch, QueueAccesses access)
        : state_(state),
          prepared_(state.prepare(launch)),
          plan_(*prepared_.plan),
          compute_(*prepared_.compute),
          access_(std::move(access)),
          inputs_(launch.inputs),
          first_input_(launch.first_input()) {
        if (state.op_results) state.op_results->begin(launch, plan_);
        producers_.resize(plan_.ops.size());
        readers_.resize(plan_.ops.size());
        for (std::size_t o = 0; o < plan_.ops.size(); ++o) {
            std::set<std::size_t> readers;
            for (const PlanReader& reader : plan_.ops[o].readers) readers.insert(static_cast<std::size_t>(reader.op));
            for (const std::size_t reader : readers) producers_[reader].push_back(o);
            readers_[o] = readers.size();
        }
        for (const PlanOp& op : plan_.ops) {
            ops_.push_back(op.op);
            resident_.emplace_back(op.operands.size());
            kept_.emplace_back(op.operands.size());
            gradients_.emplace_back(op.cores.size() * static_cast<std::size_t>(op.slices));
        }
    }

    const std::vector<const Op*>& ops() const override { return ops_; }

    void begin(std::int64_t input) override {
        read_queues(input);
        blocks_.assign(plan_.ops.size(), {});
        readers_left_ = readers_;
    }

    void run(std::size_t o, std::int64_t input) override {
        // (1) slices of all cores, and queues without TMs, (2) queues with TMs and gradients
        run_op(o, input);
        write_queues(o, input);
        if (readers_[o] == 0) blocks_[o].clear();
        for (const std::size_t producer : producers_[o])
            if (--readers_left_[producer] == 0) blocks_[producer].clear();
    }

private:
    using PipeSlices = std::map<std::pair<std::size_t, std::int64_t>, AssembledPtr>;  // (pipe, z)

    void read_queues(std::int64_t input) {
        entries_.assign(plan_.queues.size(), {});
        for (std::size_t q = 0; q < plan_.queues.size(); ++q) {
            const PlanQueue& queue = plan_.queues[q];
            if (queue.readers.empty()) continue;
            // An entry that may be written during the launch is read when an op needs it.
            const bool fifo = queue.queue->type == QueueType::Queue;
            const bool streams = fifo && (state_.live || queue.writer >= 0);
            const bool available = !state_.live && state_.store.has(*queue.queue, access_.at(queue.queue).read(input));
            if (!streams || available) read_queue(q, input);
        }
    }

    void read_queue(std::size_t q, std::int64_t input) {
        const Queue& queue = *plan_.queues[q].queue;
        const std::int64_t n = access_.at(&queue).read(input);
        if (queue.type == QueueType::Queue && !state_.store.has(queue, n))
            fail_input(queue.loc, "queue '{}' is read at slot {} (entry {}), which nothing has written", queue.name,
                       n % queue.entries, n);
        // A prologue operand is read once, for the first input.
        EntrySpan& first = prologue_[&queue];
        if (!access_.at(&queue).prologue || first.parts.empty()) first = state_.store.read(queue, n);
        entries_[q] = first;
    }

    AssembledPtr slice(std::size_t o, std::size_t k, std::size_t p, std::int64_t z, std::int64_t input,
                       PipeSlices& made) {
        AssembledPtr& slot = made[{p, z}];
        if (slot) return slot;
        const PlanOp& op = plan_.ops[o];
        const PlanOperand& operand = op.operands[k];
        SourceRefs refs;
        if (operand.producer_op < 0) {
            const auto q = static_cast<std::size_t>(operand.producer_queue);
            if (entries_[q].parts.empty()) read_queue(q, input);  // a FIFO that an op of this launch writes
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
        KeptSlices& kept = kept_[o][k].try_emplace(p, compute_, inputs_ > 1).first->second;
        slot = kept.assemble(op, k, operand.pipes[p], z, std::move(refs));
        return slot;
    }

    /// Opens the entries to which slices are written as they are computed: of queues without TMs. None for gradient
    /// ops, which first read the old entry.
    std::vector<std::pair<const Queue*, EntrySpan>> open_entries(std::size_t o, std::int64_t input) {
        std::vector<std::pair<const Queue*, EntrySpan>> open_entries_of_op;
        const PlanOp& op = plan_.ops[o];
        if (op.op->cfg.gradient) return open_entries_of_op;
        for (std::size_t k = 0; k < op.operands.size(); ++k) {  // an op reads its operands before it writes
            if (op.operands[k].producer_op >= 0 || !resident_[o][k].empty()) continue;
            const auto q = static_cast<std::size_t>(op.operands[k].producer_queue);
            if (entries_[q].parts.empty()) read_queue(q, input);
        }
        for (const int q : op.out_queues) {
            const Queue& queue = *plan_.queues[static_cast<std::size_t>(q)].queue;
            if (queue.input_tms.empty() && writes(queue, input))
                open_entries_of_op.emplace_back(&queue, state_.store.open(queue, access_.at(&queue).write(input)));
        }
        return open_entries_of_op;
    }

    bool writes(const Queue& queue, std::int64_t input) const {
        return !access_.at(&queue).epilogue || input + 1 >= inputs_;
    }

    /// Whether the op's blocks are needed after all its slices were computed.
    bool keeps_blocks(std::size_t o) const {
        const PlanOp& op = plan_.ops[o];
        return !op.readers.empty() || op.op->cfg.gradient ||
               std::any_of(op.out_queues.begin(), op.out_queues.end(), [this](int q) {
                   return !plan_.queues[static_cast<std::size_t>(q)].queue->input_tms.empty();
               });
    }

    /// First index and count of the operand slices that output slice s needs.
    static std::pair<std::int64_t, std::int64_t> needed(const PlanOperand& operand, std::int64_t s) {
        return operand.whole_input ? std::pair(std::int64_t{0}, operand.operand_z)
                                   : std::pair(s * operand.slices, operand.slices);
    }

    /// Runs the op slice by slice. An operand slice is released when the last core that needs it has it.
    void run_op(std::size_t o, std::int64_t input) {
        const PlanOp& op = plan_.ops[o];
        const auto open_entries_of_op = open_entries(o, input);
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
                compute_.run(block, op, core, s, first_input_ + input, std::move(operands),
                             gradient_base(o, core, s, input));
                for (const auto& [queue, to] : open_entries_of_op) compute_.write(op, core, s, block, to);
                if (keep) blocks_[o][{static_cast<std::uint32_t>(core), s}] = block;
                if (OpResults* results = state_.op_results.get())
                    results->add(compute_, op, core, s, results->first_of(op) + input, block);
                state_.throttle();
            }
        for (const auto& [queue, to] : open_entries_of_op)
            state_.store.close(to, state_.pool, state_.retained_format(*queue));
    }

    BlockPtr gradient_base(std::size_t o, std::size_t core, std::int64_t s, std::int64_t input) {
        const PlanOp& op = plan_.ops[o];
        if (!op.op->cfg.gradient) return nullptr;
        const Queue& queue = *plan_.queues[static_cast<std::size_t>(op.out_queues.at(0))].queue;
        const QueueAccess& access = access_.at(&queue);
        const BlockPtr& last = gradients_[o][core * static_cast<std::size_t>(op.slices) + static_cast<std::size_t>(s)];
        if (last && (access.epilogue || access.write_step == 0)) return last;
        if (input == 0 && access.zero) return nullptr;
        return compute_.load_block(op, core, s, state_.store.read(queue, access.write(input)));
    }

    void write_queues(std::size_t o, std::int64_t input) {
        const PlanOp& op = plan_.ops[o];
        if (op.op->cfg.gradient)
            for (const auto& [place, block] : blocks_[o])
                gradients_[o][place.first * static_cast<std::size_t>(op.slices) +
                              static_cast<std::size_t>(place.second)] = block;
        for (const int q : op.out_queues) {
            const Queue& queue = *plan_.queues[static_cast<std::size_t>(q)].queue;
            if (!writes(queue, input) || (queue.input_tms.empty() && !op.op->cfg.gradient)) continue;
            const EntrySpan to = state_.store.open(queue, access_.at(&queue).write(input));
            if (queue.input_tms.empty())
                for (const auto& [place, block] : blocks_[o]) compute_.write(op, place.first, place.second, block, to);
            else
                compute_.write_through_tms(op, queue, {blocks_[o], {}}, to);
            state_.store.close(to, state_.pool, state_.retained_format(queue));
        }
    }

    RunState& state_;
    const RunState::Prepared& prepared_;
    const Plan& plan_;
    const Compute& compute_;
    QueueAccesses access_;
    std::int64_t inputs_, first_input_;
    std::map<const Queue*, EntrySpan> prologue_;
    std::vector<EntrySpan> entries_;                                                  // per plan queue, this input
    std::vector<std::map<std::pair<std::uint32_t, std::int64_t>, BlockPtr>> blocks_;  // per op, this input
    std::vector<const Op*> ops_;
    std::vector<std::vector<std::size_t>> producers_;  // per op: the ops it reads
    std::vector<std::size_t> readers_,
        readers_left_;  // per op: number of ops that read it; of these, not yet for this input
    std::vector<std::vector<PipeSlices>> resident_;                     // per op and operand
    std::vector<std::vector<std::map<std::size_t, KeptSlices>>> kept_;  // per op, operand and pipe
    std::vector<std::vector<BlockPtr>> gradients_;                      // per op: core * slices + slice
};

}  // namespace

std::unique_ptr<UntimedLaunch> FunctionalEngine::launch(const EpochLaunch& launch, const QueueAccesses& access) {
    return std::make_unique<FunctionalLaunch>(state_, launch, access);
}

void FunctionalEngine::put(const Queue& queue, std::int64_t n, EntryPtr entry) {
    state_.store.put(queue, n, std::move(entry));
}

Tensor FunctionalEngine::read(const Queue& queue, std::int64_t n) { return state_.read(queue, n); }

void run_functional(RunState& state) {
    FunctionalEngine engine(state);
    const AbandonOnFailure tasks(state.pool);
    for (const ProgramCall& call : state.calls) engine.call(call);
    const bool ended = engine.advance([&] { return engine.idle(); });
    TT_CHECK(ended, "programs are blocked although queues are unbounded:{}", engine.waits());
    state.pool.wait_all();
}

}  // namespace ttsim::impl::sim
