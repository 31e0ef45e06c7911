// A pipe of the Plan in motion: what it sends, one after the other, from its sources over the NoC into the operand
// buffers of its cores, which take it chunk by chunk.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "netlist/plan/chunk_needs.hpp"
#include "sim/machine/core.hpp"
#include "sim/machine/queue_port.hpp"

namespace ttsim::impl::sim {

class PipeFlow final : public Actor, public OutputUser, public QueueUser, public Waiter {
public:
    PipeFlow(const EpochView& epoch, const PlanOp& consumer, std::size_t k, const Pipe& pipe, FlowProbe* probe);
    ~PipeFlow() override;
    PipeFlow(const PipeFlow&) = delete;
    PipeFlow& operator=(const PipeFlow&) = delete;

    void connect(std::vector<Core*> consumers, const std::vector<Core*>& producers, QueuePort* queue);
    void start() {
        started_ = true;
        try_send();
    }

    std::int64_t arrived() const { return arrived_; }  ///< chunks since the start of the epoch
    /// When it had sent the last of all inputs; nothing of a resident operand, which it sends once.
    std::optional<Cycle> all_sent() const { return resident() ? std::nullopt : all_sent_; }
    void taken(std::size_t place, std::int64_t chunks);      ///< credit: the core is done with so many chunks
    AssembledPtr slice(std::int64_t input, std::int64_t z);  ///< a slice that has arrived, for one core's use
    std::string source_name() const;

    void source_produced() override { try_send(); }
    void queue_changed() override {
        if (started_) try_send();
    }
    const Waiter& waiter() const override { return *this; }
    const FlowProbe* probe() const override { return probe_; }
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    void walk_argument(StateWalk& walk, std::uint32_t what, std::uint64_t& argument) override;
    WaitsFor waits_for() const override;
    void walk(StateWalk& walk);
    FlowState state() const;  ///< for those who watch, view.cpp

private:
    /// A slice that has arrived. It is put together when the first core takes it: until then the packed entry, or
    /// the producers' blocks, are all the memory it costs.
    struct Held {
        SourceRefs refs;
        AssembledPtr slice;
        std::int64_t uses_left = 0;
    };
    bool resident() const { return operand_.intake == Intake::Resident; }
    const Sending& sending(std::int64_t number) const {
        return sendings_[static_cast<std::size_t>(number % per_input_)];
    }
    std::int64_t tiles_sent() const;
    std::int64_t tiles_taken() const;
    const ChunkNeed* missing_source(std::int64_t number) const;
    bool entry_missing(std::int64_t input) const;
    std::int64_t room_for(const Sending& next) const;
    bool buffers_full(const Sending& next) const;
    void try_send();
    void wait(bool missing);
    NocEnd receivers() const;
    Cycle transfer(const Sending& sending);
    Cycle send(std::int64_t from_chip, NocCoord from, std::uint64_t bytes, Cycle ready, std::size_t lane);
    Cycle from_queue(const Sending& sending);
    Cycle load_held();
    Cycle from_l1(const Sending& sending);
    Cycle from_op(const Sending& sending);
    Cycle asked_for(const Sending& next, Cycle asked);
    Cycle through_relays(const ChunkNeed& need, Cycle ready);
    Cycle through_stream(const ChunkNeed& need, Cycle ready);
    double stream_tile() const;
    void arrive(std::int64_t number);
    void collect_values(std::int64_t input, const Sending& sending);

    const EpochView& epoch_;
    const PlanOp& consumer_;
    std::size_t k_;
    const PlanOperand& operand_;
    const Pipe& pipe_;
    FlowProbe* probe_;
    bool free_;                              // it takes no time
    std::vector<Core*> cores_;               // consumers
    std::vector<Core*> sources_;             // producers by source number; nullptr when not touched
    std::vector<std::size_t> source_slots_;  // our user number at each producer
    QueuePort* queue_ = nullptr;
    std::vector<Sending> sendings_;  // of an input
    std::int64_t per_input_ = 0, chunks_per_input_, total_;
    std::vector<std::int64_t> tiles_before_sending_, tiles_before_chunk_;  // within an input
    std::int64_t sent_ = 0;                                                // sendings
    std::int64_t arrived_ = 0, taken_ = 0;                                 // chunks
    std::vector<std::int64_t> taken_by_;
    Cycle last_arrival_ = 0;
    std::optional<Cycle> all_sent_;
    Cycle stream_free_ = 0;     // the sending stream is done with what it has sent
    Cycle loaded_ = 0;          // what it holds in L1 is there
    Cycle multicast_free_ = 0;  // the same of the one behind it that sends to several cores
    /// Gathers only: between the sources and the stream to the operand.
    struct Relay {
        Cycle free = 0;            ///< what it took last has gone on
        std::int64_t source = -1;  ///< its partner
    };
    std::vector<Relay> relays_;
    std::size_t next_relay_ = 0;
    std::int64_t gathered_to_ = 0;       // end of the block that is being gathered, as a position in each source
    double stream_tile_ = 0;             // clocks
    bool waited_ = false;                ///< for the entry of a FIFO, whose pointers it therefore polls
    bool started_ = false;               // before, the epoch's kernels are still loading
    std::int64_t source_tiles_ = 0;      // produced per core and input
    SourceRefs refs_;                    // of the slice that is arriving
    std::map<std::int64_t, Held> held_;  // input * operand_z + z
};

}  // namespace ttsim::impl::sim
