// Simulation of one pipe of the plan: transfers from its sources over the NoC into the operand buffers of its consumer
// cores, which free them chunk by chunk.
#pragma once

#include <boost/container/small_vector.hpp>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "netlist/plan/chunk_needs.hpp"
#include "sim/machine/core.hpp"
#include "sim/machine/input_count.hpp"
#include "sim/machine/queue_port.hpp"
#include "sim/values/kept_slices.hpp"

namespace ttsim::impl::sim {

/// The streams of a gather: relays, each connected to a source, and one stream that forwards their tiles in order.
/// Pipes of an operand that read their sources alternately have one gather, which changes its destination.
struct GatherStreams {
    struct Relay {
        Cycle free = 0;            ///< its last tiles have been forwarded
        std::int64_t source = -1;  ///< the source it is connected to; -1: none
    };
    std::vector<Relay> relays;
    std::size_t last_relay = 0;    ///< relays are used round robin
    Cycle free = 0;                ///< end of the transfers of the forwarding stream
    std::int64_t gathered_to = 0;  ///< end of the block being gathered, as a position in each source
    void walk(StateWalk& walk, std::int64_t source_tiles, const StateWalk::Scope& scope);
};

class alignas(64) PipeFlow final : public Actor, public OutputConsumer, public QueueUser, public Waiter {
public:
    PipeFlow(const EpochView& epoch, const PlanOp& consumer, std::size_t k, const Pipe& pipe, FlowProbe* probe);
    ~PipeFlow() override;
    PipeFlow(const PipeFlow&) = delete;
    PipeFlow& operator=(const PipeFlow&) = delete;

    /// `before`: the operand's pipe before this one, whose gather it shares if they alternate; nullptr: its own.
    void connect(const std::vector<Core*>& consumers, const std::vector<Core*>& producers, QueuePort* queue,
                 const PipeFlow* before);
    void start() {
        started_ = true;
        try_send();
    }

    std::int64_t arrived() const { return arrived_; }  ///< chunks since the start of the epoch
    /// Cycle in which the last input was sent; no value for a resident operand, which is sent once.
    std::optional<Cycle> all_sent() const { return resident_ ? std::nullopt : all_sent_; }
    void free_chunks(std::size_t place, std::int64_t chunks);  ///< credit: the core has freed `chunks` in total
    AssembledPtr slice(std::int64_t input, std::int64_t z);    ///< a slice that has arrived, for one use by one core
    std::string source_name() const;

    void source_produced(const Core& source) override {
        if ((!full_ && (!awaited_ || awaited_ == &source)) || probe_) try_send();  // a probe counts every attempt
    }
    void queue_changed() override {
        if (started_) try_send();
    }
    const Waiter& waiter() const override { return *this; }
    const FlowProbe* probe() const override { return probe_; }
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    void walk_argument(StateWalk& walk, std::uint32_t what, std::uint64_t& argument) override;
    WaitsFor waits_for() const override;
    void walk(StateWalk& walk);
    FlowState state() const;  ///< for debugger and telemetry, view.cpp

private:
    /// A slice that has arrived. It is assembled when the first core uses it; until then only references to the packed
    /// entry or the producers' blocks are kept.
    struct ArrivedSlice {
        SourceRefs refs;
        AssembledPtr slice;
        std::int64_t uses_left = 0;
    };
    /// A producer core of which the pipe reads tiles.
    struct alignas(32) Source {
        Core* core = nullptr;    ///< nullptr: not touched
        NocPath path;            ///< to the pipe's core, once it is known
        std::uint32_t slot = 0;  ///< our consumer number there
        enum class Place : std::uint8_t { Unknown, Elsewhere, Here } place = Place::Unknown;  ///< here: the pipe's core
    };
    struct Receiver {
        Core* core;
        std::int64_t freed;  ///< chunks
    };
    /// What every event needs of a sending and of its part from an op, on half a line of the cache.
    struct alignas(32) Part {
        Source* from = nullptr;               ///< nullptr: padding, or from a queue
        std::uint32_t need = 0, release = 0;  ///< as ChunkNeed
        std::uint32_t tiles = 0, phases = 0;  ///< as ChunkNeed
        std::uint32_t arriving = 0;           ///< Sending::tiles
        std::uint32_t before : 31 = 0;        ///< Sending::tiles_before
        std::uint32_t ends_chunk : 1 = 0;
    };
    Source& source(const ChunkNeed& need) { return sources_[need.source - first_source_]; }
    const Source& source(const ChunkNeed& need) const { return sources_[need.source - first_source_]; }
    std::uint32_t number_of(const Source& source) const {
        return first_source_ + static_cast<std::uint32_t>(&source - sources_.data());
    }
    const Part& next_part() const { return parts_[static_cast<std::size_t>(sent_.place())]; }
    const Sending& next_sending() const { return pipe_.sendings[static_cast<std::size_t>(sent_.place())]; }
    std::int64_t tiles_sent() const { return sent_.input() * input_tiles_ + next_part().before; }
    std::int64_t tiles_of(std::int64_t chunks) const;
    void count_freed_tiles();
    Core* missing_source(const Part& next) const;
    bool entry_missing(std::int64_t input) const;
    std::int64_t room_for(const Part& next) const;
    bool buffers_full(const Part& next) const;
    void try_send();
    void wait(bool missing);
    void note_wait(bool missing);
    NocEnd find_receivers() const;
    Cycle transfer(const Part& next);
    int noc_from_queue(const Chip& chip, NocCoord from) const;
    Cycle send(std::int64_t from_chip, NocCoord from, std::uint64_t bytes, Cycle ready, std::size_t lane, int noc,
               NocPath& path);
    Cycle send_by_board(std::int64_t from_chip, NocCoord from, std::uint64_t bytes, Cycle ready, std::size_t lane,
                        int noc);
    bool route_recorded() const;
    Cycle send_on_chip(NocCoord from, std::uint64_t bytes, Cycle ready, int noc, NocPath& path);
    void find_path(Source& from, std::uint64_t bytes);
    int noc_from_op(const Core& source) const;
    Cycle send_directly(Source& from, std::uint64_t bytes, Cycle ready);
    Cycle behind_first_tile(Cycle ready, Cycle arrival, std::uint64_t bytes) const;
    Cycle send_here(NocPath& path, int noc, NocCoord from, NocEnd to, std::uint64_t bytes, Cycle ready);
    void connect_sources(const std::vector<Core*>& producers);
    void make_parts();
    void find_gather(const PipeFlow* before);
    void forget_unread();
    Cycle from_queue(const Sending& sending);
    Cycle load_held();
    Cycle from_l1(const Sending& sending);
    Cycle from_op(const Part& part);
    Cycle asked_for(const Sending& next, Cycle asked);
    Cycle through_relays(const Part& part, Cycle ready);
    Cycle through_stream(const Part& part, Cycle ready);
    double stream_tile() const;
    void arrive();
    void collect_values(std::int64_t input, const Sending& sending);

    // What most events need comes first, grouped by lines of the cache, since pipes are many and far apart in memory.
    const Core* awaited_ = nullptr;  // source of the next transfer, while its tiles are missing
    std::vector<Part> parts_;        // by sending

    InputCount sent_;  // sendings
    std::int64_t total_;
    std::int64_t freed_tiles_ = 0, input_tiles_, source_tiles_ = 0;  // source tiles: of a core and input
    bool full_ = false;      // there is no room for the next transfer, but its tiles are available
    bool resident_, ideal_;  // ideal: transfers take no time
    bool values_;
    bool in_chunks_;       // NCRISC reads whole chunks
    bool after_unpacker_;  // and nothing while a step's tiles wait to be unpacked
    bool waited_ = false;  ///< it waited for a FIFO entry, and therefore polls the queue's pointers
    bool direct_ = false;  // from cores of the same chip, by relays

    FlowProbe* probe_;
    QueuePort* queue_ = nullptr;
    std::int64_t capacity_;
    InputCount landed_;         // sendings
    std::int64_t arrived_ = 0;  // chunks
    std::int64_t chunk_tiles_;  // of each chunk; 0: they differ

    boost::container::small_vector<Receiver, 1> receivers_;
    InputCount freed_;  // chunks

    const EpochView& epoch_;
    Calendar& calendar_;
    Noc& noc_;
    std::uint32_t k_, first_source_ = 0;
    Cycle last_arrival_ = 0, stream_free_ = 0;  // end of the transfers of the sending stream
    Cycle multicast_free_ = 0;                  // end of the transfers of the second stream, which multicasts
    Cycle issue_ = 0;                           // until a source's write has left it

    std::uint64_t tile_bytes_;
    double stream_tile_ = 0;  // clocks
    const PipeConstants& streams_;
    std::shared_ptr<GatherStreams> gather_;  // several sources only
    NocPath multicast_path_;                 // from the multicast core
    bool many_;                              // there are several receivers
    bool held_;                              // the operand is held in L1
    bool walks_gather_ = false;              // the first of the pipes that share it
    bool started_ = false;                   // false while the epoch's kernels are loading

    const Pipe& pipe_;
    const PlanOperand& operand_;
    const PlanOp& consumer_;
    NocEnd receiving_;
    int noc_in_ = 0, noc_out_ = 0;   // from ops to the pipe's core, from there to the receivers
    NocCoord multicast_core_{0, 0};  // several receivers: the core that sends to the others
    std::int64_t chunks_per_input_;
    std::optional<Cycle> all_sent_;
    Cycle loaded_ = 0;                                     // prologue operand: cycle in which it is in L1
    std::vector<Source> sources_;                          // from `first_source_` on
    SourceRefs refs_;                                      // sources of the slice that is arriving
    std::map<std::int64_t, ArrivedSlice> arrived_slices_;  // input * operand_z + z
    KeptSlices kept_slices_;
};

}  // namespace ttsim::impl::sim
