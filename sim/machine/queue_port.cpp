#include "sim/machine/queue_port.hpp"

#include "sim/machine/core.hpp"
#include "sim/machine/writer_flow.hpp"

namespace ttsim::impl::sim {

QueuePort::QueuePort(const EpochView& epoch, const PlanQueue& queue, QueueAccess access, QueueMemory& memory)
    : epoch_(epoch), plan_(queue), access_(access), memory_(memory) {}

void QueuePort::follow(QueuePort& writer) {
    writer_ = &writer;
    writer.followers_.push_back(this);
    snapshot(0);
}

template <class Part>
static const Waiter* unfinished(const std::vector<const Part*>& parts) {
    const auto it = std::find_if(parts.begin(), parts.end(), [](const Part* part) { return !part->finished(); });
    return it == parts.end() ? nullptr : *it;
}

const Waiter* QueuePort::unfinished_reader() const { return unfinished(cores_); }

const Waiter* QueuePort::unfinished_writer() const { return unfinished(writers_); }

/// Saves the content of a ram at the start of an input, before the writes of that input.
void QueuePort::snapshot(std::int64_t input) {
    if (epoch_.values.wanted() && input < epoch_.inputs && (input == 0 || follows()))
        snapshots_[input] = epoch_.values.store().read(queue(), access_.read(input));
}

bool QueuePort::ready(std::int64_t input) const {
    if (!memory_.ram()) return memory_.complete(access_.read(input));
    return !follows() || writer_->access_.epilogue || writer_->committed_ >= input;
}

EntrySpan QueuePort::entry(std::int64_t input) {
    const auto it = snapshots_.find(access_.prologue ? 0 : input);
    return it != snapshots_.end() ? it->second : epoch_.values.store().read(queue(), access_.read(input));
}

void QueuePort::done_reading(std::int64_t input) {
    if (++done_[input] < readers_) return;
    done_.erase(input);
    if (!access_.prologue) snapshots_.erase(input);
    if (access_.pop_step > 0 && !memory_.ram()) memory_.set_popped(memory_.popped() + access_.pop_step);
}

bool QueuePort::skips(std::int64_t input) const { return access_.epilogue && input + 1 < epoch_.inputs; }

EntrySpan QueuePort::gradient_entry(std::int64_t input) {
    // The first core reads before anything of this input is written; later cores get the same content.
    const auto [it, fresh] = gradient_entries_.try_emplace(input);
    if (fresh) it->second = epoch_.values.store().read(queue(), access_.write(input));
    return it->second;
}

void QueuePort::deliver(const PlanOp& op, std::size_t core, std::int64_t input, std::int64_t slice,
                        const BlockPtr& block) {
    Writing& writing = writing_[input];
    if (epoch_.values.wanted()) {
        if (writing.entry.parts.empty()) writing.entry = epoch_.values.store().open(queue(), access_.write(input));
        if (block) {
            if (queue().input_tms.empty())
                epoch_.values.compute.write(op, core, slice, block, writing.entry);
            else
                writing.blocks.blocks[{static_cast<std::uint32_t>(core), slice}] = block;
        }
    }
    if (++writing.pieces < pieces_per_input_) return;
    if (epoch_.values.wanted()) {
        if (!queue().input_tms.empty())
            epoch_.values.compute.write_through_tms(op, queue(), std::move(writing.blocks), writing.entry);
        epoch_.values.close(writing.entry, queue());
    }
    writing_.erase(input);
    gradient_entries_.erase(input);
    commit(input);
}

/// Walks a map whose keys are inputs.
template <class Value, class Function>
static void walk_inputs(StateWalk& walk, const StateWalk::Scope& scope, std::map<std::int64_t, Value>& map,
                        Function&& value) {
    walk.fixed(map.size());
    std::map<std::int64_t, Value> moved;
    for (auto it = map.begin(); it != map.end();) {
        auto node = map.extract(it++);
        walk.count(node.key(), 1, scope);
        value(node.mapped());
        moved.insert(std::move(node));
    }
    map = std::move(moved);
}

void QueuePort::walk(StateWalk& walk) {
    walk.time(rows_free_);
    const StateWalk::Scope& scope = epoch_.scope;
    if (writes()) walk.count(committed_, 1, scope);
    walk_inputs(walk, scope, done_, [&](std::int64_t readers) { walk.fixed(readers); });
    walk_inputs(walk, scope, writing_, [&](const Writing& writing) { walk.fixed(writing.pieces); });
    if (memory_.ram() || !walk.saving()) return;
    if (walk.over_iterations()) {  // the entries themselves are in the state of the memory
        if (reads()) walk.fixed(access_.read_first - memory_.popped());
        if (writes()) walk.fixed(access_.write_first - memory_.popped());
        return;
    }
    // When the entries of all remaining inputs are complete, or their slots are free, this does not change. Only a
    // queue that can block the epoch must have the same state each time.
    const std::int64_t last = epoch_.inputs - 1;
    if (reads()) {
        const std::int64_t next = access_.read(scope.base);
        const bool all_complete = memory_.complete_entries().run_end(next) > access_.read(last);
        walk.fixed(all_complete);
        if (!all_complete) memory_.complete_entries().save_from(walk, next);
    }
    if (writes()) {
        const bool all_fit = memory_.free_slot(access_.write(last));
        walk.fixed(all_fit);
        if (!all_fit) walk.fixed(memory_.oldest_occupied() - access_.write(scope.base));
    }
}

void QueuePort::commit(std::int64_t input) {
    committed_ = input + 1;
    for (QueuePort* follower : followers_) follower->snapshot(committed_);
    epoch_.events.entry_written(input);
    memory_.set_complete(access_.write(input));
    for (QueuePort* follower : followers_)
        if (follower != this) follower->memory_.notify_users();
}

}  // namespace ttsim::impl::sim
