// States of cores, flows and queues for MachineView (sim/machine/machine_view.hpp).
#include <algorithm>

#include "sim/machine/pipe_flow.hpp"
#include "sim/machine/writer_flow.hpp"

namespace ttsim::impl::sim {

const char* name_of(CoreActivity activity) {
    switch (activity) {
        case CoreActivity::Loading:
            return "loading";
        case CoreActivity::Computing:
            return "math";
        case CoreActivity::Packing:
            return "pack";
        case CoreActivity::BlockedOnInput:
            return "operand";
        case CoreActivity::BlockedOnOutput:
            return "room";
        case CoreActivity::Done:
            return "done";
    }
    return "";
}

CoreState Core::state() const {
    CoreState state{.op = &op_, .core = index_, .inputs = epoch_.inputs};
    const Position at = position(std::min(step_, steps_ - 1));
    state.input = at.input;
    state.slice = at.slice;
    state.step = at.step;
    const bool operand_missing = step_ < steps_ && missing_operand() >= 0;
    if (finished())
        state.activity = CoreActivity::Done;
    else if (unpacking_)
        state.activity = CoreActivity::Computing;
    else if (pack_blocked_ || (step_ < steps_ && to_pack_ == 0 && !operand_missing && no_room(needed_room_)))
        state.activity = CoreActivity::BlockedOnOutput;
    else
        state.activity = operand_missing ? CoreActivity::BlockedOnInput : CoreActivity::Packing;
    if (state.activity == CoreActivity::BlockedOnOutput || state.activity == CoreActivity::BlockedOnInput)
        state.waits = waits_for().text;
    state.busy = stats_.busy;
    state.last_pack = stats_.last_pack;
    state.packed = produced_.total();
    state.sendable = available();
    state.released = released_;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        const PipeFlow& pipe = *operands_[k].pipe;
        const FlowState flow = pipe.state();
        state.operands.push_back({pipe.source_name(), pipe.arrived(), chunks_needed(k, at), flow.freed});
    }
    return state;
}

std::int64_t Core::inputs_begun() const {
    const std::int64_t begun = step_ + (unpacking_ ? 1 : 0), each = op_.slices * op_.steps_per_slice;
    return (begun + each - 1) / each;
}

FlowState PipeFlow::state() const {
    FlowState state{.op = &consumer_, .operand = k_, .from = source_name(), .to = ""};
    state.to = fmt::format("op '{}' operand {}", consumer_.op->name(), k_);
    state.cores.assign(pipe_.cores.begin(), pipe_.cores.end());
    state.sent = sent_.total();
    state.total = total_;
    state.arrived = arrived_;
    state.freed = freed_.total();
    state.chunk_tiles = pipe_.chunk_tiles.empty() ? 0 : pipe_.chunk_tiles.front();
    state.tile_bytes = operand_.tile_bytes;
    state.held_tiles = tiles_sent() - freed_tiles_;
    state.buffer_tiles = resident_ ? pipe_.tiles_before.back() : operand_.capacity_tiles;
    state.last_arrival = last_arrival_;
    if (sent_.total() < total_ && started_) state.waits = waits_for().text;
    return state;
}

FlowState WriterFlow::state() const {
    FlowState state{.writer = true, .op = &core_.op()};
    state.from = fmt::format("op '{}'", core_.op().op->name());
    state.to = fmt::format("queue '{}'", queue_.queue().name);
    state.cores = {core_.index()};
    state.sent = sent_;
    state.total = total_;
    state.arrived = state.freed = delivered_;
    state.chunk_tiles = ends_.front();
    state.tile_bytes = bytes_per_tile(core_.op(), queue_.queue());
    state.last_arrival = last_arrival_;
    if (sent_ < total_) state.waits = waits_for().text;
    return state;
}

QueueState QueueMemory::state() const {
    QueueState state{.queue = &queue_, .read = popped_, .written = complete_.run_end(popped_)};
    if (ram()) return state;
    const std::int64_t oldest = oldest_occupied();
    state.occupied = occupied_.run_end(oldest) - oldest;
    state.full = !free_slot(oldest + state.occupied);
    return state;
}

}  // namespace ttsim::impl::sim
