// Pointers of queues and rams, and a forecast of a run's accesses: the rules of docs/netlist.md "Queue pointers".
// A FIFO entry is identified by its push number: 0, 1, 2, ... over the complete run; its slot is the number modulo
// `entries`. A ram entry is identified by its slot.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "netlist/program/program.hpp"

namespace ttsim::impl {

/// The entries that the inputs of one execute read and write. Entry numbers as above.
struct QueueAccess {
    const Queue* queue = nullptr;
    bool ram = false;
    bool prologue = false, epilogue = false, zero = false;
    bool jumped = false;  ///< FIFO: the settings moved the read pointer; where to depends on the entries pushed by then
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

    /// Start of an execute: loads the settings (nullptr: none) and, if `written`, advances the write pointer by the
    /// graph's input_count. `read`: the graph reads the queue.
    QueueAccess launch(const QueueLaunch* settings, bool read, bool written, std::int64_t input_count);
    /// A varinst moved a pointer. Moving a FIFO's read pointer pops entries.
    void move(Pointer pointer, std::int64_t value);
    /// End of an execute: applies its pops and ram pointer steps.
    void finish(const QueueAccess& access, std::int64_t input_count);
    void reset();

    std::int64_t popped() const { return popped_; }  ///< FIFO entries below this number are free
    std::int64_t pushed() const { return pushed_; }  ///< next push number of an op-fed FIFO
    bool rewound() const { return rewound_; }        ///< a program returned to popped entries

private:
    bool set_read_global(std::int64_t value);

    const Queue* queue_;
    std::int64_t popped_ = 0, pushed_ = 0;
    std::int64_t last_read_global_ = 0;  // value set by the program
    std::int64_t ram_read_ = 0, ram_write_ = 0;
    bool rewound_ = false;
    bool chip_popped_ = false;  // popped automatically since the program last moved the pointer
};

/// Graphs that run together: connected by op-to-op edges across chips (docs/netlist.md "Temporal epochs").
struct EpochLaunch {
    std::vector<ExecuteCommand> members;
    std::int64_t inputs = 0;  ///< inputs that run: min(input_count, --inputs-count)
    std::int64_t input_count() const { return members.front().graph->input_count; }
    std::int64_t first_input() const { return members.front().first_input; }
    std::uint64_t iteration() const { return members.front().iteration; }
};
using EpochCommand = std::variant<EpochLaunch, MovePointerCommand, AllocateCommand>;

/// The commands of ProgramRunner, with the executes of a temporal epoch merged into one launch.
class EpochStream {
public:
    EpochStream(const Netlist& netlist, std::vector<ProgramCall> calls, std::optional<std::int64_t> inputs_count);
    bool next(EpochCommand& command);
    /// Appends a call.
    void add(ProgramCall call) { runner_.add(std::move(call)); }
    /// Whether a command to come may launch the graph.
    bool may_launch(const Graph& graph) const;

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

/// A queue or ram used by a graph, and whether it is read and written.
struct QueueUse {
    const Queue* queue = nullptr;
    bool read = false, written = false;
};
std::vector<QueueUse> queue_uses(const Netlist& netlist, const Graph& graph);

/// Pointers of all queues of a run, and the queues of each graph.
class PointerTable {
public:
    explicit PointerTable(const Netlist& netlist) : netlist_(&netlist) {}
    /// Start of a launch: all queues of its graphs, with the entries that its inputs read and write.
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

/// The accesses of a run, found by running the programs without data.
struct Forecast {
    struct PerQueue {
        std::int64_t entries = 0;  ///< highest entry number read or written, plus one
        std::vector<std::int64_t>
            host;  ///< entry numbers that the host pushes, ascending; of an op-fed ram: given before the run
        bool rewound = false;  ///< popped entries are read again and must be kept
    };
    std::map<const Queue*, PerQueue> queues;
    std::int64_t launches = 0;
    std::int64_t inputs = 0;       ///< inputs of all launches, for progress
    std::int64_t most_inputs = 0;  ///< maximum inputs of one launch
};
/// Throws Error(Input) if a program reads a FIFO entry that is never written.
Forecast forecast(const Netlist& netlist, const std::vector<ProgramCall>& calls,
                  std::optional<std::int64_t> inputs_count);

}  // namespace ttsim::impl
