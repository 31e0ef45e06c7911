#include "netlist/golden/launch_group.hpp"

#include <algorithm>
#include <limits>

namespace ttsim::impl {

const Queue& LaunchGroup::base_of(const Queue& queue) const {
    return queue.alias.empty() ? queue : *netlist_->find_queue(queue.alias);
}

bool LaunchGroup::accepts(const EpochLaunch& launch, const Uses& uses) const {
    // a graph's results are numbered in program order
    for (const ExecuteCommand& member : launch.members)
        if (graphs_.contains(member.graph)) return false;
    for (const std::vector<QueueUse>* list : uses)
        for (const QueueUse& use : *list) {
            const auto known = states_.find(&base_of(*use.queue));
            if (known == states_.end()) continue;
            const State& state = known->second;
            if (!use.written && state.writers.empty()) continue;
            const bool takes_entries =
                use.queue->type == QueueType::Queue && use.queue->alias.empty() && !state.viewed && !use.written;
            if (!takes_entries) return false;
        }
    return true;
}

void LaunchGroup::add(const EpochLaunch& launch, Uses uses, const Access& access) {
    const std::size_t k = members_.size();
    for (const ExecuteCommand& member : launch.members) graphs_.insert(member.graph);
    for (const std::vector<QueueUse>* list : uses)
        for (const QueueUse& use : *list) {
            State& state = states_[&base_of(*use.queue)];
            if (use.read) state.readers.push_back(k);
            if (use.written) state.writers.push_back(k);
            state.viewed = state.viewed || !use.queue->alias.empty();
        }
    members_.push_back({std::move(uses), &access, launch.inputs, 0});
}

void LaunchGroup::clear() {
    members_.clear();
    graphs_.clear();
    states_.clear();
}

bool LaunchGroup::done() const {
    return std::all_of(members_.begin(), members_.end(), [](const Member& member) { return member.done(); });
}

bool LaunchGroup::waits(std::size_t k, const std::function<bool(const Queue&, std::int64_t)>& has) const {
    const Member& member = members_[k];
    for (const std::vector<QueueUse>* list : member.uses)
        for (const QueueUse& use : *list) {
            if (!use.read || use.queue->type != QueueType::Queue) continue;
            const std::vector<std::size_t>& writers = states_.at(&base_of(*use.queue)).writers;
            const bool may_come = std::any_of(writers.begin(), writers.end(),
                                              [&](std::size_t w) { return w < k && !members_[w].done(); });
            if (may_come && !has(*use.queue, member.access->at(use.queue).read(member.next))) return true;
        }
    return false;
}

std::int64_t LaunchGroup::first_needed(const Queue& queue) const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t k : states_.at(&base_of(queue)).readers) {
        const Member& member = members_[k];
        if (member.done()) continue;
        const QueueAccess& access = member.access->at(&queue);
        first = std::min({first, access.read(member.next), access.read(member.inputs - 1)});
    }
    return first;
}

std::int64_t LaunchGroup::passed_elements() const {
    std::int64_t elements = 0;
    for (const auto& [queue, state] : states_) {
        const bool passes = std::any_of(state.readers.begin(), state.readers.end(), [&](std::size_t reader) {
            return std::any_of(state.writers.begin(), state.writers.end(),
                               [&](std::size_t writer) { return writer < reader; });
        });
        if (passes) elements += queue->shape().tiles() * queue->tile.elements();
    }
    return elements;
}

}  // namespace ttsim::impl
