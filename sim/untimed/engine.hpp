// Engines without a clock: they execute programs op by op and input by input, as entries and free slots allow.
//
//   program --EpochStream--> commands in flight --> RunningLaunch --op, input--> UntimedLaunch (of a subclass)
//
// Order of commands, queue pointers and slots are the same as in the machine. Between two ops of an epoch there is
// exactly one input; in the machine it is the content of their buffers.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "sim/machine/command_dependencies.hpp"
#include "sim/state/engine.hpp"
#include "sim/untimed/running_launch.hpp"

namespace ttsim::impl::sim {

class UntimedEngine : public Engine {
public:
    void call(const ProgramCall& call) override;
    /// Executes everything that can run. No time passes, so the deadline has no effect.
    bool advance(const Until& until, std::uint64_t deadline = no_deadline) override;
    bool idle() const override { return at_end_ && window_.empty(); }
    std::uint64_t now() const override { return 0; }
    std::int64_t pushed(const Queue& queue) const override { return fifos_.host(queue).pushed(); }
    std::int64_t room(const Queue& queue) const override { return fifos_.host(queue).room(); }
    void push(const Queue& queue, EntryPtr entry) override;
    std::int64_t popped(const Queue& queue) const override { return fifos_.host(queue).popped(); }
    std::int64_t ready(const Queue& queue) const override { return fifos_.host(queue).ready(); }
    void pop(const Queue& queue, std::int64_t count) override;
    void write(const Queue& ram, std::int64_t slot, EntryPtr entry) override { put(ram, slot, std::move(entry)); }
    std::string waits() const override;

protected:
    /// `state` outlives the engine.
    explicit UntimedEngine(RunState& state);
    virtual std::unique_ptr<UntimedLaunch> launch(const EpochLaunch& launch, const QueueAccesses& access) = 0;
    /// Stores an entry that the host pushes or writes.
    virtual void put(const Queue& queue, std::int64_t n, EntryPtr entry) = 0;

    RunState& state_;

private:
    struct Pending {
        EpochCommand command;
        CommandUse use;
        std::unique_ptr<RunningLaunch> running;
        bool over = false;
    };
    void fill_window();
    bool blocked(const Pending& pending) const;
    bool step();
    bool step(Pending& pending);
    void start(Pending& pending);
    void finish(Pending& pending);
    void check_stop() const;
    void report_progress() const;

    static constexpr std::size_t window_size = 64;  ///< number of commands that are looked ahead
    EpochStream stream_;
    PointerTable pointers_;
    mutable Fifos fifos_;  // mutable: created on first use
    std::list<Pending> window_;
    std::vector<const RunningLaunch*> running_;
    bool at_end_ = true;
    std::int64_t inputs_done_ = 0;
};

}  // namespace ttsim::impl::sim
