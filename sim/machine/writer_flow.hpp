// Writes the output of one core to one of the queues of its op.
#pragma once

#include "sim/machine/core.hpp"
#include "sim/machine/queue_port.hpp"

namespace ttsim::impl::sim {

class WriterFlow : public Actor, public OutputConsumer, public QueueUser, public Waiter {
public:
    WriterFlow(const EpochView& epoch, Core& core, QueuePort& queue, FlowProbe* probe);
    ~WriterFlow() override;
    WriterFlow(const WriterFlow&) = delete;
    WriterFlow& operator=(const WriterFlow&) = delete;

    /// Pieces that a core writes per input: one per pack.
    static std::int64_t pieces_per_input(const PlanOp& op);
    static std::int64_t bytes_per_tile(const PlanOp& op, const Queue& queue);
    bool finished() const { return delivered_ == total_; }
    const QueuePort& queue() const { return queue_; }

    void source_produced(const Core&) override { try_send(); }
    void queue_changed() override { try_send(); }
    const Waiter& waiter() const override { return *this; }
    const FlowProbe* probe() const override { return probe_; }
    void on_event(std::uint32_t what, std::uint64_t argument) override;
    void walk_argument(StateWalk& walk, std::uint32_t what, std::uint64_t& argument) override;
    WaitsFor waits_for() const override;
    void walk(StateWalk& walk);
    /// Completely delivered inputs.
    std::int64_t inputs_done() const { return delivered_ / per_input_; }
    FlowState state() const;  ///< for debugger and telemetry, view.cpp

private:
    struct Piece {
        std::int64_t input, slice;
        std::int64_t tiles, end;  ///< end: position after the piece, over all inputs
        bool ends_slice;
    };
    Piece piece(std::int64_t number) const;
    void try_send();
    Cycle transfer(const Piece& piece);
    Cycle rows_written(std::int64_t rows);

    const EpochView& epoch_;
    Core& core_;
    QueuePort& queue_;
    FlowProbe* probe_;
    std::size_t slot_;
    std::vector<std::int64_t> ends_;  // tiles of a slice up to the end of each piece
    std::int64_t sent_ = 0, delivered_ = 0, total_ = 0, per_input_ = 0;
    Cycle last_arrival_ = 0;
};

}  // namespace ttsim::impl::sim
