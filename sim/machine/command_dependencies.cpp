#include "sim/machine/command_dependencies.hpp"

#include <algorithm>

namespace ttsim::impl::sim {

CommandUse use_of(const EpochCommand& command, PointerTable& pointers) {
    CommandUse use;
    if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
        use.launch = true;
        for (const ExecuteCommand& member : launch->members) {
            use.chips.insert(member.graph->device());
            const auto& uses = pointers.uses(*member.graph);
            use.queues.insert(use.queues.end(), uses.begin(), uses.end());
        }
    } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
        use.queues.push_back({.queue = move->queue, .read = true, .written = true});
    } else {
        use.queues.push_back({.queue = std::get<AllocateCommand>(command).queue, .read = true, .written = true});
    }
    return use;
}

static const Queue* memory_of(const Netlist& netlist, const Queue* queue) {
    return queue->alias.empty() ? queue : netlist.find_queue(queue->alias);
}

bool conflict(const Netlist& netlist, const CommandUse& earlier, const CommandUse& later) {
    if (std::any_of(later.chips.begin(), later.chips.end(),
                    [&](std::int64_t chip) { return earlier.chips.contains(chip); }))
        return true;
    for (const QueueUse& mine : later.queues)
        for (const QueueUse& theirs : earlier.queues) {
            if (memory_of(netlist, mine.queue) != memory_of(netlist, theirs.queue)) continue;
            if (!later.launch || !earlier.launch) return true;
            if (mine.queue->type == QueueType::Ram ? (mine.written || theirs.written)
                                                   : (mine.read && theirs.read) || (mine.written && theirs.written))
                return true;
        }
    return false;
}

}  // namespace ttsim::impl::sim
