// A queue or ram of the run as the machine sees it: which entries are complete, which slots are free, who waits.
// It outlives the epochs that use it. Values, when the run has any, lie in RunState::store.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "netlist/queue_state.hpp"
#include "sim/machine/calendar.hpp"
#include "sim/run_state.hpp"

namespace tt::sim {

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

    void tell();  ///< users look again
    void join(QueueUser& user) { users_.push_back(&user); }
    void leave(QueueUser& user) { std::erase(users_, &user); }

private:
    const Queue& queue_;
    RunState& state_;
    std::set<std::int64_t> taken_, complete_;
    std::int64_t popped_ = 0;
    std::vector<QueueUser*> users_;
};

}  // namespace tt::sim
