#include "sim/machine/host_port.hpp"

#include <algorithm>

namespace ttsim::impl::sim {

/// Bits of an event's argument that hold the entry number; the bits above hold the number of restarts.
constexpr unsigned entry_bits = 48;

static std::uint64_t entry_bytes(const Queue& queue) {
    return static_cast<std::uint64_t>(queue.shape().tiles() * queue.tile_bytes());
}

static std::uint64_t share_of_buffer(const Queue& queue) {
    return entry_bytes(queue) / std::max<std::size_t>(1, queue.buffers.size());
}

Cycle host_write(Context& context, const Queue& queue) {
    if (queue.where == QueueLoc::Host) return context.now;  // the entry stays in host memory, where the device reads it
    const std::int64_t device = queue.device(), linked = context.board.host_chip(device);
    Chip& chip = context.board.chip(device);
    Chip& link = context.board.chip(linked);
    const Cycle pushed = link.host_push(entry_bytes(queue), context.now);
    const std::uint64_t bytes = share_of_buffer(queue);
    Cycle there = pushed;
    for (std::size_t lane = 0; lane < queue.buffers.size(); ++lane) {
        const BufferAddress& at = queue.buffers[lane];
        Cycle ready = pushed;
        if (linked != device)
            ready = context.board.send(linked, link.instance().params.pcie, device,
                                       chip.dram_port(at.channel, at.address), bytes, ready, lane, 0);
        there = std::max(there, chip.dram_write(at, bytes, ready));
    }
    return there;
}

static Cycle host_read(Context& context, const Queue& queue) {
    if (queue.where == QueueLoc::Host) return context.now;
    const std::int64_t device = queue.device(), linked = context.board.host_chip(device);
    Chip& chip = context.board.chip(device);
    Chip& link = context.board.chip(linked);
    const std::uint64_t bytes = share_of_buffer(queue);
    Cycle read = context.now;
    for (std::size_t lane = 0; lane < queue.buffers.size(); ++lane) {
        const BufferAddress& at = queue.buffers[lane];
        Cycle ready = chip.dram_read(at, bytes, context.now);
        if (linked != device)
            ready = context.board.send(device, chip.dram_port(at.channel, at.address), linked,
                                       link.instance().params.pcie, bytes, ready, lane, 0);
        read = std::max(read, ready);
    }
    return link.host_pop(entry_bytes(queue), read);
}

HostPort::HostPort(Context& context, QueueMemory& memory, std::vector<std::int64_t> to_push, Pops pops)
    : context_(context),
      memory_(memory),
      to_push_(std::move(to_push)),
      pops_when_complete_(pops == Pops::WhenComplete),
      cursor_(memory) {
    memory_.subscribe(*this);
}

void HostPort::queue_changed() {
    while (next_ < to_push_.size() && memory_.free_slot(to_push_[next_])) {
        const std::int64_t n = to_push_[next_++];
        if (context_.state.values())
            context_.state.store.put(memory_.queue(), n, context_.state.host.entry(memory_.queue(), n));
        begin_push(n);
    }
    if (!pops_when_complete_) return;
    while (const std::optional<std::int64_t> n = memory_.next_complete(cursor_.popping())) begin_pop(*n);
}

/// The entry is complete at cycle 0: it was pushed before the run.
static Cycle host_write_before(Context& context, const Queue& queue) {
    if (queue.where == QueueLoc::Host) return context.now;
    Chip& link = context.board.chip(context.board.host_chip(queue.device()));
    std::uint64_t& before = context.state.report.pushed_before;
    before = std::max(before, link.host_push_before(entry_bytes(queue)));
    return context.now;
}

void HostPort::begin_push(std::int64_t n) {
    cursor_.push(n);
    const Queue& queue = memory_.queue();
    const Cycle there = context_.now == 0 ? host_write_before(context_, queue) : host_write(context_, queue);
    context_.board.host_calendar().at(there, *this, Pushed, static_cast<std::uint64_t>(n));
}

void HostPort::begin_pop(std::int64_t n) {
    cursor_.pop(n);
    const Cycle there = host_read(context_, memory_.queue());
    context_.board.host_calendar().at(there, *this, Popped, static_cast<std::uint64_t>(n) + (restarts_ << entry_bits));
}

void HostPort::pop(std::int64_t count) {
    for (; count > 0; --count) begin_pop(cursor_.popped());
}

void HostPort::restart() {
    if (pops_when_complete_) return;
    cursor_ = HostCursor(memory_);
    ++restarts_;
}

void HostPort::on_event(std::uint32_t what, std::uint64_t argument) {
    if (what == Pushed)
        memory_.set_complete(static_cast<std::int64_t>(argument));
    else if (argument >> entry_bits == restarts_) {  // ignore entries from before a restart
        context_.state.report.last_pop = context_.now;
        memory_.set_popped(static_cast<std::int64_t>(argument - (restarts_ << entry_bits)) + 1);
    }
}

void HostPort::walk_argument(StateWalk& walk, std::uint32_t, std::uint64_t& argument) {
    walk.fixed(static_cast<std::int64_t>(argument) - memory_.popped());
    walk.total(argument);
}

/// Limits a skip to entry numbers that continue the pattern of the last period. With --inputs-count below a graph's
/// input_count, the pushed entry numbers have gaps.
void HostPort::keep_regular(StateWalk& walk, std::int64_t growth) {
    if (growth <= 0) return;
    const auto period = static_cast<std::size_t>(growth);
    const std::int64_t moved = to_push_[next_] - to_push_[next_ - period];
    // The end of the pattern is searched once per period, not at every comparison, since next_ only grows.
    auto [known, fresh] = regular_below_.try_emplace({growth, moved}, next_);
    std::size_t& end = known->second;
    if (fresh || end < next_)
        for (end = next_; end < to_push_.size() && to_push_[end] - to_push_[end - period] == moved;) ++end;
    walk.limit(end == next_ ? 0 : static_cast<std::int64_t>(end - 1 - next_) / growth);
}

void HostPort::walk(StateWalk& walk) {
    const bool pushes = next_ < to_push_.size();
    walk.fixed(pushes);
    if (pushes) {
        walk.fixed(to_push_[next_] - memory_.popped());
        walk.fixed(memory_.oldest_occupied() - memory_.popped());
        const std::int64_t growth = walk.total(next_);
        if (walk.limiting()) keep_regular(walk, growth);
    }
    cursor_.walk(walk, pops_when_complete_);
}

}  // namespace ttsim::impl::sim
