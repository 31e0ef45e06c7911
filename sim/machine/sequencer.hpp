// The host side of a run: launches epochs and moves pointers in program order, pushes HOST queues while slots are free,
// pops outputs that no graph reads. Epochs on different chips overlap unless they depend on each other through memory.
#pragma once

#include <list>
#include <memory>
#include <optional>

#include "sim/machine/command_dependencies.hpp"
#include "sim/machine/epoch.hpp"
#include "sim/machine/extrapolate.hpp"
#include "sim/machine/host_port.hpp"

namespace ttsim::impl::sim {

class Sequencer : public Actor {
public:
    Sequencer(Context& context, EpochStream stream);
    /// Appends a call; its plans are elaborated now.
    void call(const ProgramCall& call);
    /// The host port of a FIFO. Throws Error(Internal) for a queue that the host neither pushes nor pops.
    HostPort& host(const Queue& queue);
    /// Cycle in which a slot that the host writes now has reached the ram.
    Cycle write_ram(const Queue& ram);
    /// Discards the history for extrapolation after a push, pop or write by a session, since later host actions are
    /// unknown.
    void host_acted();
    bool finished() const { return at_end_ && window_.empty(); }
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    std::vector<const Waiter*> unfinished() const;
    std::vector<const Epoch*> epochs() const;  ///< in flight, in program order
    /// Called between two cycles: skips inputs of the epochs in flight when the machine's state repeats.
    void between_cycles();

private:
    struct Pending {
        EpochCommand command;
        CommandUse use;
        std::unique_ptr<Epoch> epoch;  // null unless running
        bool over = false;
        std::size_t number = 0;  // in program order
    };
    /// The properties of a command that affect the simulation: numbers that must be equal in each iteration, and entry
    /// numbers of queues, which advance by the same step.
    struct Issued {
        std::vector<std::int64_t> same;
        std::vector<std::pair<const Queue*, std::int64_t>> entries;
    };
    using Popped = std::map<const Queue*, std::int64_t>;
    struct QuiescentPoint {
        std::size_t commands = 0;  ///< commands before it; all of them are over, and none after it
        Popped popped;             ///< popped entries of each queue, the base of its entry numbers
    };
    /// Commands that are not issued yet, with the pointers at that point.
    struct RemainingCommands {
        std::deque<EpochCommand> window;
        EpochStream stream;
        PointerTable pointers;
        bool next(EpochCommand& command, Issued& issued);
    };

    void fill_window();
    void add_to_window(EpochCommand command);
    void issue();
    bool blocked(const Pending& pending) const;
    void run(Pending& pending);
    void finish(Pending& pending);
    void report_progress() const;

    // --- skipping, sequencer_skip.cpp ---
    bool may_skip() const;
    std::vector<Epoch*> in_flight() const;
    void walk(StateWalk& walk, QueueMemory::Moment moment);
    void walk_reports(StateWalk& walk);
    bool may_repeat(const Pending& launching) const;
    const std::vector<QueueMemory*>& moving_queues();
    bool begins_iteration(const Pending& launching) const;
    bool due_for_comparison();
    bool skip_loop_iterations(const Pending& launching);
    static Issued describe(const EpochCommand& command, const std::map<const Queue*, QueueAccess>& access,
                           PointerTable& pointers);
    void log(std::size_t number, Issued issued);
    RemainingCommands remaining_commands() const;
    std::int64_t count_identical_rounds(const QuiescentPoint& from, const QuiescentPoint& to, std::int64_t most) const;
    void limit_to_commands(StateWalk& limit, const QuiescentPoint& from, const QuiescentPoint& to);
    void consume_commands(const QuiescentPoint& from, std::size_t count);

    static constexpr std::size_t window_size = 64;  ///< number of commands that are looked ahead
    Context& context_;
    EpochStream stream_;
    PointerTable pointers_;
    std::list<Pending> window_;
    bool at_end_ = true;
    bool issuing_ = false;
    std::vector<std::unique_ptr<HostPort>> host_;  // in the order of the netlist
    std::map<const Queue*, HostPort*> host_of_;
    std::int64_t inputs_done_ = 0;
    std::uint64_t generation_ = 0;      ///< changes when an epoch starts or ends, or a pointer moves
    std::vector<QueueMemory*> moving_;  // moving_queues() at generation moving_at_
    std::uint64_t moving_at_ = ~std::uint64_t{0};
    History<std::vector<std::int64_t>> in_flight_history_;  // mark: finished inputs of each epoch
    History<QuiescentPoint> quiescent_history_;
    std::vector<std::int64_t> last_over_;
    std::deque<Issued> issued_;     // the latest commands, in program order
    std::size_t issued_from_ = 0;   // number of the first of them
    std::size_t next_number_ = 0;   // of commands that enter the window
    std::size_t compare_from_ = 0;  // no comparison of commands before this number
    std::uint64_t launched_iteration_ = 0;
    std::uint64_t iterations_compared_ = 0, iterations_over_ = 0;  // since the last skip
    bool never_skip_ = false;
    std::uint64_t steps_ = 0;  ///< cycles with events
};

}  // namespace ttsim::impl::sim
