// Pointers of queues and rams, and what a run will read: the rules of docs/netlist.md "Queue pointers".
//
// A FIFO entry is known by its push number: 0, 1, 2, ... over the whole run; its slot is the number modulo `entries`.
// A ram entry is known by its slot.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "netlist/program/program.hpp"

namespace ttsim::impl {

/// Where the inputs of one execute find and leave their entries. Entry numbers as above.
struct QueueAccess {
    const Queue* queue = nullptr;
    bool ram = false;
    bool prologue = false, epilogue = false, zero = false;
    std::int64_t entries = 1;
    std::int64_t read_first = 0, read_step = 0;
    std::int64_t write_first = 0, write_step = 0;
    std::int64_t pop_step = 0;  ///< FIFO: entries released after each input
    std::int64_t read(std::int64_t input) const;
    std::int64_t write(std::int64_t input) const;
};

class QueuePointers {
public:
    explicit QueuePointers(const Queue& queue) : queue_(&queue) {}

    /// Start of an execute: loads the settings (nullptr: none given) and moves the write pointer by the graph's own
    /// input_count when `written`. `read`: the graph reads the queue.
    QueueAccess launch(const QueueLaunch* settings, bool read, bool written, std::int64_t input_count);
    /// A varinst moved a pointer. FIFO read pointers pop.
    void move(Pointer pointer, std::int64_t value);
    /// End of an execute that popped by itself or stepped ram pointers.
    void finish(const QueueAccess& access, std::int64_t input_count);
    void reset();

    std::int64_t popped() const { return popped_; }  ///< FIFO entries below this number are free
    std::int64_t pushed() const { return pushed_; }  ///< next push number of an op-fed FIFO
    bool rewound() const { return rewound_; }        ///< a program went back to entries it had popped

private:
    void set_read_global(std::int64_t value);

    const Queue* queue_;
    std::int64_t popped_ = 0, pushed_ = 0;
    std::int64_t last_read_global_ = 0;  // value as the program wrote it
    std::int64_t ram_read_ = 0, ram_write_ = 0;
    bool rewound_ = false;
    bool chip_popped_ = false;  // since the program last moved the pointer
};

/// Graphs an execute runs together: those connected by op-to-op edges over chips (docs/netlist.md "Temporal epochs").
struct EpochLaunch {
    std::vector<ExecuteCommand> members;
    std::int64_t inputs = 0;  ///< that run: min(input_count, --inputs-count)
    std::int64_t input_count() const { return members.front().graph->input_count; }
};
using EpochCommand = std::variant<EpochLaunch, MovePointerCommand, AllocateCommand>;

/// ProgramRunner's commands with the executes of a temporal epoch gathered into one launch.
class EpochStream {
public:
    EpochStream(const Netlist& netlist, std::vector<ProgramCall> calls, std::optional<std::int64_t> inputs_count);
    bool next(EpochCommand& command);
    /// One more call, after those given before.
    void add(ProgramCall call) { runner_.add(std::move(call)); }

private:
    void gather(const ExecuteCommand& execute);

    const Netlist* netlist_;
    ProgramRunner runner_;
    std::optional<std::int64_t> inputs_count_;
    std::map<const Graph*, std::vector<const Graph*>> epoch_of_;  // all members, in file order
    std::vector<ExecuteCommand> waiting_;                         // members seen, not complete
    std::vector<EpochCommand> held_;                              // commands between them
    std::vector<EpochCommand> ready_;
    std::size_t ready_at_ = 0;
};

/// Queues and rams an op list touches: each once, with who reads and writes it.
struct QueueUse {
    const Queue* queue = nullptr;
    bool read = false, written = false;
};
std::vector<QueueUse> queue_uses(const Netlist& netlist, const Graph& graph);

/// Pointers of all queues of a run, and the queues each graph touches.
class PointerTable {
public:
    explicit PointerTable(const Netlist& netlist) : netlist_(&netlist) {}
    /// Start of a launch: every queue its graphs touch, with the entries its inputs read and write.
    std::map<const Queue*, QueueAccess> launch(const EpochLaunch& launch);
    void finish(const std::map<const Queue*, QueueAccess>& accesses, std::int64_t input_count);
    void move(const MovePointerCommand& command) { at(*command.queue).move(command.pointer, command.value); }
    void allocate(const AllocateCommand& command);
    QueuePointers& at(const Queue& queue) { return pointers_.try_emplace(&queue, queue).first->second; }
    const std::vector<QueueUse>& uses(const Graph& graph);

private:
    const Netlist* netlist_;
    std::map<const Queue*, QueuePointers> pointers_;
    std::map<const Graph*, std::vector<QueueUse>> uses_;
};

/// What a run will touch, found by running the programs without data.
struct Forecast {
    struct PerQueue {
        std::int64_t entries = 0;        ///< highest entry number read or written, plus one
        std::vector<std::int64_t> host;  ///< HOST-fed: entry numbers to push, ascending
        bool rewound = false;            ///< popped entries are read again: keep them
    };
    std::map<const Queue*, PerQueue> queues;
    std::int64_t launches = 0;
    std::int64_t inputs = 0;       ///< inputs of all launches, for progress
    std::int64_t most_inputs = 0;  ///< of one launch
};
/// Throws Error(Input) where a program reads a FIFO entry that nothing will ever have written.
Forecast forecast(const Netlist& netlist, const std::vector<ProgramCall>& calls,
                  std::optional<std::int64_t> inputs_count);

}  // namespace ttsim::impl
