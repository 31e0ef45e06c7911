// Access of one epoch to a queue: which entry each input reads or writes, and how much of it was delivered.
#pragma once

#include <map>

#include "sim/machine/epoch_view.hpp"
#include "sim/machine/queue_memory.hpp"
#include "sim/state/waiter.hpp"

namespace ttsim::impl::sim {

class Core;
class WriterFlow;

class QueuePort {
public:
    QueuePort(const EpochView& epoch, const PlanQueue& queue, QueueAccess access, QueueMemory& memory);

    const Queue& queue() const { return *plan_.queue; }
    const QueueAccess& access() const { return access_; }
    /// Iterations were skipped: the port is now that of a later launch.
    void set_access(const QueueAccess& access) { access_ = access; }
    bool writes() const { return plan_.writer >= 0; }
    bool reads() const { return !plan_.readers.empty(); }
    QueueMemory& memory() { return memory_; }
    const QueueMemory& memory() const { return memory_; }

    /// Sets the port of this epoch that writes the memory this port reads (a ram, directly or through an alias).
    void follow(QueuePort& writer);

    // --- reading ---
    void add_reader() { ++readers_; }
    /// Whether the entry of that input can be read. A ram that this epoch also writes shows the writes of earlier
    /// inputs only.
    bool ready(std::int64_t input) const;
    EntrySpan entry(std::int64_t input);
    /// One reader has read the whole entry of that input.
    void done_reading(std::int64_t input);

    // --- writing ---
    void expect(std::int64_t pieces_per_input) { pieces_per_input_ = pieces_per_input; }
    bool may_write(std::int64_t input) const { return memory_.free_slot(access_.write(input)); }
    void begin_write(std::int64_t input) { memory_.begin(access_.write(input)); }
    bool skips(std::int64_t input) const;  ///< epilogue: only the last input is written
    /// A piece of an input's entry has arrived; `block` is set with the last piece of a core's slice.
    void deliver(const PlanOp& op, std::size_t core, std::int64_t input, std::int64_t slice, const BlockPtr& block);
    EntrySpan gradient_entry(std::int64_t input);
    /// Cycle in which all untilized rows issued by its writers are written.
    Cycle& rows_free() { return rows_free_; }
    void walk(StateWalk& walk);

    // --- for wait-for chains ---
    void add_core(const Core& core) { cores_.push_back(&core); }  ///< a core that reads the queue
    void add_writer(const WriterFlow& writer) { writers_.push_back(&writer); }
    const Waiter* unfinished_reader() const;  ///< a core that has not finished; nullptr: none
    const Waiter* unfinished_writer() const;  ///< a writer that has not finished; nullptr: none

private:
    void commit(std::int64_t input);
    void snapshot(std::int64_t input);
    bool follows() const { return writer_ != nullptr && !access_.prologue; }

    struct Writing {
        std::int64_t pieces = 0;
        EntrySpan entry;
        SourceRefs blocks;  // when there are TMs between op and queue
    };
    const EpochView& epoch_;
    const PlanQueue& plan_;
    QueueAccess access_;
    QueueMemory& memory_;
    std::int64_t readers_ = 0, pieces_per_input_ = 0, committed_ = 0;
    std::vector<const Core*> cores_;
    std::vector<const WriterFlow*> writers_;
    Cycle rows_free_ = 0;
    QueuePort* writer_ = nullptr;
    std::vector<QueuePort*> followers_;
    std::map<std::int64_t, std::int64_t> done_;    // input -> number of readers that have finished
    std::map<std::int64_t, EntrySpan> snapshots_;  // rams read and written here
    std::map<std::int64_t, EntrySpan> gradient_entries_;
    std::map<std::int64_t, Writing> writing_;
};

}  // namespace ttsim::impl::sim
