// The host's end of a queue: pushes the entries of a HOST FIFO, pops op-fed FIFOs that no graph reads.
#pragma once

#include <map>
#include <vector>

#include "sim/machine/context.hpp"
#include "sim/machine/host_cursor.hpp"

namespace ttsim::impl::sim {

class HostPort : public Actor, public QueueUser {
public:
    enum class Pops : std::uint8_t { AtOnce, WhenTold };
    /// `to_push`: entries to push in this order, each as soon as its slot is free.
    HostPort(Context& context, QueueMemory& memory, std::vector<std::int64_t> to_push, Pops pops);
    void start() { queue_changed(); }
    void queue_changed() override;
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    void walk_argument(StateWalk& walk, std::uint32_t what, std::uint64_t& argument) override;
    void walk(StateWalk& walk);

    // --- told by the caller of a session, entry by entry ---
    const HostCursor& end() const { return end_; }
    void push() { begin_push(end_.pushed()); }  ///< end().room() > 0
    void pop(std::int64_t count);               ///< end().ready() >= count
    void restart();                             ///< the queue was emptied and counts from 0 again

private:
    enum Event : std::uint32_t { Pushed, Popped };
    void keep_regular(StateWalk& walk, std::int64_t growth);
    void begin_push(std::int64_t n);
    void begin_pop(std::int64_t n);

    Context& context_;
    QueueMemory& memory_;
    std::vector<std::int64_t> to_push_;
    std::size_t next_ = 0;
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> regular_below_;  // by entries and distance of a period
    bool pops_at_once_;
    HostCursor end_;
    std::uint64_t restarts_ = 0;
};

/// When an entry that the host writes to a queue's memory now is there.
Cycle host_write(Context& context, const Queue& queue);

}  // namespace ttsim::impl::sim
