// The host's part of a run: launches epochs and moves pointers in program order, pushes HOST queues while slots are
// free, pops outputs nobody else reads. Epochs on different chips overlap unless they share memory in a way that
// order matters.
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
    /// One more call behind those before; its plans are made now.
    void call(const ProgramCall& call);
    /// The host's end of a FIFO. Throws Error(Internal) for a queue that the host neither fills nor empties.
    HostPort& host(const Queue& queue);
    /// When a slot that the host writes now has reached the ram.
    Cycle write_ram(const Queue& ram);
    /// The host did something at a call: what repeated until now need not go on, since nobody knows what it does next.
    void host_acted();
    bool finished() const { return at_end_ && window_.empty(); }
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    std::vector<const Waiter*> unfinished() const;
    std::vector<const Epoch*> epochs() const;  ///< in flight, in program order
    /// Between two cycles: skips inputs of the epochs in flight if the machine does what it did before.
    void between_cycles();

private:
    struct Pending {
        EpochCommand command;
        CommandUse use;
        std::unique_ptr<Epoch> epoch;  // when running
        bool over = false;
    };
    /// A command as far as it decides what happens: numbers that must agree, and entry numbers of queues, which move
    /// on with them.
    struct Issued {
        std::vector<std::int64_t> same;
        std::vector<std::pair<const Queue*, std::int64_t>> entries;
    };
    using Popped = std::map<const Queue*, std::int64_t>;
    struct Settled {
        std::size_t commands = 0;  ///< issued before it
        Popped popped;             ///< where its entry numbers are counted from
    };
    /// The commands that are not issued yet, and the pointers they will move.
    struct ToCome {
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
    void tell_progress() const;

    // --- skipping, sequencer_skip.cpp ---
    bool may_skip() const;
    std::vector<Epoch*> in_flight() const;
    void walk(StateWalk& walk, QueueMemory::Moment moment);
    void walk_reports(StateWalk& walk);
    bool settled() const;
    bool more_launches() const;
    void skip_rounds(const Epoch& ended);
    static Issued describe(const EpochCommand& command, const std::map<const Queue*, QueueAccess>& access,
                           PointerTable& pointers);
    void log(Issued issued);
    ToCome to_come() const;
    std::int64_t rounds_alike(const Settled& from, const Settled& to, std::int64_t most) const;
    void limit_to_commands(StateWalk& limit, const Settled& from, const Settled& to);
    void take_commands(std::size_t count);

    static constexpr std::size_t window_size = 64;  ///< commands looked ahead
    Context& context_;
    EpochStream stream_;
    PointerTable pointers_;
    std::list<Pending> window_;
    bool at_end_ = true;
    bool issuing_ = false;
    std::vector<std::unique_ptr<HostPort>> host_;  // in the order of the file
    std::map<const Queue*, HostPort*> host_of_;
    std::int64_t inputs_done_ = 0;
    std::uint64_t generation_ = 0;                          ///< of what is in flight
    History<std::vector<std::int64_t>> in_flight_history_;  // with the inputs over of each epoch
    History<Settled> settled_history_;
    std::vector<std::int64_t> last_over_;
    std::deque<Issued> issued_;  // the latest commands, the last of them number commands_ - 1
    std::size_t commands_ = 0;
    std::size_t compare_from_ = 0;  // commands are not compared before that many were issued
    bool never_skip_ = false;
    std::uint64_t steps_ = 0;  ///< cycles in which anything happened
};

}  // namespace ttsim::impl::sim
