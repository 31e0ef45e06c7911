// The host side of a queue: pushes the entries of a HOST FIFO, pops FIFOs that an op writes and no graph reads.
#pragma once

#include <map>
#include <vector>

#include "sim/machine/context.hpp"
#include "sim/machine/host_cursor.hpp"

namespace ttsim::impl::sim {

class HostPort : public Actor, public QueueUser {
public:
    /// When entries are popped: as soon as they are complete, or by pop().
    enum class Pops : std::uint8_t { WhenComplete, OnRequest };
    /// `to_push`: entries to push in this order, each as soon as its slot is free.
    HostPort(Context& context, QueueMemory& memory, std::vector<std::int64_t> to_push, Pops pops);
    void start() { queue_changed(); }
    void queue_changed() override;
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    void walk_argument(StateWalk& walk, std::uint32_t what, std::uint64_t& argument) override;
    void walk(StateWalk& walk);

    // --- called by a session, entry by entry ---
    const HostCursor& cursor() const { return cursor_; }
    void push() { begin_push(cursor_.pushed()); }  ///< cursor().room() > 0
    void pop(std::int64_t count);                  ///< cursor().ready() >= count
    void restart();                                ///< the queue was cleared; entries are numbered from 0 again

private:
    enum Event : std::uint32_t { Pushed, Popped };
    void keep_regular(StateWalk& walk, std::int64_t growth);
    void begin_push(std::int64_t n);
    void begin_pop(std::int64_t n);

    Context& context_;
    QueueMemory& memory_;
    std::vector<std::int64_t> to_push_;
    std::size_t next_ = 0;
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>
        regular_below_;  // by entries per period and their distance
    bool pops_when_complete_;
    HostCursor cursor_;
    std::uint64_t restarts_ = 0;
};

/// Cycle in which an entry that the host writes now is in the queue's memory.
Cycle host_write(Context& context, const Queue& queue);

}  // namespace ttsim::impl::sim
