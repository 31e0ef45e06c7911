#include "sim/machine/pipe_flow.hpp"

#include <algorithm>

#include "sim/machine/epoch.hpp"

namespace tt::sim {

PipeFlow::PipeFlow(Epoch& epoch, const PlanOp& consumer, std::size_t k, const Pipe& pipe, FlowProbe* probe)
    : epoch_(epoch), consumer_(consumer), k_(k), operand_(consumer.operands[k]), pipe_(pipe), probe_(probe) {
    chunks_per_input_ = static_cast<std::int64_t>(pipe.chunks());
    total_ = resident() ? chunks_per_input_ : epoch.inputs() * chunks_per_input_;
    tiles_before_.reserve(pipe.chunks() + 1);
    tiles_before_.push_back(0);
    for (const std::uint32_t tiles : pipe.chunk_tiles) tiles_before_.push_back(tiles_before_.back() + tiles);
}

PipeFlow::~PipeFlow() {
    if (queue_) queue_->memory().leave(*this);
}

void PipeFlow::connect(std::vector<Core*> consumers, const std::vector<Core*>& producers, QueuePort* queue) {
    cores_ = std::move(consumers);
    taken_by_.assign(cores_.size(), 0);
    for (std::size_t place = 0; place < cores_.size(); ++place) cores_[place]->set_operand(k_, *this, place);
    if (queue) {
        queue_ = queue;
        queue_->memory().join(*this);
        queue_->add_reader();
        return;
    }
    source_tiles_ = producers.front()->op().input_tiles();
    sources_.assign(producers.size(), nullptr);
    source_slots_.assign(producers.size(), 0);
    for (const ChunkNeed& need : pipe_.needs) {
        if (sources_[need.source]) continue;
        sources_[need.source] = producers[need.source];
        source_slots_[need.source] = producers[need.source]->add_user(*this);
    }
}

std::string PipeFlow::source_name() const {
    if (queue_) return fmt::format("queue '{}'", queue_->queue().name);
    for (const Core* core : sources_)
        if (core) return fmt::format("op '{}'", core->op().op->name());
    return "padding";
}

std::int64_t PipeFlow::tiles_before(std::int64_t chunks) const {
    return chunks / chunks_per_input_ * tiles_before_.back() +
           tiles_before_[static_cast<std::size_t>(chunks % chunks_per_input_)];
}

/// The first source that has not produced what the chunk takes; nullptr when all have.
const ChunkNeed* PipeFlow::missing_source(std::int64_t input, std::size_t chunk) const {
    for (std::uint32_t n = pipe_.first_need[chunk]; n < pipe_.first_need[chunk + 1]; ++n) {
        const ChunkNeed& need = pipe_.needs[n];
        if (sources_[need.source]->produced() < input * source_tiles_ + need.need) return &need;
    }
    return nullptr;
}

bool PipeFlow::entry_missing(std::int64_t input) const { return queue_ && !queue_->ready(input); }

bool PipeFlow::buffers_full(std::size_t chunk) const {
    if (resident()) return false;
    const std::int64_t held = tiles_before(sent_) - tiles_before(taken_);
    return held > 0 && held + pipe_.chunk_tiles[chunk] > operand_.capacity_tiles;
}

void PipeFlow::try_send() {
    while (sent_ < total_) {
        const std::int64_t input = sent_ / chunks_per_input_;
        const auto chunk = static_cast<std::size_t>(sent_ % chunks_per_input_);
        // (1) the data is there, (2) every receiving core has room, (3) off it goes
        const bool missing = queue_ ? entry_missing(input) : missing_source(input, chunk) != nullptr;
        if (missing || buffers_full(chunk)) {
            if (missing && queue_ && !queue_->memory().ram()) waited_ = true;
            if (probe_) probe_->waits(epoch_.now(), missing ? FlowProbe::Wait::Source : FlowProbe::Wait::Room);
            return;
        }
        const Cycle arrival = std::max(transfer(chunk), last_arrival_);
        last_arrival_ = arrival;
        waited_ = false;
        if (probe_) probe_->sent(epoch_.now(), arrival, input);
        epoch_.schedule(consumer_.chip, arrival, *this, probe_ ? flight_time(epoch_.now(), arrival) : 0,
                        static_cast<std::uint64_t>(sent_));
        ++sent_;
    }
}

/// The consumer's cores that take the chunks: one, or a row of the op's grid.
NocEnd PipeFlow::receivers() const {
    NocEnd end = consumer_.cores[pipe_.cores.front()];
    for (const std::uint32_t place : pipe_.cores) {
        const NocCoord at = consumer_.cores[place];
        end = {{std::min(end.low.x, at.x), std::min(end.low.y, at.y)},
               {std::max(end.high.x, at.x), std::max(end.high.y, at.y)}};
    }
    return end;
}

Cycle PipeFlow::transfer(std::size_t chunk) {
    Board& board = epoch_.board();
    const Cycle now = epoch_.now();
    const NocEnd to = receivers();
    const auto tile_bytes = static_cast<std::uint64_t>(operand_.tile_bytes);
    Cycle arrival = now + 1;
    for (std::uint32_t n = pipe_.first_need[chunk]; n < pipe_.first_need[chunk + 1]; ++n) {
        const ChunkNeed& need = pipe_.needs[n];
        const std::uint64_t bytes = need.tiles * tile_bytes;
        const std::size_t lane = need.source + pipe_.cores.front();
        if (queue_) {
            const Queue& queue = queue_->queue();
            Chip& chip = board.chip(queue.device());
            const BufferAddress buffer =
                queue.buffers.empty() ? BufferAddress{} : queue.buffers[need.source % queue.buffers.size()];
            const bool host = queue.where == QueueLoc::Host;
            const Cycle asked = now + (waited_ ? chip.pointer_delay() : 0);
            const NocCoord from = host ? chip.instance().params.pcie : chip.dram_port(buffer.channel, buffer.address);
            const Cycle served = host ? chip.host_read(bytes, asked) : chip.dram_read(buffer, bytes, asked);
            arrival = std::max(arrival, board.send(queue.device(), from, consumer_.chip, to, bytes, served, lane, 0));
        } else {
            const Core& source = *sources_[need.source];
            const Cycle ready = now + static_cast<Cycle>(board.chip(source.op().chip).timing().noc_issue);
            arrival = std::max(arrival, board.send(source.op().chip, source.op().cores[need.source], consumer_.chip, to,
                                                   bytes, ready, lane, 0));
        }
    }
    return arrival;
}

void PipeFlow::on_event(std::uint32_t flight, std::uint64_t argument) {
    if (probe_) probe_->arrived(epoch_.now(), flight);
    arrive(static_cast<std::int64_t>(argument));
}

void PipeFlow::arrive(std::int64_t number) {
    const std::int64_t input = number / chunks_per_input_;
    const auto chunk = static_cast<std::size_t>(number % chunks_per_input_);
    if (epoch_.values()) collect_values(input, chunk);
    arrived_ = number + 1;
    for (Core* core : cores_) core->try_start();
    if (queue_) {
        if (chunk + 1 == pipe_.chunks()) queue_->done_reading(input);
    } else {
        for (std::uint32_t n = pipe_.first_need[chunk]; n < pipe_.first_need[chunk + 1]; ++n) {
            const ChunkNeed& need = pipe_.needs[n];
            sources_[need.source]->release(source_slots_[need.source], input * source_tiles_ + need.release);
        }
    }
}

/// The transfer resolves: what the sources hold now is what the operand gets.
void PipeFlow::collect_values(std::int64_t input, std::size_t chunk) {
    if (queue_) {
        if (refs_.entry.parts.empty()) refs_.entry = queue_->entry(input);
    } else {
        for (std::uint32_t n = pipe_.first_need[chunk]; n < pipe_.first_need[chunk + 1]; ++n) {
            const ChunkNeed& need = pipe_.needs[n];
            const Core& source = *sources_[need.source];
            for (std::int64_t z = need.z_first; z <= need.z_last; ++z)
                if (BlockPtr block = source.block(input * source.op().slices + z))
                    refs_.blocks[{need.source, z}] = std::move(block);
        }
    }
    const auto per_slice = static_cast<std::size_t>(operand_.chunks_per_slice);
    if ((chunk + 1) % per_slice != 0) return;
    const auto z = static_cast<std::int64_t>(chunk / per_slice);
    Held& held = held_[input * operand_.operand_z + z];
    held.refs = std::move(refs_);
    held.uses_left = static_cast<std::int64_t>(cores_.size()) * (operand_.whole_input ? consumer_.slices : 1) *
                     (resident() ? epoch_.inputs() : 1);
    refs_ = {};
}

AssembledPtr PipeFlow::slice(std::int64_t input, std::int64_t z) {
    const auto it = held_.find((resident() ? 0 : input * operand_.operand_z) + z);
    TT_CHECK(it != held_.end(), "slice {} of operand {} of '{}' has arrived", z, k_, consumer_.op->name());
    Held& held = it->second;
    if (!held.slice) held.slice = epoch_.compute().assemble(consumer_, k_, pipe_, z, std::move(held.refs));
    AssembledPtr slice = held.slice;
    if (--held.uses_left == 0) held_.erase(it);
    return slice;
}

void PipeFlow::taken(std::size_t place, std::int64_t chunks) {
    if (chunks <= taken_by_[place]) return;
    const bool was_last = taken_by_[place] == taken_;
    taken_by_[place] = chunks;
    if (!was_last) return;
    const std::int64_t all = *std::min_element(taken_by_.begin(), taken_by_.end());
    if (all == taken_) return;
    taken_ = all;
    try_send();
}

void PipeFlow::walk_argument(StateWalk& walk, std::uint32_t, std::uint64_t& argument) {
    if (resident())
        walk.fixed(argument);
    else
        walk.count(argument, chunks_per_input_, epoch_.scope());
}

void PipeFlow::walk(StateWalk& walk) {
    const StateWalk::Scope& scope = epoch_.scope();
    walk.time(last_arrival_);
    walk.fixed(waited_);
    if (resident()) {
        walk.fixed(sent_);
        walk.fixed(arrived_);
        return;
    }
    if (probe_) probe_->walk(walk, scope);
    walk.count_below(sent_, chunks_per_input_, scope, total_);
    walk.count(arrived_, chunks_per_input_, scope);
    walk.count(taken_, chunks_per_input_, scope);
    for (std::int64_t& taken : taken_by_) walk.count(taken, chunks_per_input_, scope);
}

WaitsFor PipeFlow::waits_for() const {
    if (sent_ == total_)
        return {fmt::format("the pipe from {} to '{}' has sent everything", source_name(), consumer_.op->name()),
                nullptr};
    const std::int64_t input = sent_ / chunks_per_input_;
    const auto chunk = static_cast<std::size_t>(sent_ % chunks_per_input_);
    const std::string self = fmt::format("the pipe from {} to operand {} of '{}' (input {}, chunk {} of {})",
                                         source_name(), k_, consumer_.op->name(), input, chunk, chunks_per_input_);
    if (entry_missing(input))
        return {fmt::format("{} waits for entry {} of queue '{}' (slot {})", self, queue_->access().read(input),
                            queue_->queue().name, queue_->access().read(input) % queue_->queue().entries),
                epoch_.writer_of(*queue_), Room{Room::Kind::Entries, queue_->queue().name, 0, queue_->queue().entries}};
    if (!queue_)
        if (const ChunkNeed* need = missing_source(input, chunk))
            return {fmt::format("{} waits for tiles of {}", self, sources_[need->source]->name()),
                    sources_[need->source]};
    if (buffers_full(chunk))
        for (std::size_t place = 0; place < cores_.size(); ++place)
            if (taken_by_[place] == taken_)
                return {fmt::format("{} waits for room in the operand buffer of {} ({} tiles)", self,
                                    cores_[place]->name(), operand_.capacity_tiles),
                        cores_[place], Room{Room::Kind::Operand, consumer_.op->name(), k_, operand_.capacity_tiles}};
    return {fmt::format("{} could move", self), nullptr};
}

}  // namespace tt::sim
