// One core running one op of an epoch: unpack, math and pack coupled by bounded buffers.
//
//   operand buffers (filled by pipes) --> unpack --> math --> pack --> output buffer (emptied by pipes and writers)
#pragma once

#include <boost/container/deque.hpp>
#include <boost/container/small_vector.hpp>
#include <vector>

#include "sim/machine/epoch_view.hpp"
#include "sim/machine/input_count.hpp"
#include "sim/machine/machine_view.hpp"
#include "sim/machine/probe.hpp"
#include "sim/state/waiter.hpp"

namespace ttsim::impl::sim {

class Core;
class PipeFlow;
class QueuePort;

/// A pipe or writer that reads tiles from a core's output buffer.
class OutputConsumer {
public:
    virtual ~OutputConsumer() = default;
    virtual void source_produced(const Core& source) = 0;
    virtual const Waiter& waiter() const = 0;
    virtual const FlowProbe* probe() const = 0;
};

class alignas(64) Core final : public Actor, public Waiter {
public:
    Core(const EpochView& epoch, const PlanOp& op, std::size_t index, CoreProbe* probe);

    // --- wiring, before start() ---
    void set_operand(std::size_t k, PipeFlow& pipe, std::size_t place);
    /// Registers a consumer; returns its number for release().
    std::size_t add_consumer(OutputConsumer& consumer);
    /// Sets the queue of an op that accumulates into it (gradient).
    void set_gradient(QueuePort& queue) { gradient_queue_ = &queue; }
    /// Enables recording of times per input.
    void record_inputs() { input_times_.resize(static_cast<std::size_t>(epoch_.inputs)); }
    void start();

    // --- operand side ---
    /// `chunks` of the operand have arrived since the start of the epoch.
    void operand_arrived(std::size_t k, std::int64_t chunks) {
        operands_[k].arrived = chunks;
        if (chunks >= operands_[k].needed || probe_) try_start();
    }
    /// A walk has advanced the counts of an operand.
    void set_chunks(std::size_t k, std::int64_t arrived, std::int64_t freed) {
        operands_[k].arrived = arrived;
        operands_[k].freed = freed;
    }
    // --- output side; positions count tiles over all inputs of the epoch ---
    std::int64_t produced() const { return produced_.total(); }
    /// Inputs that are packed completely, and whether the last packed tile was the last of its input.
    std::int64_t inputs_packed() const { return produced_.input(); }
    bool input_complete() const { return produced_.place() == 0; }
    /// End position of the tiles that may be sent: all packed tiles, or with output in blocks those up to the end of
    /// the block being sent.
    std::int64_t available() const { return available_; }
    /// Cycle in which available() last changed.
    Cycle available_since() const { return available_since_; }
    /// Cycle in which NCRISC has issued all its reads so far; later reads start after it.
    Cycle& ncrisc_free() { return ncrisc_free_; }
    /// Cycle in which its forks have sent all phases so far; later phases start after it.
    Cycle& sender_free() { return sender_free_; }
    /// Why tiles from available() on may not be sent: they are not computed (Source), their block is not packed
    /// (Block), or another fork has not sent the previous block (Lockstep).
    enum class HoldReason : std::uint8_t { Source, Block, Lockstep };
    HoldReason hold_reason(std::int64_t position) const;
    /// The wait-for link of `waiter`, which waits for tiles up to `position`.
    WaitsFor wait_reason(std::int64_t position, const std::string& waiter) const;
    void release(std::size_t consumer, std::int64_t position);
    /// The block of output slice `slice_number` (input * t + slice), while it is in the output buffer; else null.
    BlockPtr block(std::int64_t slice_number) const;

    bool finished() const { return step_ == steps_ && produced_.total() == total_tiles_; }
    const PlanOp& op() const { return op_; }
    bool timed() const { return timed_; }  ///< its steps take time
    std::size_t index() const { return index_; }
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    WaitsFor waits_for() const override;
    void walk(StateWalk& walk);
    std::string name() const;

    struct Stats {
        Cycle first_unpack = ~Cycle{0}, last_pack = 0, busy = 0;
        Cycle math = 0;        ///< cycles in which FPU or SFPU are busy
        Cycle first_pack = 0;  ///< cycle in which the first input was packed completely
    };
    const Stats& stats() const { return stats_; }
    const std::vector<InputTimes>& input_times() const { return input_times_; }

    // --- for debugger and telemetry, view.cpp ---
    CoreState state() const;
    std::int64_t inputs_begun() const;
    /// Whether every step of that slice has begun (of all slices of its input, if the op takes an operand in strips),
    /// so that its block is computed.
    bool submitted(std::int64_t slice_number) const {
        const std::int64_t slices = op_.takes_strips() ? op_.slices : 1;
        return step_ + (unpacking_ ? 1 : 0) >= (slice_number / slices + 1) * slices * op_.steps_per_slice;
    }

private:
    enum Event : std::uint32_t { Unpacked, Packed, Opened };
    struct Position {
        std::int64_t input, slice, step;
    };
    struct OperandState {
        PipeFlow* pipe = nullptr;
        std::int64_t arrived = 0, needed = 0;       ///< chunks: from the pipe, and for the present step
        std::int64_t freed = 0;                     ///< chunks
        std::int64_t per_slice = 0, per_input = 0;  ///< chunks
        std::uint32_t place = 0;
        Intake intake = Intake::PerStep;
    };
    struct Consumer {
        OutputConsumer* consumer;
        std::int64_t released;
    };

    Position position(std::int64_t step) const;
    std::int64_t chunks_needed(std::size_t k, const Position& at) const;
    std::int64_t chunks_freed(std::size_t k, const Position& at, bool slice_done, bool input_done) const;
    int missing_operand() const;  // -1: none
    void prepare_step();
    void try_start() {
        if (!unpacking_ && to_pack_ == 0 && step_ != steps_) start_if_ready();
    }
    void start_if_ready();
    bool no_room(std::int64_t tiles) const;
    void pack(std::int64_t tiles, Cycle cycles, Cycle pack_end);
    void pack_next_piece();
    std::int64_t block_end(std::int64_t position) const;
    void try_open();
    void notify_consumers();
    void trace_wait(int operand);
    void begin_step();
    void compute_step();
    void unpacked();
    void opened();
    void packed(std::int64_t tiles);
    void submit_slice(std::int64_t input, std::int64_t slice, const BlockPtr& block);
    BlockPtr gradient_base(std::int64_t input, std::int64_t slice);
    void drop_released_blocks();

    // What most events need comes first, grouped by lines of the cache, since cores are many and far apart in memory.
    std::int64_t available_ = 0;
    Cycle available_since_ = 0, sender_free_ = 0;
    std::int64_t released_ = 0;
    std::int64_t freed_ = 0;  // position below which buffer space is free; moves in whole blocks when scatter_
    bool unpacking_ = false;
    bool timed_;
    bool scatter_ = false;       // output is sent in whole blocks
    bool pack_blocked_ = false;  // the packer is blocked on output
    bool sink_;                  // nothing reads the output
    bool values_;
    bool opening_ = false;
    bool packs_in_place_;

    std::int64_t step_ = 0, steps_ = 0;  // over all inputs
    std::int64_t to_pack_ = 0;           // tiles of the current step whose packing has not begun
    std::int64_t packing_ = 0;           // tiles packed or being packed
    std::int64_t capacity_;              // tiles
    std::int64_t needed_room_ = 0;       // tiles of output space that the present step needs before it starts
    std::int64_t total_tiles_ = 0;
    CoreProbe* probe_;

    boost::container::small_vector<Consumer, 2> consumers_;
    const PlanOp& op_;

    boost::container::small_vector<OperandState, 2> operands_;
    Position at_{0, 0, 0};  // of step_
    std::int64_t steps_per_slice_, slices_;

    InputCount produced_;
    Cycle packer_free_ = 0;
    Cycle piece_time_ = 0;
    const EpochView& epoch_;
    Calendar& calendar_;
    const std::int64_t* out_tiles_;  // per step of a slice
    const StepTime* step_times_;
    Stats stats_;

    std::size_t index_;
    std::int64_t open_ = 0, open_end_ = 0;  // end of the block that is being sent, and of the next one
    Cycle ncrisc_free_ = 0;
    boost::container::deque<BlockPtr> blocks_;  // from slice number first_block_; allocates nothing while it is empty
    std::int64_t first_block_ = 0;
    std::vector<BlockPtr> unsubmitted_;  // of the current input, until all its operands have arrived
    QueuePort* gradient_queue_ = nullptr;
    std::vector<BlockPtr> gradients_;      // per slice: result of the last input
    std::int64_t first_result_ = 0;        // number of the first input's result, when results are recorded
    std::vector<InputTimes> input_times_;  // empty unless recorded
};

}  // namespace ttsim::impl::sim
