// A launch in progress without a clock: which of its ops can run for the current input, and their effect on queues.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "sim/machine/host_cursor.hpp"
#include "sim/state/waiter.hpp"

namespace ttsim::impl::sim {

using QueueAccesses = std::map<const Queue*, QueueAccess>;

/// Computes the values of one launch; implemented by each engine.
class UntimedLaunch {
public:
    virtual ~UntimedLaunch() = default;
    virtual const std::vector<const Op*>& ops() const = 0;  ///< producers first
    /// Starts an input, in order. Reads queue contents that the writes of this input may change.
    virtual void begin(std::int64_t input) = 0;
    /// Computes ops()[op] and writes its queues. The caller guarantees that its operands are available for this input.
    virtual void run(std::size_t op, std::int64_t input) = 0;
};

/// State and host cursors of all FIFOs.
class Fifos {
public:
    explicit Fifos(RunState& state) : state_(state) {}
    QueueMemory& memory(const Queue& queue) { return fifo(queue).memory; }
    HostCursor& host(const Queue& queue) { return fifo(queue).host; }
    void clear(const Queue& queue);

private:
    struct Fifo {
        QueueMemory memory;
        HostCursor host;
        Fifo(const Queue& queue, RunState& state) : memory(queue, state), host(memory) {}
    };
    Fifo& fifo(const Queue& queue);

    RunState& state_;
    std::map<const Queue*, std::unique_ptr<Fifo>> fifos_;
};

class RunningLaunch {
public:
    /// `launches`: all launches in progress, for wait-for chains. The caller adds this one.
    RunningLaunch(RunState& state, Fifos& fifos, EpochLaunch launch, QueueAccesses access,
                  std::unique_ptr<UntimedLaunch> values, const std::vector<const RunningLaunch*>& launches);

    /// Runs one op for one input; false when none can run. In a live run ops wait for entries and free slots. Otherwise
    /// queues are unbounded and ops never wait.
    bool step();
    bool over() const { return input_ == launch_.inputs; }
    double inputs_over() const;  ///< finished inputs, including the finished fraction of the current one
    const EpochLaunch& launch() const { return launch_; }
    const QueueAccesses& access() const { return access_; }
    std::vector<const Waiter*> unfinished() const;

private:
    struct OpState : Waiter {
        const RunningLaunch* launch = nullptr;
        const Op* op = nullptr;
        std::vector<const OpState*> producers;
        std::vector<const QueueAccess*> reads, writes;  // FIFOs only
        bool done = false;                              // finished for the current input
        WaitsFor waits_for() const override;
    };
    void connect();
    bool can_run(const OpState& op) const;
    bool reads(const QueueAccess& access) const;   // whether the current input reads an entry
    bool writes(const QueueAccess& access) const;  // whether the current input writes an entry
    void finish(OpState& op);
    const Waiter* writer_of(const Queue& queue) const;
    const Waiter* reader_of(const Queue& queue) const;

    RunState& state_;
    Fifos& fifos_;
    EpochLaunch launch_;
    QueueAccesses access_;
    std::unique_ptr<UntimedLaunch> values_;
    const std::vector<const RunningLaunch*>& launches_;
    std::deque<OpState> ops_;
    std::map<const Queue*, std::int64_t> readers_, readers_left_;  // of FIFOs that pop with each input
    std::int64_t input_ = 0;
    bool begun_ = false;
    std::size_t first_open_ = 0, done_ = 0;
};

}  // namespace ttsim::impl::sim
