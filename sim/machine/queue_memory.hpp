// A queue or ram of the run as the machine sees it: which entries are complete, which slots are free, who waits.
// It outlives the epochs that use it. Values, when the run has any, lie in RunState::store.
#pragma once

#include <optional>
#include <vector>

#include "netlist/program/queue_state.hpp"
#include "sim/machine/entry_set.hpp"
#include "sim/machine/machine_view.hpp"
#include "sim/run_state.hpp"

namespace ttsim::impl::sim {

/// Anyone who must look again when a queue changes.
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
    /// FIFO: entry n has been written completely. Rams always can be read.
    bool complete(std::int64_t n) const { return ram() || complete_.contains(n); }
    /// FIFO: the slot of entry n is free. Entries that are never written (--inputs-count) take no slot.
    bool free_slot(std::int64_t n) const;
    void begin(std::int64_t n);  ///< writing of entry n starts: its slot is taken until it is popped
    /// FIFO: the first complete entry from n on.
    std::optional<std::int64_t> next_complete(std::int64_t n) const;
    void set_complete(std::int64_t n);
    void set_popped(std::int64_t popped);
    void clear();
    std::int64_t popped() const { return popped_; }

    /// The first entry that takes a slot; the first free one when none does.
    std::int64_t oldest_taken() const { return taken_.next(popped_).value_or(popped_); }
    const EntrySet& complete_entries() const { return complete_; }
    QueueState state() const;  ///< for those who watch, view.cpp
    /// While epochs run, their ports say what of a queue matters to them: only bounds are walked. Between epochs the
    /// whole of it counts, seen from the first entry that is not popped.
    enum class Moment : std::uint8_t { InFlight, Settled };
    void walk(StateWalk& walk, Moment moment);

    void tell();  ///< users look again
    void join(QueueUser& user) { users_.push_back(&user); }
    void leave(QueueUser& user) { std::erase(users_, &user); }

private:
    const Queue& queue_;
    RunState& state_;
    EntrySet taken_, complete_;
    std::int64_t popped_ = 0;
    std::vector<QueueUser*> users_;
};

}  // namespace ttsim::impl::sim
