#include "sim/machine/command_dependencies.hpp"

#include <algorithm>
#include <functional>

namespace ttsim::impl::sim {

static const Queue* owner_of(const Netlist& netlist, const Queue* queue) {
    return queue->alias.empty() ? queue : netlist.find_queue(queue->alias);
}

CommandUse use_of(const EpochCommand& command, const Netlist& netlist, PointerTable& pointers) {
    CommandUse use;
    const auto add = [&](const QueueUse& queue) { use.queues.push_back({owner_of(netlist, queue.queue), queue}); };
    if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
        use.launch = true;
        for (const ExecuteCommand& member : launch->members) {
            use.chips.push_back(member.graph->device());
            for (const QueueUse& queue : pointers.uses(*member.graph)) add(queue);
        }
    } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
        add({.queue = move->queue, .read = true, .written = true});
    } else {
        add({.queue = std::get<AllocateCommand>(command).queue, .read = true, .written = true});
    }
    std::ranges::sort(use.chips);
    use.chips.erase(std::ranges::unique(use.chips).begin(), use.chips.end());
    std::ranges::sort(use.queues, std::less<>(), &CommandUse::QueueMemory::owner);
    return use;
}

static bool order_matters(const QueueUse& a, const QueueUse& b) {
    if (a.queue->type == QueueType::Ram) return a.written || b.written;
    return (a.read && b.read) || (a.written && b.written);
}

bool conflict(const CommandUse& earlier, const CommandUse& later) {
    const auto shared = [&](std::int64_t chip) { return std::ranges::binary_search(earlier.chips, chip); };
    if (std::ranges::any_of(later.chips, shared)) return true;
    const bool launches = later.launch && earlier.launch;
    const std::less<> before;
    auto theirs = earlier.queues.begin();
    for (const CommandUse::QueueMemory& mine : later.queues) {
        while (theirs != earlier.queues.end() && before(theirs->owner, mine.owner)) ++theirs;
        for (auto same = theirs; same != earlier.queues.end() && same->owner == mine.owner; ++same)
            if (!launches || order_matters(mine.use, same->use)) return true;
    }
    return false;
}

}  // namespace ttsim::impl::sim
