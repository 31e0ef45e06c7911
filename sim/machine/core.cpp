#include "sim/machine/core.hpp"

#include <algorithm>

#include "sim/machine/pipe_flow.hpp"
#include "sim/machine/stage_overlap.hpp"

namespace ttsim::impl::sim {

Core::Core(const EpochView& epoch, const PlanOp& op, std::size_t index, CoreProbe* probe)
    : timed_(epoch.mechanisms.kernels && !epoch.ideal.ops.contains(op.op->name())),
      scatter_(op.output_streaming.scatter() && epoch.mechanisms.blocks),
      sink_(op.out_queues.empty() && op.readers.empty()),
      values_(epoch.values.wanted()),
      packs_in_place_(op.packs_in_place),
      steps_(epoch.inputs * op.input_steps()),
      capacity_(op.capacity_tiles),
      total_tiles_(epoch.inputs * op.input_tiles()),
      probe_(probe),
      op_(op),
      operands_(op.operands.size()),
      steps_per_slice_(op.steps_per_slice),
      slices_(op.slices),
      produced_(op.input_tiles()),
      epoch_(epoch),
      calendar_(epoch.chip(op.chip).calendar()),
      out_tiles_(op.out_tiles.data()),
      step_times_(op.step_times.data()),
      index_(index) {
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        const PlanOperand& operand = op.operands[k];
        operands_[k].intake = operand.intake;
        operands_[k].per_slice = operand.slices * operand.chunks_per_slice;
        operands_[k].per_input = operand.input_chunks();
    }
    if (scatter_) open_end_ = block_end(0);
    prepare_step();
    gradients_.resize(op.op->cfg.gradient ? static_cast<std::size_t>(op.slices) : 0);
    if (const OpResults* results = epoch.values.op_results()) first_result_ = results->first_of(op);
}

std::string Core::name() const {
    const NocCoord at = op_.cores[index_];
    return fmt::format("op '{}' on chip {} core {}-{}", op_.op->name(), op_.chip, at.x, at.y);
}

void Core::set_operand(std::size_t k, PipeFlow& pipe, std::size_t place) {
    operands_[k].pipe = &pipe;
    operands_[k].place = static_cast<std::uint32_t>(place);
}

std::size_t Core::add_consumer(OutputConsumer& consumer) {
    consumers_.push_back({&consumer, 0});
    return consumers_.size() - 1;
}

void Core::start() { try_start(); }

Core::Position Core::position(std::int64_t step) const {
    const std::int64_t slice = step / op_.steps_per_slice;
    return {slice / op_.slices, slice % op_.slices, step % op_.steps_per_slice};
}

/// Chunks of operand k that must have arrived, counted from the start of the epoch, before the step can run.
std::int64_t Core::chunks_needed(std::size_t k, const Position& at) const {
    const std::int64_t per_slice = operands_[k].per_slice, per_input = operands_[k].per_input;
    const std::int64_t before = at.input * per_input;
    switch (operands_[k].intake) {
        case Intake::PerStep:
            return before + at.slice * per_slice + at.step + 1;
        case Intake::InTurn:
            return before + at.slice * per_slice + op_.operands[k].iterations[static_cast<std::size_t>(at.step)].needed;
        case Intake::PerSlice:
            return before + (at.slice + 1) * per_slice;
        case Intake::SliceEnd:
            return at.step + 1 == steps_per_slice_ ? before + (at.slice + 1) * per_slice : 0;
        case Intake::WholeInput:
            return before + per_input;
        case Intake::Strips:
            return before +
                   op_.operands[k].strips_needed(at.slice * op_.steps_per_slice + at.step + 1, op_.input_steps());
        case Intake::Resident:
            return per_input;
    }
    return 0;
}

/// Chunks whose buffer space is free after the step.
inline std::int64_t Core::chunks_freed(std::size_t k, const Position& at, bool slice_done, bool input_done) const {
    const std::int64_t per_slice = operands_[k].per_slice, per_input = operands_[k].per_input;
    const std::int64_t before = at.input * per_input;
    switch (operands_[k].intake) {
        case Intake::PerStep:
            return input_done ? before + per_input : before + at.slice * per_slice + at.step + 1;
        case Intake::InTurn:
            return before + at.slice * per_slice + op_.operands[k].iterations[static_cast<std::size_t>(at.step)].passed;
        case Intake::PerSlice:
        case Intake::SliceEnd:
            return input_done ? before + per_input : before + (at.slice + (slice_done ? 1 : 0)) * per_slice;
        case Intake::WholeInput:
            return before + (input_done ? per_input : 0);
        case Intake::Strips:
            return before +
                   op_.operands[k].strips_passed(at.slice * op_.steps_per_slice + at.step + 1, op_.input_steps());
        case Intake::Resident:
            return 0;
    }
    return 0;
}

/// The first operand that the present step waits for.
int Core::missing_operand() const {
    for (std::size_t k = 0; k < operands_.size(); ++k)
        if (operands_[k].arrived < operands_[k].needed) return static_cast<int>(k);
    return -1;
}

/// Computes what the present step needs, if there is one.
void Core::prepare_step() {
    if (step_ == steps_) return;
    for (std::size_t k = 0; k < operands_.size(); ++k) operands_[k].needed = chunks_needed(k, at_);
    const std::int64_t tiles = out_tiles_[at_.step];
    const bool first_in_place = at_.step == 0 && packs_in_place_;
    needed_room_ = !first_in_place ? op_.pushed_at_once(tiles) : tiles == 0 ? op_.slice_tiles : tiles;
}

bool Core::no_room(std::int64_t tiles) const {
    return tiles > 0 && packing_ + tiles - std::min(freed_, packing_) > capacity_;
}

/// End of the block that contains `position`.
std::int64_t Core::block_end(std::int64_t position) const {
    const std::int64_t block = op_.output_streaming.held_together;
    return std::min((position / block + 1) * block, total_tiles_);
}

/// Schedules the sending of the next block once it is packed and all forks have sent the previous block.
void Core::try_open() {
    if (!scatter_ || opening_ || open_ == total_tiles_ || consumers_.empty()) return;
    if (produced_.total() < open_end_ || (epoch_.mechanisms.lockstep && released_ < open_)) return;
    opening_ = true;
    calendar_.at(epoch_.now + epoch_.block_time(op_.chip, op_.output_streaming.starts), *this, Opened);
}

Core::HoldReason Core::hold_reason(std::int64_t position) const {
    const std::int64_t produced = produced_.total();
    if (!scatter_ || produced < position) return produced < position ? HoldReason::Source : HoldReason::Block;
    return produced < open_end_ || opening_ ? HoldReason::Block : HoldReason::Lockstep;
}

WaitsFor Core::wait_reason(std::int64_t position, const std::string& waiter) const {
    switch (hold_reason(position)) {
        case HoldReason::Source:
            break;
        case HoldReason::Block:
            return {fmt::format("{} waits for a whole block of {} tiles of {}", waiter,
                                op_.output_streaming.held_together, name()),
                    this};
        case HoldReason::Lockstep:
            for (std::size_t u = 0; u < consumers_.size(); ++u)
                if (consumers_[u].released == released_)
                    return {fmt::format("{} waits for the other forks of {} to send the block before", waiter, name()),
                            &consumers_[u].consumer->waiter(),
                            Room{Room::Kind::Output, op_.op->name(), 0, op_.op->buf_size_mb}};
    }
    return {fmt::format("{} waits for tiles of {}", waiter, name()), this};
}

void Core::notify_consumers() {
    for (const Consumer& one : consumers_) one.consumer->source_produced(*this);
}

void Core::start_if_ready() {
    // (1) operands have arrived, (2) the output buffer has room
    const int missing = missing_operand();
    if (missing >= 0 || no_room(needed_room_)) {
        if (probe_) trace_wait(missing);
        return;
    }
    begin_step();
}

void Core::trace_wait(int operand) {
    if (operand < 0) return probe_->blocked_on_output(epoch_.now);
    const PipeFlow& pipe = *operands_[static_cast<std::size_t>(operand)].pipe;
    probe_->blocked_on_input(epoch_.now, pipe.probe(), pipe.arrived());
}

void Core::begin_step() {
    static const StepTime no_time{};
    const Position& at = at_;
    const StepTime& time = timed_ ? step_times_[at.step] : no_time;
    const std::int64_t tiles = out_tiles_[at.step];
    const Cycle now = epoch_.now;
    // (3) unpack and math, (4) pack behind them
    const auto [work_end, pack_end, next_start] = overlap_stages(time, now, packer_free_);
    packer_free_ = pack_end;
    unpacking_ = true;
    stats_.first_unpack = std::min(stats_.first_unpack, now);
    stats_.busy += next_start - now;
    stats_.math += time.math_busy.value();
    if (!input_times_.empty()) {
        InputTimes& input = input_times_[static_cast<std::size_t>(at.input)];
        input.first_unpack = std::min(input.first_unpack, now);
        input.math += time.counted.value();
    }
    if (probe_)
        probe_->step({at.input, at.slice == 0 && at.step == 0, now, work_end, next_start, pack_end, time.unpack.value(),
                      time.math.value(), time.math_busy.value(), tiles});
    calendar_.at(next_start, *this, Unpacked);
    if (tiles > 0) pack(tiles, time.pack.value(), pack_end);
    if (values_) compute_step();
}

/// Computes the values of a slice with its last step.
void Core::compute_step() {
    const Position& at = at_;
    const std::int64_t slice_number = at.input * op_.slices + at.slice;
    if (at.step == 0) blocks_.push_back(epoch_.values.compute.reserve(op_));
    TT_CHECK(first_block_ + static_cast<std::int64_t>(blocks_.size()) == slice_number + 1, "blocks of '{}' in order",
             op_.op->name());
    if (at.step + 1 != op_.steps_per_slice) return;
    unsubmitted_.push_back(blocks_.back());
    if (op_.takes_strips() && at.slice + 1 < op_.slices) return;  // a slice may use any slice of the operand
    std::int64_t slice = at.slice + 1 - static_cast<std::int64_t>(unsubmitted_.size());
    for (const BlockPtr& block : unsubmitted_) submit_slice(at.input, slice++, block);
    unsubmitted_.clear();
}

/// Packs `tiles` in `cycles`; the last piece ends at `pack_end` when the output buffer has room for all.
void Core::pack(std::int64_t tiles, Cycle cycles, Cycle pack_end) {
    const std::int64_t first = op_.pushed_at_once(tiles);
    const std::int64_t pieces = first == tiles ? 1 : (tiles + first - 1) / first;
    // Rows are untilized by the packer; the pieces of a product are packed while the others are computed.
    piece_time_ = op_.op->cfg.untilize ? cycles : pack_end - epoch_.now;
    if (pieces > 1) piece_time_ /= static_cast<Cycle>(pieces);
    to_pack_ = tiles - first;
    packing_ += first;
    const Cycle first_end = pack_end - piece_time_ * static_cast<Cycle>(pieces - 1);
    calendar_.at(first_end, *this, Packed, static_cast<std::uint64_t>(first));
}

/// Packs the next piece of a step, once there is room for it.
void Core::pack_next_piece() {
    const std::int64_t tiles = op_.pushed_at_once(to_pack_);
    pack_blocked_ = no_room(tiles);
    if (pack_blocked_) {
        if (probe_) probe_->blocked_on_output(epoch_.now);
        return;
    }
    to_pack_ -= tiles;
    packing_ += tiles;
    const Cycle end = epoch_.now + piece_time_;
    packer_free_ = std::max(packer_free_, end);
    calendar_.at(end, *this, Packed, static_cast<std::uint64_t>(tiles));
}

void Core::submit_slice(std::int64_t input, std::int64_t slice, const BlockPtr& block) {
    std::vector<std::vector<AssembledPtr>> operands(operands_.size());
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        const PlanOperand& operand = op_.operands[k];
        const bool whole = operand.whole_input;
        const std::int64_t first = whole ? 0 : slice * operand.slices;
        const std::int64_t count = whole ? operand.operand_z : operand.slices;
        for (std::int64_t z = first; z < first + count; ++z) operands[k].push_back(operands_[k].pipe->slice(input, z));
    }
    epoch_.values.compute.run(block, op_, index_, slice, epoch_.first_input + input, std::move(operands),
                              gradient_base(input, slice));
    if (OpResults* results = epoch_.values.op_results())
        results->add(epoch_.values.compute, op_, index_, slice, first_result_ + input, block);
    if (op_.op->cfg.gradient) gradients_[static_cast<std::size_t>(slice)] = block;
    epoch_.values.state.throttle();
}

BlockPtr Core::gradient_base(std::int64_t input, std::int64_t slice) {
    if (!op_.op->cfg.gradient) return nullptr;
    const QueueAccess& access = gradient_queue_->access();
    const BlockPtr& last = gradients_[static_cast<std::size_t>(slice)];
    if (last && (access.epilogue || access.write_step == 0)) return last;
    if (input == 0 && access.zero) return nullptr;
    return epoch_.values.compute.load_block(op_, index_, slice, gradient_queue_->gradient_entry(input));
}

void Core::on_event(std::uint32_t what, std::uint64_t argument) {
    if (what == Unpacked)
        unpacked();
    else if (what == Opened)
        opened();
    else
        packed(static_cast<std::int64_t>(argument));
}

void Core::unpacked() {
    const Position at = at_;
    unpacking_ = false;
    ++step_;
    if (++at_.step == steps_per_slice_) {
        at_.step = 0;
        if (++at_.slice == slices_) at_ = {at_.input + 1, 0, 0};
    }
    prepare_step();
    // Credits return to the pipes before the next step starts.
    const bool slice_done = at.step + 1 == steps_per_slice_, input_done = slice_done && at.slice + 1 == slices_;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        OperandState& operand = operands_[k];
        const std::int64_t chunks = chunks_freed(k, at, slice_done, input_done);
        if (chunks <= operand.freed) continue;
        operand.freed = chunks;
        operand.pipe->free_chunks(operand.place, chunks);
    }
    try_start();
    if (finished()) epoch_.events.core_finished();
}

void Core::opened() {
    opening_ = false;
    available_ = open_ = open_end_;
    open_end_ = block_end(open_);
    available_since_ = epoch_.now;
    try_open();  // with lockstep off, the next block may be packed already
    notify_consumers();
}

void Core::packed(std::int64_t tiles) {
    produced_.add(tiles);
    if (!scatter_) {
        available_ = produced_.total();
        available_since_ = epoch_.now;
    }
    stats_.last_pack = epoch_.now;
    if (produced_.input() == 1 && produced_.place() == 0) stats_.first_pack = epoch_.now;
    if (!input_times_.empty())
        input_times_[static_cast<std::size_t>(produced_.input() - (produced_.place() == 0 ? 1 : 0))].last_pack =
            epoch_.now;
    if (to_pack_ > 0) pack_next_piece();
    if (consumers_.empty()) {
        released_ = freed_ = produced_.total();
        if (values_) drop_released_blocks();
    }
    try_open();
    if (!scatter_) notify_consumers();
    try_start();
    if (sink_ || produced_.place() == 0) epoch_.events.core_packed(*this);
    if (finished()) epoch_.events.core_finished();
}

void Core::release(std::size_t consumer, std::int64_t position) {
    Consumer& by = consumers_[consumer];
    if (position <= by.released) return;
    const bool was_last = by.released == released_;
    by.released = position;
    if (!was_last) return;
    std::int64_t now_released = position;
    for (const Consumer& one : consumers_) now_released = std::min(now_released, one.released);
    if (now_released == released_) return;
    released_ = now_released;
    const std::int64_t block = op_.output_streaming.held_together;
    const std::int64_t now_free =
        !scatter_ || released_ >= total_tiles_ ? std::min(released_, total_tiles_) : released_ / block * block;
    if (now_free == freed_) return;
    freed_ = now_free;
    if (probe_) probe_->released(by.consumer->probe());
    if (values_) drop_released_blocks();
    try_open();
    if (pack_blocked_) pack_next_piece();
    try_start();
}

void Core::drop_released_blocks() {
    while (!blocks_.empty() && (first_block_ + 1) * op_.slice_tiles <= std::min(freed_, produced_.total())) {
        blocks_.pop_front();
        ++first_block_;
    }
}

BlockPtr Core::block(std::int64_t slice_number) const {
    const std::int64_t at = slice_number - first_block_;
    if (at < 0 || at >= static_cast<std::int64_t>(blocks_.size())) return nullptr;
    return blocks_[static_cast<std::size_t>(at)];
}

void Core::walk(StateWalk& walk) {
    const StateWalk::Scope& scope = epoch_.scope;
    const std::int64_t tiles = op_.input_tiles();
    walk.count_below(step_, op_.slices * op_.steps_per_slice, scope, steps_);
    walk.fixed(unpacking_);
    walk.time(packer_free_);
    walk.count(packing_, tiles, scope);
    walk.fixed(to_pack_);
    walk.fixed(pack_blocked_);
    walk.fixed(piece_time_);
    produced_.walk(walk, scope);
    walk.count(released_, tiles, scope);
    walk.count(freed_, tiles, scope);
    if (scatter_) walk.count(open_, tiles, scope);
    walk.fixed(opening_);
    walk.time(available_since_);
    walk.time(ncrisc_free_);
    walk.time(sender_free_);
    for (Consumer& one : consumers_) walk.count(one.released, tiles, scope);
    if (walk.advancing()) {
        available_ = scatter_ ? open_ : produced_.total();
        if (scatter_) open_end_ = block_end(open_);
        at_ = position(step_);
        prepare_step();
    }
    walk.launch_sum(stats_.busy);
    walk.launch_sum(stats_.math);
    walk.launch_time(stats_.last_pack);
    walk.launch_mark(stats_.first_pack);
    walk.launch_mark(stats_.first_unpack, Stats{}.first_unpack);
    if (probe_) probe_->walk(walk, scope);
}

WaitsFor Core::waits_for() const {
    if (step_ == steps_ && !pack_blocked_) return {fmt::format("{} has finished its steps", name()), nullptr};
    const Position at = pack_blocked_ && !unpacking_ ? position(step_ - 1) : at_;
    if (const int k = missing_operand(); k >= 0 && !pack_blocked_) {
        const PipeFlow& pipe = *operands_[static_cast<std::size_t>(k)].pipe;
        return {fmt::format("{} (input {}, slice {}) waits for operand {} from {}", name(), at.input, at.slice, k,
                            pipe.source_name()),
                &pipe};
    }
    if (pack_blocked_ || no_room(needed_room_)) {
        for (const Consumer& one : consumers_)
            if (one.released == released_)
                return {
                    fmt::format("{} (input {}, slice {}) waits for room in its output buffer of {} tiles{}", name(),
                                at.input, at.slice, op_.capacity_tiles, scatter_ ? ", which go in whole blocks" : ""),
                    &one.consumer->waiter(), Room{Room::Kind::Output, op_.op->name(), 0, op_.op->buf_size_mb}};
    }
    return {fmt::format("{} is ready to run", name()), nullptr};
}

}  // namespace ttsim::impl::sim
