// One core running one op of an epoch: unpack, math and pack coupled by bounded buffers.
//
//   operand buffers (filled by pipes) --> unpack --> math --> pack --> output buffer (emptied by pipes and writers)
#pragma once

#include <deque>
#include <vector>

#include "sim/hang/waiter.hpp"
#include "sim/machine/epoch_view.hpp"
#include "sim/machine/machine_view.hpp"
#include "sim/machine/probe.hpp"

namespace ttsim::impl::sim {

class PipeFlow;
class QueuePort;

/// Someone who takes tiles from a core's output buffer.
class OutputUser {
public:
    virtual ~OutputUser() = default;
    virtual void source_produced() = 0;
    virtual const Waiter& waiter() const = 0;
    virtual const FlowProbe* probe() const = 0;
};

class Core : public Actor, public Waiter {
public:
    Core(const EpochView& epoch, const PlanOp& op, std::size_t index, CoreProbe* probe);

    // --- wiring, before start() ---
    void set_operand(std::size_t k, PipeFlow& pipe, std::size_t place);
    /// A slot for a user; returns its number for release().
    std::size_t add_user(OutputUser& user);
    /// Of an op that adds to what its queue holds: that queue.
    void set_gradient(QueuePort& queue) { gradient_queue_ = &queue; }
    /// The times of each input are wanted.
    void record_inputs() { input_times_.resize(static_cast<std::size_t>(epoch_.inputs)); }
    void start();

    // --- operand side ---
    void try_start();
    // --- output side; positions count tiles over all inputs of the epoch ---
    std::int64_t produced() const { return produced_; }
    /// Tiles before it may leave: all that are packed, or, handed over in blocks, those of the block that is being
    /// sent.
    std::int64_t available() const { return scatter_ ? open_ : produced_; }
    /// When that many of them came to be.
    Cycle available_since() const { return available_since_; }
    /// NCRISC of the core has asked for all it was to read; later reads come after that.
    Cycle& ncrisc_free() { return ncrisc_free_; }
    /// The phases that its forks were to send are sent; later ones come after that.
    Cycle& sender_free() { return sender_free_; }
    /// Why tiles from `available()` on may not leave: nobody has made them, their block is not packed, or a fork has
    /// not sent the block before.
    enum class Held : std::uint8_t { Source, Block, Lockstep };
    Held held_by(std::int64_t position) const;
    /// The link of a chain for `waiter`, which waits for tiles up to `position`.
    WaitsFor why_held(std::int64_t position, const std::string& waiter) const;
    void release(std::size_t user, std::int64_t position);
    /// The block of output slice `slice_number` (input * t + slice), while it lies in the output buffer.
    BlockPtr block(std::int64_t slice_number) const;

    bool finished() const { return step_ == steps_ && produced_ == total_tiles_; }
    const PlanOp& op() const { return op_; }
    bool timed() const { return timed_; }  ///< its steps take time
    std::size_t index() const { return index_; }
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    WaitsFor waits_for() const override;
    void walk(StateWalk& walk);
    std::string name() const;

    struct Stats {
        Cycle first_unpack = ~Cycle{0}, last_pack = 0, busy = 0;
        Cycle first_packed = 0;  ///< the last tile of the first input
    };
    const Stats& stats() const { return stats_; }
    const std::vector<InputTimes>& input_times() const { return input_times_; }

    // --- for those who watch, view.cpp ---
    CoreState state() const;
    std::int64_t inputs_begun() const;
    /// Every step of that slice has begun, so its block will be computed.
    bool submitted(std::int64_t slice_number) const {
        return step_ + (unpacking_ ? 1 : 0) >= (slice_number + 1) * op_.steps_per_slice;
    }

private:
    enum Event : std::uint32_t { Unpacked, Packed, Opened };
    struct Position {
        std::int64_t input, slice, step;
    };
    struct OperandState {
        PipeFlow* pipe = nullptr;
        std::size_t place = 0;
    };

    Position position(std::int64_t step) const;
    std::int64_t chunks_needed(std::size_t k, const Position& at) const;
    std::int64_t chunks_taken(std::size_t k, const Position& at) const;
    int missing_operand(const Position& at) const;  // -1: none
    std::int64_t room_for(const Position& at) const;
    bool no_room(std::int64_t tiles) const;
    bool output_full(const Position& at) const;
    void pack(std::int64_t tiles, Cycle cycles, Cycle pack_end);
    void pack_on();
    std::int64_t block_end(std::int64_t position) const;
    void try_open();
    void tell_users();
    void trace_wait(int operand);
    void begin_step(const Position& at);
    void submit_slice(const Position& at);
    BlockPtr gradient_base(const Position& at);
    void drop_released_blocks();
    std::int64_t released() const;

    const EpochView& epoch_;
    const PlanOp& op_;
    std::size_t index_;
    CoreProbe* probe_;
    bool timed_;
    std::vector<OperandState> operands_;
    std::int64_t step_ = 0, steps_ = 0;  // over all inputs
    bool unpacking_ = false;
    Cycle pack_free_ = 0;
    std::int64_t packing_ = 0;  // produced, and being packed
    std::int64_t to_pack_ = 0;  // of the step that is being packed piece by piece
    bool pack_waits_ = false;   // for room for the next piece
    Cycle piece_time_ = 0;
    std::int64_t produced_ = 0, total_tiles_ = 0;
    std::vector<OutputUser*> users_;
    std::vector<std::int64_t> released_by_;
    std::int64_t released_ = 0;
    std::int64_t freed_ = 0;  ///< space that the packer may use again: in blocks, when it hands over blocks
    bool scatter_ = false;    // it hands over blocks
    std::int64_t open_ = 0;   // end of the block that is being sent
    bool opening_ = false;
    Cycle available_since_ = 0, ncrisc_free_ = 0, sender_free_ = 0;
    std::deque<BlockPtr> blocks_;  // from slice number first_block_
    std::int64_t first_block_ = 0;
    QueuePort* gradient_queue_ = nullptr;
    std::vector<BlockPtr> gradients_;  // per slice: what the last input left
    std::int64_t first_result_ = 0;    // number of the first input's, when results are wanted
    Stats stats_;
    std::vector<InputTimes> input_times_;  // when wanted
};

}  // namespace ttsim::impl::sim
