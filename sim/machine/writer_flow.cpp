#include "sim/machine/writer_flow.hpp"

#include <algorithm>

#include "sim/machine/noc_choice.hpp"

namespace ttsim::impl::sim {

static std::vector<std::int64_t> packing_ends(const PlanOp& op) {
    std::vector<std::int64_t> ends;
    std::int64_t sum = 0;
    for (const std::int64_t tiles : op.pushed_tiles()) ends.push_back(sum += tiles);
    return ends;
}

std::int64_t WriterFlow::pieces_per_input(const PlanOp& op) {
    return static_cast<std::int64_t>(op.pushed_tiles().size()) * op.slices;
}

WriterFlow::WriterFlow(const EpochView& epoch, Core& core, QueuePort& queue, FlowProbe* probe)
    : epoch_(epoch),
      core_(core),
      queue_(queue),
      probe_(probe),
      slot_(core.add_consumer(*this)),
      ends_(packing_ends(core.op())) {
    per_input_ = pieces_per_input(core.op());
    total_ = epoch.inputs * per_input_;
    queue_.memory().subscribe(*this);
    queue_.add_writer(*this);
}

WriterFlow::~WriterFlow() { queue_.memory().unsubscribe(*this); }

WriterFlow::Piece WriterFlow::piece(std::int64_t number) const {
    const auto per_slice = static_cast<std::int64_t>(ends_.size());
    const std::int64_t slice = number / per_slice;
    const auto step = static_cast<std::size_t>(number % per_slice);
    const PlanOp& op = core_.op();
    return {slice / op.slices, slice % op.slices, ends_[step] - (step == 0 ? 0 : ends_[step - 1]),
            slice * op.slice_tiles + ends_[step], step + 1 == ends_.size()};
}

void WriterFlow::try_send() {
    while (sent_ < total_) {
        const Piece next = piece(sent_);
        if (core_.available() < next.end) {
            if (probe_) probe_->blocked(epoch_.now, FlowProbe::Wait::Source);
            return;
        }
        if (queue_.skips(next.input)) {
            if (probe_) probe_->skipped(epoch_.now);
            epoch_.schedule(core_.op().chip, epoch_.now, *this, 0, static_cast<std::uint64_t>(sent_++));
            continue;
        }
        if (!queue_.may_write(next.input)) {
            if (probe_) probe_->blocked(epoch_.now, FlowProbe::Wait::Room);
            return;
        }
        queue_.begin_write(next.input);
        last_arrival_ = std::max(last_arrival_, transfer(next));
        if (probe_) probe_->sent(epoch_.now, last_arrival_, next.input);
        epoch_.schedule(core_.op().chip, last_arrival_, *this, probe_ ? flight_time(epoch_.now, last_arrival_) : 0,
                        static_cast<std::uint64_t>(sent_++));
    }
}

std::int64_t WriterFlow::bytes_per_tile(const PlanOp& op, const Queue& queue) {
    return op.op->cfg.untilize ? element_bytes(queue.df) * op.op->cfg.tile.elements() : op.out_tile_bytes;
}

Cycle WriterFlow::transfer(const Piece& piece) {
    const PlanOp& op = core_.op();
    const Queue& queue = queue_.queue();
    const std::int64_t holder = epoch_.board.chip_of(queue, op.chip);
    Chip& chip = epoch_.board.chip(holder);
    const auto bytes = static_cast<std::uint64_t>(piece.tiles * bytes_per_tile(op, queue));
    const Blocking& out = op.op->cfg.out;
    const auto at = static_cast<std::int64_t>(core_.index());
    std::size_t buffer = 0;  // with TMs the piece is spread over buffers; all traffic is modelled to the first
    if (queue.input_tms.empty())
        buffer = static_cast<std::size_t>(
            place_of(queue.blocking, at / out.grid_c * out.core_rt(), at % out.grid_c * out.core_ct()).block);
    const BufferAddress place = queue.buffers.empty() ? BufferAddress{} : queue.buffers[buffer % queue.buffers.size()];
    const bool host = queue.where == QueueLoc::Host;
    const NocCoord to = host ? chip.instance().params.pcie : chip.dram_port(place.channel, place.address);
    const Cycle ready = epoch_.now + static_cast<Cycle>(chip.timing().noc_issue);
    std::vector<NocLeg> legs;
    const bool record_route = probe_ && probe_->wants_routes(piece.input);
    const NocCoord from = op.cores[core_.index()];
    const bool tiles = !host && !op.op->cfg.untilize && op.chip == holder;
    int noc = 0;
    if (tiles) noc = epoch_.mechanisms.nocs ? shorter_noc(chip.instance().params, from, to) : 1;
    const Cycle arrival =
        epoch_.board.send(op.chip, from, holder, to, bytes, ready, core_.index(), noc, record_route ? &legs : nullptr);
    if (record_route) probe_->record_route(sent_ % per_input_, legs, bytes);
    if (host) return chip.host_write(bytes, arrival, op.op->cfg.untilize);
    if (!op.op->cfg.untilize) return chip.dram_write(place, bytes, arrival, 0);
    // Each row of elements of a tile is written separately, and the cores of an op write one after another.
    const auto row = static_cast<std::uint64_t>(element_bytes(queue.df) * op.op->cfg.tile.w);
    return std::max(chip.dram_write(place, bytes, arrival, row), rows_written(piece.tiles * op.op->cfg.tile.h));
}

Cycle WriterFlow::rows_written(std::int64_t rows) {
    if (!epoch_.mechanisms.firmware) return 0;
    const double clocks = static_cast<double>(rows) * epoch_.board.chip(core_.op().chip).pipes().row_write;
    Cycle& free = queue_.rows_free();
    return free = std::max(free, epoch_.now) + static_cast<Cycle>(clocks);
}

void WriterFlow::on_event(std::uint32_t flight, std::uint64_t argument) {
    const Piece done = piece(static_cast<std::int64_t>(argument));
    ++delivered_;
    if (probe_) probe_->arrived(epoch_.now, flight);
    if (!queue_.skips(done.input)) {
        const BlockPtr block = epoch_.values.wanted() && done.ends_slice
                                   ? core_.block(done.input * core_.op().slices + done.slice)
                                   : nullptr;
        queue_.deliver(core_.op(), core_.index(), done.input, done.slice, block);
    }
    core_.release(slot_, done.end);
    if (finished()) epoch_.events.writer_finished();
}

void WriterFlow::walk_argument(StateWalk& walk, std::uint32_t, std::uint64_t& argument) {
    walk.count(argument, per_input_, epoch_.scope);
}

void WriterFlow::walk(StateWalk& walk) {
    walk.count_below(sent_, per_input_, epoch_.scope, total_);
    walk.count(delivered_, per_input_, epoch_.scope);
    walk.time(last_arrival_);
    if (probe_) probe_->walk(walk, epoch_.scope);
}

WaitsFor WriterFlow::waits_for() const {
    const std::string self = fmt::format("the writer from {} to queue '{}'", core_.name(), queue_.queue().name);
    if (sent_ == total_) return {self + " has written everything", nullptr};
    const Piece next = piece(sent_);
    if (core_.available() < next.end) return core_.wait_reason(next.end, self);
    return {fmt::format("{} (input {}) waits for a free slot: all {} entries are full", self, next.input,
                        queue_.queue().entries),
            queue_.unfinished_reader(), Room{Room::Kind::Entries, queue_.queue().name, 0, queue_.queue().entries}};
}

}  // namespace ttsim::impl::sim
