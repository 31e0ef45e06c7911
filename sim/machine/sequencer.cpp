#include "sim/machine/sequencer.hpp"

#include <algorithm>

namespace tt::sim {

// --- host ----------------------------------------------------------------------------------------------------------

HostPort::HostPort(Context& context, QueueMemory& memory, std::vector<std::int64_t> to_push, bool pops)
    : context_(context), memory_(memory), to_push_(std::move(to_push)), pops_(pops) {
    memory_.join(*this);
}

void HostPort::queue_changed() {
    const Queue& queue = memory_.queue();
    Chip& chip = context_.board.chip(queue.device());
    const auto bytes = static_cast<std::uint64_t>(queue.shape().tiles() * tile_bytes(queue.df, queue.tile));
    const bool host = queue.where == QueueLoc::Host;  // its own memory: the device comes for it
    const std::uint64_t share = bytes / std::max<std::size_t>(1, queue.buffers.size());
    const auto into_dram = [&](Cycle ready) {
        Cycle there = ready;
        for (const BufferAddress& at : queue.buffers) there = std::max(there, chip.dram_write(at, share, ready));
        return there;
    };
    const auto out_of_dram = [&] {
        Cycle read = context_.now;
        for (const BufferAddress& at : queue.buffers) read = std::max(read, chip.dram_read(at, share, context_.now));
        return read;
    };
    while (next_ < to_push_.size() && memory_.free_slot(to_push_[next_])) {
        const std::int64_t n = to_push_[next_++];
        memory_.begin(n);
        if (context_.state.values()) context_.state.store.put(queue, n, context_.state.host.entry(queue, n));
        // What fits before the run starts is there from the beginning.
        const Cycle there = context_.now == 0 || host ? context_.now : into_dram(chip.host_push(bytes, context_.now));
        context_.board.host_calendar().at(there, *this, Pushed, static_cast<std::uint64_t>(n));
    }
    if (!pops_) return;
    while (const std::optional<std::int64_t> n = memory_.next_complete(popping_)) {
        popping_ = *n + 1;
        const Cycle there = host ? context_.now : chip.host_pop(bytes, out_of_dram());
        context_.board.host_calendar().at(there, *this, Popped, static_cast<std::uint64_t>(*n));
    }
}

void HostPort::on_event(std::uint32_t what, std::uint64_t argument) {
    if (what == Pushed)
        memory_.set_complete(static_cast<std::int64_t>(argument));
    else
        memory_.set_popped(static_cast<std::int64_t>(argument) + 1);
}

void HostPort::walk_argument(StateWalk& walk, std::uint32_t, std::uint64_t& argument) {
    walk.fixed(static_cast<std::int64_t>(argument) - memory_.popped());
    walk.total(argument);
}

/// Entries are pushed in order; those that a skip jumps over must be consecutive too.
void HostPort::keep_consecutive(StateWalk& walk, std::int64_t growth) const {
    if (growth <= 0) return;
    const auto steps = [&](std::int64_t n) { return to_push_[next_ + static_cast<std::size_t>(n)] - to_push_[next_]; };
    std::int64_t good = 0, bad = static_cast<std::int64_t>(to_push_.size() - next_);
    while (bad - good > 1) {
        const std::int64_t middle = (good + bad) / 2;
        (steps(middle) == middle ? good : bad) = middle;
    }
    walk.limit(good / growth);
}

void HostPort::walk(StateWalk& walk) {
    const bool pushes = next_ < to_push_.size();
    walk.fixed(pushes);
    if (pushes) {
        walk.fixed(to_push_[next_] - memory_.popped());
        walk.fixed(memory_.oldest_taken() - memory_.popped());
        const std::int64_t growth = walk.total(next_);
        if (walk.limiting()) keep_consecutive(walk, growth);
    }
    if (pops_) walk.fixed(popping_ - memory_.popped());
    walk.total(popping_);
}

// --- programs ------------------------------------------------------------------------------------------------------

Sequencer::Sequencer(Context& context, EpochStream stream)
    : context_(context), stream_(std::move(stream)), pointers_(context.state.netlist) {
    RunState& state = context.state;
    for (const Queue& queue : state.netlist.queues) {
        const auto forecast = state.forecast.queues.find(&queue);
        if (forecast == state.forecast.queues.end()) continue;
        const std::vector<std::int64_t>& push = forecast->second.host;
        if (queue.type == QueueType::Ram) {
            if (state.values())
                for (const std::int64_t n : push) state.store.put(queue, n, state.host.entry(queue, n));
            continue;
        }
        const bool pops = !queue.host_fed() && !state.read_by_graph[&queue];
        if (!push.empty() || pops)
            host_.push_back(std::make_unique<HostPort>(context, context.memory(queue), push, pops));
    }
}

void Sequencer::start() { context_.board.host_calendar().at(0, *this, 0); }

void Sequencer::on_event(std::uint32_t, std::uint64_t) {
    for (auto& port : host_) port->start();
    issue();
}

void Sequencer::fill_window() {
    while (!at_end_ && window_.size() < window_size) {
        EpochCommand command;
        if (stream_.next(command))
            add_to_window(std::move(command));
        else
            at_end_ = true;
    }
}

void Sequencer::add_to_window(EpochCommand command) {
    Pending pending;
    pending.command = std::move(command);
    if (const auto* launch = std::get_if<EpochLaunch>(&pending.command)) {
        for (const ExecuteCommand& member : launch->members) {
            pending.chips.insert(member.graph->device());
            const auto& uses = pointers_.uses(*member.graph);
            pending.queues.insert(pending.queues.end(), uses.begin(), uses.end());
        }
    } else if (const auto* move = std::get_if<MovePointerCommand>(&pending.command)) {
        pending.queues.push_back({move->queue, true, true});
    } else {
        pending.queues.push_back({std::get<AllocateCommand>(pending.command).queue, true, true});
    }
    window_.push_back(std::move(pending));
}

static const Queue* memory_of(const Netlist& netlist, const Queue* queue) {
    return queue->alias.empty() ? queue : netlist.find_queue(queue->alias);
}

/// Whether an earlier command that is not over must come first: the same chip, or memory where order matters. A FIFO
/// that one epoch fills and a later one empties is no reason: its own pointers make the reader wait.
bool Sequencer::blocked(const Pending& pending) const {
    const bool launch = std::holds_alternative<EpochLaunch>(pending.command);
    for (const Pending& earlier : window_) {
        if (&earlier == &pending) return false;
        if (earlier.over) continue;
        const bool earlier_launch = std::holds_alternative<EpochLaunch>(earlier.command);
        for (const std::int64_t chip : pending.chips)
            if (earlier.chips.contains(chip)) return true;
        for (const QueueUse& mine : pending.queues)
            for (const QueueUse& theirs : earlier.queues) {
                const Netlist& netlist = context_.state.netlist;
                if (memory_of(netlist, mine.queue) != memory_of(netlist, theirs.queue)) continue;
                if (!launch || !earlier_launch) return true;
                if (mine.queue->type == QueueType::Ram ? (mine.written || theirs.written)
                                                       : (mine.read && theirs.read) || (mine.written && theirs.written))
                    return true;
            }
    }
    return false;
}

void Sequencer::issue() {
    if (issuing_) return;  // a pointer move can end an epoch's wait and come back here
    issuing_ = true;
    bool moved = true;
    while (moved) {
        moved = false;
        fill_window();
        for (Pending& pending : window_) {
            if (pending.over || pending.epoch || blocked(pending)) continue;
            run(pending);
            moved = true;
        }
        for (; !window_.empty() && window_.front().over; moved = true) window_.pop_front();  // room for more
    }
    issuing_ = false;
}

void Sequencer::run(Pending& pending) {
    in_flight_history_.clear();
    ++generation_;
    if (const auto* move = std::get_if<MovePointerCommand>(&pending.command)) {
        pointers_.move(*move);
        log(describe(pending.command, {}, pointers_));
        pending.over = true;
        if (move->queue->type == QueueType::Queue)
            context_.memory(*move->queue).set_popped(pointers_.at(*move->queue).popped());
        return;
    }
    if (const auto* allocate = std::get_if<AllocateCommand>(&pending.command)) {
        pointers_.allocate(*allocate);
        never_skip_ = true;
        pending.over = true;
        if (allocate->allocate && !allocate->queue->host_fed()) context_.memory(*allocate->queue).clear();
        return;
    }
    const auto& launch = std::get<EpochLaunch>(pending.command);
    std::map<const Queue*, QueueAccess> access = pointers_.launch(launch);
    log(describe(pending.command, access, pointers_));
    for (const auto& [queue, _] : access)
        if (queue->type == QueueType::Queue && context_.state.read_by_graph[queue])
            context_.memory(*queue).set_popped(pointers_.at(*queue).popped());
    pending.epoch = std::make_unique<Epoch>(context_, context_.state.prepare(launch), launch, std::move(access),
                                            [this, &pending] { finish(pending); });
    pending.epoch->start();
}

void Sequencer::finish(Pending& pending) {
    in_flight_history_.clear();
    ++generation_;
    Epoch& epoch = *pending.epoch;
    RunState& state = context_.state;
    for (const ExecuteCommand& member : epoch.launch().members) state.graph_report(*member.graph);
    std::vector<GraphReport*> reports;
    for (const ExecuteCommand& member : epoch.launch().members) reports.push_back(&state.graph_report(*member.graph));
    epoch.report(reports);
    if (context_.probe) context_.probe->over(epoch.probe(), epoch.ended(), reports.front()->inputs_per_second);
    pointers_.finish(epoch.access(), epoch.launch().input_count());
    for (const auto& [queue, access] : epoch.access())
        if (access.pop_step > 0 && queue->type == QueueType::Queue)
            context_.memory(*queue).set_popped(pointers_.at(*queue).popped());
    inputs_done_ += epoch.inputs();
    const std::unique_ptr<Epoch> ended = std::move(pending.epoch);
    pending.over = true;
    skip_rounds(*ended);
    issue();
}

void Sequencer::tell_progress() const {
    std::int64_t over = inputs_done_;
    double parts = static_cast<double>(inputs_done_);
    for (const Pending& pending : window_) {
        if (!pending.epoch) continue;
        over += pending.epoch->inputs_over();
        parts += static_cast<double>(pending.epoch->inputs()) * pending.epoch->share_done();
    }
    context_.state.tell_progress(over, parts);
}

std::vector<const Waiter*> Sequencer::unfinished() const {
    std::vector<const Waiter*> parts;
    for (const Pending& pending : window_)
        if (pending.epoch) {
            const auto more = pending.epoch->unfinished();
            parts.insert(parts.end(), more.begin(), more.end());
        }
    return parts;
}

}  // namespace tt::sim
