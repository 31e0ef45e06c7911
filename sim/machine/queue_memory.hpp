// State of a queue or ram in the machine: complete entries, free slots, and users to notify of changes. It outlives the
// epochs that use it. Values, if computed, are in RunState::store.
#pragma once

#include <optional>
#include <vector>

#include "netlist/program/queue_state.hpp"
#include "sim/machine/entry_set.hpp"
#include "sim/machine/machine_view.hpp"
#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

/// A component that is notified when a queue changes.
class QueueUser {
public:
    virtual ~QueueUser() = default;
    virtual void queue_changed() = 0;
};

class QueueMemory {
public:
    QueueMemory(const Queue& queue, RunState& state) : queue_(queue), state_(state) {}

    const Queue& queue() const { return queue_; }
    bool ram() const { return queue_.type == QueueType::Ram; }
    /// FIFO: entry n has been written completely. Always true for rams.
    bool complete(std::int64_t n) const { return ram() || complete_.contains(n); }
    /// FIFO: the slot of entry n is free. Entries that are never written (--inputs-count) take no slot.
    bool free_slot(std::int64_t n) const;
    void begin(std::int64_t n);  ///< starts writing entry n: its slot is occupied until it is popped
    /// FIFO: the first complete entry from n on.
    std::optional<std::int64_t> next_complete(std::int64_t n) const;
    void set_complete(std::int64_t n);
    void set_popped(std::int64_t popped);
    void clear();
    std::int64_t popped() const { return popped_; }

    /// The oldest entry that occupies a slot; the next entry when all slots are free.
    std::int64_t oldest_occupied() const { return occupied_.next(popped_).value_or(popped_); }
    const EntrySet& complete_entries() const { return complete_; }
    QueueState state() const;  ///< for debugger and telemetry, view.cpp
    /// Over inputs: only bounds are walked, since the ports of running epochs walk the state that affects them. Over
    /// iterations: all entries are walked, relative to the first that is not popped.
    void walk(StateWalk& walk);

    void notify_users();
    void subscribe(QueueUser& user) { users_.push_back(&user); }
    void unsubscribe(QueueUser& user) { std::erase(users_, &user); }

private:
    const Queue& queue_;
    RunState& state_;
    EntrySet occupied_, complete_;
    std::int64_t popped_ = 0;
    std::vector<QueueUser*> users_;
};

}  // namespace ttsim::impl::sim
