// The host side of a run: launches epochs and moves pointers in program order, pushes HOST queues while slots are free,
// pops outputs that no graph reads. Epochs on different chips overlap unless they depend on each other through memory.
#pragma once

#include <list>
#include <memory>
#include <optional>

#include "sim/machine/command_log.hpp"
#include "sim/machine/command_order.hpp"
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
    void between_cycles() {
        context_.attention = false;
        if (context_.state.settings.progress && context_.board.clock().at_interval()) report_progress();
        if (context_.input_over) input_over();
    }

private:
    struct Pending : OrderedCommand {
        EpochCommand command;
        std::unique_ptr<Epoch> epoch;          // null unless running
        std::uint64_t started = 0;             // in the order of launches
        std::list<Pending>::iterator place{};  // in the window
    };
    using Window = std::list<Pending>;
    /// The place in the program at which an iteration begins. Other commands may be in flight then, behind or before
    /// it.
    struct LoopPoint {
        struct Left {
            std::size_t number;
            bool running;
        };
        std::size_t launching = 0;  ///< number of the command that is launched next
        std::size_t issued_to = 0;  ///< no command from this number on is issued
        std::vector<Left> left;     ///< commands before `issued_to` that are not over
        Popped popped;              ///< the base of entry numbers
        const Left* find(std::size_t number) const;
    };
    class CommandsAhead;

    void fill_window();
    Pending& append(Window& window, EpochCommand command, std::size_t number);
    void issue();
    void set_over(Pending& pending);
    void drop_over();
    void run(Pending& pending);
    void finish(Pending& pending);
    void report_progress() const;

    // --- skipping, sequencer_skip.cpp ---
    void input_over();
    bool may_skip() const;
    std::vector<Epoch*> in_flight() const;
    void walk(StateWalk& walk);
    const std::vector<QueueMemory*>& moving_queues();
    void log(std::size_t number, IssuedCommand issued);

    // --- iterations, sequencer_loops.cpp ---
    void walk_commands(StateWalk& walk, const LoopPoint& at);
    void walk_reports(StateWalk& walk);
    bool may_repeat(const Pending& launching) const;
    bool begins_iteration(const Pending& launching) const;
    LoopPoint loop_point(const Pending& launching) const;
    std::vector<Pending*> by_launch();
    bool skip_loop_iterations(const Pending& launching);
    std::int64_t count_equal_rounds(const LoopPoint& from, const LoopPoint& to, std::int64_t most) const;
    bool stays_blocked(const CommandUse& later, const LoopPoint& at) const;
    void limit_to_commands(StateWalk& limit, const LoopPoint& from, const LoopPoint& to);
    void consume_commands(const LoopPoint& at, std::size_t count);

    static constexpr std::size_t window_size = 64;  ///< number of commands that are looked ahead
    Context& context_;
    EpochStream stream_;
    PointerTable pointers_;
    Window window_;
    CommandOrder order_;
    std::vector<Pending*> over_;  // to be removed from the window
    bool at_end_ = true;
    bool issuing_ = false;
    std::vector<std::unique_ptr<HostPort>> host_;  // in the order of the netlist
    std::map<const Queue*, HostPort*> host_of_;
    std::int64_t inputs_done_ = 0;
    std::uint64_t generation_ = 0;      ///< changes when an epoch starts or ends, or a pointer moves
    std::vector<QueueMemory*> moving_;  // moving_queues() at generation moving_at_
    std::uint64_t moving_at_ = ~std::uint64_t{0};
    History<std::vector<std::int64_t>> in_flight_history_;  // mark: finished inputs of each epoch
    History<LoopPoint> loop_history_;
    std::vector<std::int64_t> last_over_;
    CommandLog log_;
    std::size_t next_number_ = 0;   // of commands that enter the window
    std::size_t issued_to_ = 0;     // no command from this number on is issued
    std::size_t compare_from_ = 0;  // no comparison of commands before this number
    CommandUse ended_;              // of the launch whose end issues commands now
    std::uint64_t launches_ = 0;
    std::uint64_t launched_iteration_ = 0;
    Backoff input_backoff_, loop_backoff_;
    bool never_skip_ = false;
};

}  // namespace ttsim::impl::sim
