#include "sim/machine/command_order.hpp"

#include <algorithm>

namespace ttsim::impl::sim {

CommandOrder::CommandOrder(const Netlist& netlist) : netlist_(netlist), queues_(netlist.queues.size()) {}

CommandOrder::QueueUsers& CommandOrder::users(const Queue& owner) {
    return queues_[static_cast<std::size_t>(&owner - netlist_.queues.data())];
}

void CommandOrder::await(OrderedCommand& later, OrderedCommand* earlier) {
    if (!earlier || earlier == &later) return;
    earlier->waiting.push_back(&later);
    ++later.awaited;
}

/// A use that no other command shares. Only the last user is awaited, since it awaits the one before.
void CommandOrder::use_last(OrderedCommand& command, OrderedCommand*& last) {
    await(command, last);
    last = &command;
}

/// Commands that only read a ram do not await each other.
void CommandOrder::use_ram(OrderedCommand& command, QueueUsers& users, bool written) {
    if (!written) {
        await(command, users.writer);
        users.since.push_back(&command);
        return;
    }
    for (OrderedCommand* reader : users.since) await(command, reader);
    users.since.clear();
    use_last(command, users.writer);
}

void CommandOrder::add(OrderedCommand& command, bool issued) {
    command.awaited = 0;
    command.waiting.clear();
    for (const std::int64_t chip : command.use.chips) {
        const auto id = static_cast<std::size_t>(chip);
        if (id >= chips_.size()) chips_.resize(id + 1);
        use_last(command, chips_[id]);
    }
    for (const CommandUse::QueueMemory& memory : command.use.queues) {
        QueueUsers& queue = users(*memory.owner);
        if (memory.use.queue->type == QueueType::Ram) {
            use_ram(command, queue, memory.use.written);
            continue;
        }
        if (memory.use.read) use_last(command, queue.reader);
        if (memory.use.written) use_last(command, queue.writer);
    }
    if (!issued && command.awaited == 0) unblock(command);
}

/// Compares for a heap with the first command in program order on top.
static bool behind(const OrderedCommand* a, const OrderedCommand* b) { return a->number > b->number; }

void CommandOrder::unblock(OrderedCommand& command) {
    ready_.push_back(&command);
    std::ranges::push_heap(ready_, behind);
}

OrderedCommand* CommandOrder::take() {
    if (ready_.empty()) return nullptr;
    std::ranges::pop_heap(ready_, behind);
    OrderedCommand* const first = ready_.back();
    ready_.pop_back();
    return first;
}

void CommandOrder::finish(OrderedCommand& command) {
    command.over = true;
    const auto forget = [&](OrderedCommand*& last) {
        if (last == &command) last = nullptr;
    };
    for (const std::int64_t chip : command.use.chips) forget(chips_[static_cast<std::size_t>(chip)]);
    for (const CommandUse::QueueMemory& memory : command.use.queues) {
        QueueUsers& queue = users(*memory.owner);
        forget(queue.reader);
        forget(queue.writer);
        std::erase(queue.since, &command);
    }
    for (OrderedCommand* later : command.waiting)
        if (--later->awaited == 0) unblock(*later);
    command.waiting.clear();
}

void CommandOrder::clear() {
    queues_.assign(netlist_.queues.size(), {});
    chips_.clear();
    ready_.clear();
}

}  // namespace ttsim::impl::sim
