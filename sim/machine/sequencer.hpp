// The host's part of a run: launches epochs and moves pointers in program order, pushes HOST queues while slots are
// free, pops outputs nobody else reads. Epochs on different chips overlap unless they share memory in a way that
// order matters.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <set>

#include "sim/machine/epoch.hpp"

namespace tt::sim {

/// Pushes the entries of one HOST FIFO; pops op-fed FIFOs that no graph reads.
class HostPort : public Actor, public QueueUser {
public:
    HostPort(Context& context, QueueMemory& memory, std::vector<std::int64_t> to_push, bool pops);
    void start() { queue_changed(); }
    void queue_changed() override;
    void on_event(std::uint32_t what, std::uint64_t argument) override;

private:
    enum Event : std::uint32_t { Pushed, Popped };
    Context& context_;
    QueueMemory& memory_;
    std::vector<std::int64_t> to_push_;
    std::size_t next_ = 0;
    bool pops_;
    std::int64_t popping_ = 0;  // entries whose pop is under way or done
};

class Sequencer : public Actor {
public:
    Sequencer(Context& context, EpochStream stream);
    void start();
    bool finished() const { return at_end_ && window_.empty(); }
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    std::vector<const Waiter*> unfinished() const;

private:
    struct Pending {
        EpochCommand command;
        std::set<std::int64_t> chips;
        std::vector<QueueUse> queues;
        std::unique_ptr<Epoch> epoch;  // when running
        bool over = false;
    };
    void fill_window();
    void issue();
    bool blocked(const Pending& pending) const;
    void run(Pending& pending);
    void finish(Pending& pending);

    static constexpr std::size_t window_size = 64;  ///< commands looked ahead
    Context& context_;
    EpochStream stream_;
    PointerTable pointers_;
    std::list<Pending> window_;
    bool at_end_ = false;
    bool issuing_ = false;
    std::vector<std::unique_ptr<HostPort>> host_;
    std::int64_t inputs_done_ = 0;
};

/// The hang as text: who waits for what, link by link, until the chain closes or ends.
std::string wait_chain(const std::vector<const Waiter*>& unfinished);

}  // namespace tt::sim
