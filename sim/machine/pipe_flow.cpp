#include "sim/machine/pipe_flow.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "sim/machine/noc_choice.hpp"

namespace ttsim::impl::sim {

/// Maximum number of relay streams of a gather, which are used round robin.
static constexpr std::ptrdiff_t max_relays = 3;

PipeFlow::PipeFlow(const EpochView& epoch, const PlanOp& consumer, std::size_t k, const Pipe& pipe, FlowProbe* probe)
    : sent_(static_cast<std::int64_t>(pipe.sendings.size())),
      input_tiles_(pipe.tiles_before.back()),
      resident_(consumer.operands[k].intake == Intake::Resident),
      ideal_(epoch.ideal.pipes.contains(consumer.op->name()) || epoch.ideal.sends.contains(consumer.op->inputs[k])),
      values_(epoch.values.wanted()),
      in_chunks_(consumer.operands[k].reads.chunk > 0 && epoch.mechanisms.firmware),
      after_unpacker_(consumer.operands[k].reads.waits_for_unpacker() && epoch.mechanisms.firmware),
      probe_(probe),
      capacity_(consumer.operands[k].capacity_tiles),
      landed_(sent_),
      chunk_tiles_(std::ranges::adjacent_find(pipe.chunk_tiles, std::ranges::not_equal_to{}) ==
                               pipe.chunk_tiles.end() &&
                           !pipe.chunk_tiles.empty()
                       ? pipe.chunk_tiles.front()
                       : 0),
      freed_(static_cast<std::int64_t>(pipe.chunks())),
      epoch_(epoch),
      calendar_(epoch.chip(consumer.chip).calendar()),
      noc_(epoch.chip(consumer.chip).noc()),
      k_(static_cast<std::uint32_t>(k)),
      tile_bytes_(static_cast<std::uint64_t>(consumer.operands[k].tile_bytes)),
      streams_(epoch.chip(consumer.chip).pipes()),
      held_(consumer.operands[k].held_tiles > 0),
      pipe_(pipe),
      operand_(consumer.operands[k]),
      consumer_(consumer),
      receiving_(find_receivers()),
      chunks_per_input_(static_cast<std::int64_t>(pipe.chunks())),
      kept_slices_(epoch.values.compute, epoch.inputs > 1 && !resident_) {
    const auto per_input = static_cast<std::int64_t>(pipe.sendings.size());
    total_ = resident_ ? per_input : epoch.inputs * per_input;
    many_ = receiving_.many();
}

PipeFlow::~PipeFlow() {
    if (queue_) queue_->memory().unsubscribe(*this);
}

void PipeFlow::connect(const std::vector<Core*>& consumers, const std::vector<Core*>& producers, QueuePort* queue,
                       const PipeFlow* before) {
    for (std::size_t place = 0; place < consumers.size(); ++place) {
        receivers_.push_back({consumers[place], 0});
        consumers[place]->set_operand(k_, *this, place);
    }
    stream_tile_ = stream_tile();
    noc_out_ = epoch_.mechanisms.nocs ? noc_to_receivers(consumer_, k_, receiving_) : 0;
    multicast_core_ = multicast_core(receiving_, noc_out_);
    if (queue) {
        queue_ = queue;
        queue_->memory().subscribe(*this);
        queue_->add_reader();
        return make_parts();
    }
    const PlanOp& producer = producers.front()->op();
    source_tiles_ = producer.input_tiles();
    issue_ = static_cast<Cycle>(epoch_.chip(producer.chip).timing().noc_issue);
    direct_ = epoch_.mechanisms.relays && producer.chip == consumer_.chip;
    connect_sources(producers);
    make_parts();
    if (epoch_.mechanisms.nocs && producer.chip == consumer_.chip)
        noc_in_ = noc_between(epoch_.chip(consumer_.chip).instance().params, producer.cores, consumer_.cores);
    find_gather(before);
    forget_unread();
}

void PipeFlow::connect_sources(const std::vector<Core*>& producers) {
    if (pipe_.needs.empty()) return;
    const auto [first, last] = std::ranges::minmax(pipe_.needs, {}, &ChunkNeed::source);
    first_source_ = first.source;
    sources_.resize(last.source - first.source + 1);
    for (const ChunkNeed& need : pipe_.needs) {
        Source& from = source(need);
        if (from.core) continue;
        from.core = producers[need.source];
        from.slot = static_cast<std::uint32_t>(from.core->add_consumer(*this));
    }
}

/// The positions of an op's core in an input fit 32 bits.
void PipeFlow::make_parts() {
    parts_.reserve(pipe_.sendings.size());
    for (const Sending& sending : pipe_.sendings) {
        Part& part = parts_.emplace_back();
        part.arriving = sending.tiles;
        part.before = static_cast<std::uint32_t>(sending.tiles_before) & (~std::uint32_t{0} >> 1);
        TT_CHECK(part.before == sending.tiles_before, "tiles of an input of '{}'", consumer_.op->name());
        part.ends_chunk = sending.ends_chunk;
        if (queue_ || sending.first == sending.end) continue;
        TT_CHECK(sending.end == sending.first + 1, "one source of each sending to '{}'", consumer_.op->name());
        const ChunkNeed& need = pipe_.needs[sending.first];
        part.from = &source(need);
        part.need = static_cast<std::uint32_t>(need.need);
        part.release = static_cast<std::uint32_t>(need.release);
        TT_CHECK(part.need == need.need && part.release == need.release, "tiles of an input of '{}'",
                 consumer_.op->name());
        part.tiles = need.tiles;
        part.phases = need.phases;
    }
}

void PipeFlow::find_gather(const PipeFlow* before) {
    const auto several = std::ranges::count_if(sources_, [](const Source& one) { return one.core != nullptr; });
    if (several <= 1) return;
    walks_gather_ = !before || !before->gather_;
    gather_ = walks_gather_ ? std::make_shared<GatherStreams>() : before->gather_;
    const auto relays = static_cast<std::size_t>(std::min<std::ptrdiff_t>(several, max_relays));
    if (relays > gather_->relays.size()) gather_->relays.resize(relays);
}

/// Releases source tiles that the pipe never reads, so that their space can be reused.
void PipeFlow::forget_unread() {
    std::vector<std::int64_t> next_input(sources_.size(), 0);  // position in each source where the next input begins
    for (const ChunkNeed& need : pipe_.needs) next_input[need.source - first_source_] = need.release;
    for (std::size_t s = 0; s < sources_.size(); ++s)
        if (sources_[s].core) sources_[s].core->release(sources_[s].slot, next_input[s] - source_tiles_);
}

/// Clocks per tile: limited by bandwidth, or by credits when the buffer is small. A credit returns when all its tiles
/// are free, after the credit latency.
double PipeFlow::stream_tile() const {
    const PipeConstants& t = streams_;
    const auto bytes = static_cast<double>(operand_.tile_bytes);
    const double sent = bytes / t.stream_bytes;
    if (!epoch_.mechanisms.credits || resident_ || operand_.l1_tiles == 0) return sent;
    const auto batch = static_cast<double>(operand_.credit_tiles);
    const double refilled = t.credit + batch * sent;
    return std::max(sent, refilled / static_cast<double>(std::max(operand_.l1_tiles, operand_.capacity_tiles)));
}

std::string PipeFlow::source_name() const {
    if (queue_) return fmt::format("queue '{}'", queue_->queue().name);
    for (const Source& one : sources_)
        if (one.core) return fmt::format("op '{}'", one.core->op().op->name());
    return "padding";
}

/// Tiles of the first `chunks` chunks of the epoch.
std::int64_t PipeFlow::tiles_of(std::int64_t chunks) const {
    return chunks / chunks_per_input_ * input_tiles_ +
           pipe_.tiles_before[static_cast<std::size_t>(chunks % chunks_per_input_)];
}

void PipeFlow::count_freed_tiles() {
    freed_tiles_ = freed_.input() * input_tiles_ + pipe_.tiles_before[static_cast<std::size_t>(freed_.place())];
}

/// The source whose tiles for the next transfer are not available; nullptr: they are available.
inline Core* PipeFlow::missing_source(const Part& next) const {
    if (!next.from || next.from->core->available() >= sent_.input() * source_tiles_ + next.need) return nullptr;
    return next.from->core;
}

inline bool PipeFlow::entry_missing(std::int64_t input) const { return queue_ && !queue_->ready(input); }

/// Tiles of room that the transfer needs; when a chunk read from a queue begins, room for the whole chunk.
std::int64_t PipeFlow::room_for(const Part& next) const {
    const std::int64_t tiles = next.arriving;
    if (!in_chunks_) return tiles;
    const std::int64_t chunk = operand_.reads.chunk, before = next.before;
    const std::int64_t end = (before + tiles + chunk - 1) / chunk * chunk;
    return before % chunk == 0 || before / chunk != (end - 1) / chunk ? std::min(end, input_tiles_) - before : tiles;
}

inline bool PipeFlow::buffers_full(const Part& next) const {
    if (resident_) return false;
    const std::int64_t held = tiles_sent() - freed_tiles_;
    if (after_unpacker_ && tiles_of(arrived_) - freed_tiles_ >= operand_.reads.chunk) return true;
    return held > 0 && held + room_for(next) > capacity_;
}

inline void PipeFlow::wait(bool missing) {
    if (missing && queue_ && !queue_->memory().ram()) waited_ = true;
    if (probe_) note_wait(missing);
}

void PipeFlow::try_send() {
    while (sent_.total() < total_) {
        const Part& next = next_part();
        // (1) the data is available, (2) every receiving core has room, (3) send
        awaited_ = missing_source(next);
        const bool missing = awaited_ || entry_missing(sent_.input());
        full_ = !missing && buffers_full(next);
        if (missing || full_) return wait(missing);
        const Cycle arrival = std::max(transfer(next), last_arrival_);
        last_arrival_ = arrival;
        waited_ = false;
        if (probe_) probe_->sent(epoch_.now, arrival, sent_.input());
        calendar_.at(arrival, *this, probe_ ? flight_time(epoch_.now, arrival) : 0,
                     static_cast<std::uint64_t>(sent_.total()));
        sent_.add(1);
        if (sent_.total() == total_) all_sent_ = epoch_.now;
    }
}

void PipeFlow::note_wait(bool missing) {
    FlowProbe::Wait why = missing ? FlowProbe::Wait::Source : FlowProbe::Wait::Room;
    if (missing && !queue_) {
        const auto held = awaited_->hold_reason(sent_.input() * source_tiles_ + next_part().need);
        if (held == Core::HoldReason::Block) why = FlowProbe::Wait::Block;
        if (held == Core::HoldReason::Lockstep) why = FlowProbe::Wait::Lockstep;
    }
    probe_->blocked(epoch_.now, why);
}

/// The consumer cores that receive the chunks: one, or a row of the op's grid.
NocEnd PipeFlow::find_receivers() const {
    NocEnd end = consumer_.cores[pipe_.cores.front()];
    for (const std::uint32_t place : pipe_.cores) {
        const NocCoord at = consumer_.cores[place];
        end = {{std::min(end.low.x, at.x), std::min(end.low.y, at.y)},
               {std::max(end.high.x, at.x), std::max(end.high.y, at.y)}};
    }
    return end;
}

inline Cycle PipeFlow::transfer(const Part& next) {
    if (next.from && !ideal_) return from_op(next);
    const Sending& sending = next_sending();
    if (sending.first == sending.end || ideal_) return epoch_.now + 1;
    return held_ ? from_l1(sending) : from_queue(sending);
}

/// NoC of data from a queue to the pipe's core.
int PipeFlow::noc_from_queue(const Chip& chip, NocCoord from) const {
    const bool host = queue_->queue().where == QueueLoc::Host;
    if (host || chip.instance().id != consumer_.chip || !epoch_.mechanisms.nocs) return 0;
    return shorter_noc(chip.instance().params, from, multicast_core_);
}

bool PipeFlow::route_recorded() const { return probe_ && probe_->wants_routes(sent_.input()); }

/// Sends on the consumer's chip. The path is found once.
inline Cycle PipeFlow::send_here(NocPath& path, int noc, NocCoord from, NocEnd to, std::uint64_t bytes, Cycle ready) {
    if (bytes == 0) return noc_.send(noc, from, to, bytes, epoch_.now, ready);
    if (!path.known()) path = noc_.path(noc, from, to, bytes);
    return noc_.send(path, bytes, epoch_.now, ready);
}

/// The core of a multicast may pass on the first tile when it has arrived.
Cycle PipeFlow::behind_first_tile(Cycle ready, Cycle arrival, std::uint64_t bytes) const {
    const auto tile = std::min<std::uint64_t>(bytes, tile_bytes_);
    const auto behind = (bytes - tile) / static_cast<std::uint64_t>(noc_.constants().flit_bytes);
    return std::max(ready, arrival - std::min<Cycle>(arrival, behind));
}

/// As send(), from a core or DRAM channel of the consumer's chip, when the route is not recorded.
inline Cycle PipeFlow::send_on_chip(NocCoord from, std::uint64_t bytes, Cycle ready, int noc, NocPath& path) {
    const bool many = receiving_.many(), relayed = epoch_.mechanisms.relays;
    const NocCoord sender = relayed ? multicast_core_ : from;
    Cycle arrival = ready;
    if (from != sender) {
        arrival = send_here(path, noc, from, multicast_core_, bytes, ready);
        if (many) ready = behind_first_tile(ready, arrival, bytes);
    }
    if (!many) return arrival;
    NocPath other;  // a source that multicasts itself
    return std::max(arrival, send_here(relayed ? multicast_path_ : other, noc_out_, sender, receiving_, bytes, ready));
}

/// NoC of data from an op to the pipe's core.
int PipeFlow::noc_from_op(const Core& source) const {
    return receivers_.size() > 1 || gather_ || source.op().chip != consumer_.chip ? noc_in_ : noc_out_;
}

/// Sets the path from a core of the same chip to the pipe's core.
void PipeFlow::find_path(Source& from, std::uint64_t bytes) {
    const NocCoord at = from.core->op().cores[number_of(from)];
    from.place = at == multicast_core_ ? Source::Place::Here : Source::Place::Elsewhere;
    if (at != multicast_core_) from.path = noc_.path(noc_from_op(*from.core), at, multicast_core_, bytes);
}

/// As send_on_chip(), from a core of an op and by relays.
inline Cycle PipeFlow::send_directly(Source& from, std::uint64_t bytes, Cycle ready) {
    if (from.place == Source::Place::Unknown) find_path(from, bytes);
    Cycle arrival = ready;
    if (from.place == Source::Place::Elsewhere) {
        arrival = noc_.send(from.path, bytes, epoch_.now, ready);
        if (many_) ready = behind_first_tile(ready, arrival, bytes);
    }
    if (!many_) return arrival;
    return std::max(arrival, send_here(multicast_path_, noc_out_, multicast_core_, receiving_, bytes, ready));
}

/// Sends to the receivers, by `noc` to the pipe's core, and records the route in the probe. The core of a multicast
/// passes on what has arrived. `path`: from there to the pipe's core, on its chip.
inline Cycle PipeFlow::send(std::int64_t from_chip, NocCoord from, std::uint64_t bytes, Cycle ready, std::size_t lane,
                            int noc, NocPath& path) {
    const bool here = from_chip == consumer_.chip;
    if (here && !route_recorded()) return send_on_chip(from, bytes, ready, noc, path);
    return send_by_board(from_chip, from, bytes, ready, lane, noc);
}

/// The same from another chip, or along a route that is recorded.
Cycle PipeFlow::send_by_board(std::int64_t from_chip, NocCoord from, std::uint64_t bytes, Cycle ready, std::size_t lane,
                              int noc) {
    const bool here = from_chip == consumer_.chip, recorded = route_recorded();
    Board& board = epoch_.board;
    std::vector<NocLeg> legs;
    std::vector<NocLeg>* const record = recorded ? &legs : nullptr;
    Cycle arrival = ready;
    const NocCoord sender = epoch_.mechanisms.relays || !here ? multicast_core_ : from;
    if (!here || from != sender) {
        arrival = board.send(from_chip, from, consumer_.chip, multicast_core_, bytes, ready, lane, noc, record);
        if (receiving_.many()) ready = behind_first_tile(ready, arrival, bytes);
    }
    if (receiving_.many()) {
        const Cycle last = recorded ? board.send(consumer_.chip, sender, consumer_.chip, receiving_, bytes, ready, lane,
                                                 noc_out_, record)
                                    : send_here(multicast_path_, noc_out_, sender, receiving_, bytes, ready);
        arrival = std::max(arrival, last);
    }
    if (recorded) probe_->record_route(sent_.place(), legs, bytes);
    return arrival;
}

Cycle PipeFlow::from_queue(const Sending& sending) {
    Board& board = epoch_.board;
    const Cycle now = epoch_.now;
    const Queue& queue = queue_->queue();
    const std::int64_t holder = board.chip_of(queue, consumer_.chip);
    Chip& chip = board.chip(holder);
    const bool host = queue.where == QueueLoc::Host;
    const Cycle asked = asked_for(sending, now + (waited_ ? chip.pointer_delay() : 0));
    Cycle arrival = now + 1;
    for (std::uint32_t n = sending.first; n < sending.end; ++n) {
        const ChunkNeed& need = pipe_.needs[n];
        const double whole = static_cast<double>(need.tiles) * static_cast<double>(operand_.tile_bytes);
        const auto bytes = static_cast<std::uint64_t>(std::ceil(whole * operand_.reads.share));
        const std::size_t lane = need.source + pipe_.cores.front();
        const BufferAddress buffer =
            queue.buffers.empty() ? BufferAddress{} : queue.buffers[need.source % queue.buffers.size()];
        const NocCoord from = host ? chip.instance().params.pcie : chip.dram_port(buffer.channel, buffer.address);
        const Cycle served = host ? chip.host_read(bytes, asked) : chip.dram_read(buffer, bytes, asked);
        NocPath path;
        arrival = std::max(arrival, send(holder, from, bytes, served, lane, noc_from_queue(chip, from), path));
    }
    return arrival;
}

/// Loads a whole prologue operand from DRAM before its first tile is sent.
Cycle PipeFlow::load_held() {
    Board& board = epoch_.board;
    const Queue& queue = queue_->queue();
    const std::int64_t holder = board.chip_of(queue, consumer_.chip);
    Chip& chip = board.chip(holder);
    std::set<std::uint32_t> sources;
    for (const ChunkNeed& need : pipe_.needs) sources.insert(need.source);
    const std::uint64_t bytes = static_cast<std::uint64_t>(operand_.held_tiles * operand_.tile_bytes) / sources.size();
    Cycle loaded = epoch_.now;
    for (const std::uint32_t source : sources) {
        const BufferAddress buffer =
            queue.buffers.empty() ? BufferAddress{} : queue.buffers[source % queue.buffers.size()];
        const bool host = queue.where == QueueLoc::Host;
        const NocCoord from = host ? chip.instance().params.pcie : chip.dram_port(buffer.channel, buffer.address);
        const Cycle served = host ? chip.host_read(bytes, epoch_.now) : chip.dram_read(buffer, bytes, epoch_.now);
        loaded = std::max(loaded, board.send(holder, from, consumer_.chip, multicast_core_, bytes, served,
                                             source + pipe_.cores.front(), noc_from_queue(chip, from)));
    }
    return loaded;
}

/// A prologue operand is sent from L1 like an op's output that is sent in blocks, one block per input.
Cycle PipeFlow::from_l1(const Sending& sending) {
    if (sent_.total() == 0) loaded_ = load_held();
    Cycle ready = std::max(epoch_.now, loaded_);
    if (!epoch_.mechanisms.firmware) return ready + 1;
    const PipeConstants& t = streams_;
    if (sent_.place() == 0) stream_free_ += epoch_.block_time(consumer_.chip, 1);
    const auto tiles = static_cast<double>(sending.tiles);
    const double runs = static_cast<double>(operand_.held_runs) * tiles / static_cast<double>(input_tiles_);
    ready = std::max(ready, stream_free_) + static_cast<Cycle>(t.phase * runs);
    stream_free_ = ready + static_cast<Cycle>(tiles * stream_tile_);
    if (receivers_.size() == 1) return stream_free_;
    const auto bytes = static_cast<std::uint64_t>(sending.tiles * operand_.tile_bytes);
    multicast_free_ =
        std::max(multicast_free_, ready) + static_cast<Cycle>(static_cast<double>(bytes) / t.multicast_bytes);
    NocPath none;  // the tiles are in the core that sends
    const Cycle arrival = send(consumer_.chip, multicast_core_, bytes, ready, pipe_.cores.front(), noc_out_, none);
    return std::max({arrival, stream_free_, multicast_free_});
}

/// Cycle in which NCRISC has issued the reads of the transfer. It reads whole chunks, one per iteration of its loop.
Cycle PipeFlow::asked_for(const Sending& next, Cycle asked) {
    const QueueReads& reads = operand_.reads;
    if (!in_chunks_) return asked;
    const PipeConstants& t = streams_;
    const std::int64_t before = next.tiles_before;
    const auto begun = [&](std::int64_t unit) {
        return static_cast<double>((before + next.tiles + unit - 1) / unit - (before + unit - 1) / unit);
    };
    const double request = reads.rows > 0 ? t.row_read * static_cast<double>(reads.rows) : t.read_request;
    // The read pointer of a queue is checked and written back for each entry; a ram has none.
    const double entry = before == 0 && !queue_->memory().ram() ? t.read_entry : 0;
    Cycle& free = receivers_.front().core->ncrisc_free();
    free = std::max(free, asked) +
           static_cast<Cycle>(entry + begun(reads.chunk) * t.read_iteration + begun(reads.unit) * request);
    return free;
}

/// The source's own stream sends to the operand, after its previous tiles, phase by phase.
inline Cycle PipeFlow::through_stream(const Part& part, Cycle ready) {
    const PipeConstants& t = streams_;
    const auto tiles = static_cast<double>(part.tiles), bytes = static_cast<double>(tile_bytes_);
    // Only one fork of a core sends at a time.
    Cycle& sender = part.from->core->sender_free();
    ready = std::max({ready, stream_free_, sender}) + static_cast<Cycle>(t.phase * static_cast<double>(part.phases));
    sender = ready + static_cast<Cycle>(tiles * bytes / t.stream_bytes);
    stream_free_ = ready + static_cast<Cycle>(tiles * stream_tile_);
    return ready;
}

/// Relays, used round robin, connect to their sources and fill ahead of the one stream that forwards their tiles.
Cycle PipeFlow::through_relays(const Part& part, Cycle ready) {
    const PipeConstants& t = streams_;
    GatherStreams& gather = *gather_;
    Core& source = *part.from->core;
    const std::int64_t number = number_of(*part.from);
    if (const std::int64_t position = sent_.input() * source_tiles_ + part.need; position > gather.gathered_to) {
        const std::int64_t block = source.op().output_streaming.block_mblocks * source.op().slice_tiles;
        gather.gathered_to = (position + block - 1) / block * block;
        gather.free += static_cast<Cycle>(t.gather_block);  // while the sources prepare their next block
    }
    // Successive phases of one source pass the same relay.
    if (gather.relays[gather.last_relay].source != number)
        gather.last_relay = (gather.last_relay + 1) % gather.relays.size();
    GatherStreams::Relay& relay = gather.relays[gather.last_relay];
    const auto tiles = static_cast<double>(part.tiles), bytes = static_cast<double>(tile_bytes_);
    const bool same = relay.source == number;
    const double more = part.phases > 1 ? static_cast<double>(part.phases - 1) : 0;
    const auto between = static_cast<Cycle>((same ? t.phase : t.partner) + t.phase * more);
    ready = std::max(ready, std::max({relay.free, source.available_since(), source.sender_free()}) + between);
    source.sender_free() = ready + static_cast<Cycle>(tiles * bytes / t.stream_bytes);
    relay.source = number;
    const double tile = std::max(bytes / t.stream_bytes + t.gather_tile, stream_tile_);
    gather.free = std::max(ready, gather.free) + static_cast<Cycle>(tiles * tile);
    relay.free = stream_free_ = gather.free;
    return ready;
}

Cycle PipeFlow::from_op(const Part& part) {
    Source& from = *part.from;
    const std::uint64_t bytes = part.tiles * tile_bytes_;
    Cycle ready = epoch_.now + issue_;
    if (epoch_.mechanisms.firmware) ready = gather_ ? through_relays(part, ready) : through_stream(part, ready);
    if (epoch_.mechanisms.firmware && receivers_.size() > 1) {  // a second stream multicasts
        const double rate = streams_.multicast_bytes;
        multicast_free_ = std::max(multicast_free_, ready) + static_cast<Cycle>(static_cast<double>(bytes) / rate);
    }
    Cycle arrival = 0;
    if (direct_ && bytes > 0 && !route_recorded()) {
        arrival = send_directly(from, bytes, ready);
    } else {
        const PlanOp& producer = from.core->op();
        const std::uint32_t number = number_of(from);
        const std::size_t lane = number + pipe_.cores.front();
        arrival = send(producer.chip, producer.cores[number], bytes, ready, lane, noc_from_op(*from.core), from.path);
    }
    return std::max({arrival, stream_free_, multicast_free_});
}

void PipeFlow::on_event(std::uint32_t flight, std::uint64_t) {
    if (probe_) probe_->arrived(epoch_.now, flight);
    arrive();
}

/// The transfers arrive in the order in which they were sent.
void PipeFlow::arrive() {
    const auto place = static_cast<std::size_t>(landed_.place());
    const Part& done = parts_[place];
    const std::int64_t input = landed_.input();
    landed_.add(1);
    if (values_) collect_values(input, pipe_.sendings[place]);
    if (done.from) done.from->core->release(done.from->slot, input * source_tiles_ + done.release);
    if (!done.ends_chunk) return;
    ++arrived_;
    for (const Receiver& to : receivers_) to.core->operand_arrived(k_, arrived_);
    if (queue_ && landed_.place() == 0) queue_->done_reading(input);
}

/// Stores references to the values of a completed transfer: the sources' blocks or the queue's entry.
void PipeFlow::collect_values(std::int64_t input, const Sending& sending) {
    if (queue_) {
        if (refs_.entry.parts.empty()) refs_.entry = queue_->entry(input);
    } else {
        for (std::uint32_t n = sending.first; n < sending.end; ++n) {
            const ChunkNeed& need = pipe_.needs[n];
            const Core& from = *source(need).core;
            for (std::int64_t z = need.z_first; z <= need.z_last; ++z)
                if (BlockPtr block = from.block(input * from.op().slices + z))
                    refs_.blocks[{need.source, z}] = std::move(block);
        }
    }
    const auto per_slice = static_cast<std::size_t>(operand_.chunks_per_slice);
    if (!sending.ends_chunk || (sending.chunk + 1) % per_slice != 0) return;
    const auto z = static_cast<std::int64_t>(sending.chunk / per_slice);
    ArrivedSlice& arrived = arrived_slices_[input * operand_.operand_z + z];
    arrived.refs = std::move(refs_);
    arrived.uses_left = static_cast<std::int64_t>(receivers_.size()) * (operand_.whole_input ? consumer_.slices : 1) *
                        (resident_ ? epoch_.inputs : 1);
    refs_ = {};
}

AssembledPtr PipeFlow::slice(std::int64_t input, std::int64_t z) {
    const auto it = arrived_slices_.find((resident_ ? 0 : input * operand_.operand_z) + z);
    TT_CHECK(it != arrived_slices_.end(), "slice {} of operand {} of '{}' has arrived", z, k_, consumer_.op->name());
    ArrivedSlice& arrived = it->second;
    if (!arrived.slice) arrived.slice = kept_slices_.assemble(consumer_, k_, pipe_, z, std::move(arrived.refs));
    AssembledPtr slice = arrived.slice;
    if (--arrived.uses_left == 0) arrived_slices_.erase(it);
    return slice;
}

void PipeFlow::free_chunks(std::size_t place, std::int64_t chunks) {
    Receiver& by = receivers_[place];
    if (chunks <= by.freed) return;
    const bool was_last = by.freed == freed_.total();
    by.freed = chunks;
    if (!was_last) return;
    std::int64_t all = chunks;
    if (receivers_.size() > 1)
        for (const Receiver& one : receivers_) all = std::min(all, one.freed);
    const std::int64_t more = all - freed_.total();
    if (more == 0) return;
    freed_.add(more);
    if (chunk_tiles_ > 0)
        freed_tiles_ += more * chunk_tiles_;
    else
        count_freed_tiles();
    if (!awaited_ || probe_) try_send();
}

void PipeFlow::walk_argument(StateWalk& walk, std::uint32_t, std::uint64_t& argument) {
    if (resident_)
        walk.fixed(argument);
    else
        walk.count(argument, static_cast<std::int64_t>(pipe_.sendings.size()), epoch_.scope);
}

void GatherStreams::walk(StateWalk& walk, std::int64_t source_tiles, const StateWalk::Scope& scope) {
    walk.time(free);
    walk.fixed(last_relay);
    walk.count(gathered_to, source_tiles, scope);
    for (Relay& relay : relays) {
        walk.time(relay.free);
        walk.fixed(relay.source);
    }
}

void PipeFlow::walk(StateWalk& walk) {
    const StateWalk::Scope& scope = epoch_.scope;
    walk.time(last_arrival_);
    walk.time(stream_free_);
    walk.time(multicast_free_);
    walk.time(loaded_);
    if (walks_gather_) gather_->walk(walk, source_tiles_, scope);
    walk.fixed(waited_);
    if (all_sent_) walk.launch_mark(*all_sent_);
    if (probe_ && (!resident_ || walk.over_iterations())) probe_->walk(walk, scope);
    if (resident_) {
        walk.fixed(sent_.total());
        walk.fixed(landed_.total());
        walk.fixed(arrived_);
        return;
    }
    sent_.walk_below(walk, scope, total_);
    landed_.walk(walk, scope);
    walk.count(arrived_, chunks_per_input_, scope);
    freed_.walk(walk, scope);
    for (Receiver& one : receivers_) walk.count(one.freed, chunks_per_input_, scope);
    if (!walk.advancing()) return;
    count_freed_tiles();
    for (const Receiver& one : receivers_) one.core->set_chunks(k_, arrived_, one.freed);
}

WaitsFor PipeFlow::waits_for() const {
    if (sent_.total() == total_)
        return {fmt::format("the pipe from {} to '{}' has sent everything", source_name(), consumer_.op->name()),
                nullptr};
    const std::int64_t input = sent_.input();
    const Part& next = next_part();
    const std::string self =
        fmt::format("the pipe from {} to operand {} of '{}' (input {}, chunk {} of {})", source_name(), k_,
                    consumer_.op->name(), input, next_sending().chunk, chunks_per_input_);
    if (entry_missing(input))
        return {fmt::format("{} waits for entry {} of queue '{}' (slot {})", self, queue_->access().read(input),
                            queue_->queue().name, queue_->access().read(input) % queue_->queue().entries),
                queue_->unfinished_writer(),
                Room{Room::Kind::Entries, queue_->queue().name, 0, queue_->queue().entries}};
    if (const Core* missing = missing_source(next))
        return missing->wait_reason(input * source_tiles_ + next.need, self);
    if (buffers_full(next))
        for (const Receiver& one : receivers_)
            if (one.freed == freed_.total())
                return {fmt::format("{} waits for room in the operand buffer of {} ({} tiles)", self, one.core->name(),
                                    operand_.capacity_tiles),
                        one.core, Room{Room::Kind::Operand, consumer_.op->name(), k_, operand_.capacity_tiles}};
    return {fmt::format("{} is ready to send", self), nullptr};
}

}  // namespace ttsim::impl::sim
