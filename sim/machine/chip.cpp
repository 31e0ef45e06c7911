#include "sim/machine/chip.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.hpp"
#include "isa/load_channel.hpp"

namespace ttsim::impl::sim {

/// Largest packet of a DRAM access, in bytes.
constexpr std::uint64_t largest_packet = 8192;

Chip::Chip(const ChipInstance& instance, Clock& clock, const IdealizedResources& ideal)
    : instance_(instance),
      calendar_(clock),
      noc_(instance.params),
      memory_(memory_constants(instance.params)),
      dram_(instance.params.dram.size() * static_cast<std::size_t>(instance.params.dram_blocks)),
      resident_(static_cast<std::size_t>(instance.params.grid_x * instance.params.grid_y), nullptr) {
    idealize(ideal);
    l1_channels_ = ideal.l1_channels;
}

void Chip::idealize(const IdealizedResources& ideal) {
    const auto blocks = static_cast<std::size_t>(instance_.params.dram_blocks);
    for (std::size_t server = 0; server < dram_.size(); ++server)
        if (ideal.idealizes_channel(static_cast<std::int64_t>(server / blocks))) dram_[server].make_ideal();
    if (ideal.noc) noc_.make_ideal();
    if (ideal.host) {
        from_host_.make_ideal();
        to_host_.make_ideal();
    }
}

void Chip::trace(Probe& probe) {
    using Kind = ResourceName::Kind;
    noc_.trace(probe, instance_.id);
    const auto blocks = static_cast<std::size_t>(instance_.params.dram_blocks);
    constexpr const char* memories[] = {"first memory", "second memory"};
    for (std::size_t server = 0; server < dram_.size(); ++server)
        dram_[server].trace(
            probe.resource({.kind = Kind::Dram,
                            .chip = instance_.id,
                            .channel = static_cast<std::int64_t>(server / blocks),
                            .bytes_per_cycle = memory_.dram.rate(false, largest_packet),
                            .part = blocks == 1 ? "" : memories[std::min<std::size_t>(1, server % blocks)]}));
    ResourceName link{.kind = Kind::Pcie, .chip = instance_.id};
    link.bytes_per_cycle = memory_.pcie.read_bytes;
    link.part = "from host";
    from_host_.trace(probe.resource(link));
    link.bytes_per_cycle = memory_.pcie.write_bytes;
    link.part = "to host";
    to_host_.trace(probe.resource(link));
}

/// Each memory of a channel is a server of its own; its reads and writes share the pins.
Server& Chip::channel(const BufferAddress& at) {
    const ChipParams& params = instance_.params;
    const auto blocks = static_cast<std::uint64_t>(params.dram_blocks);
    const auto block_bytes = static_cast<std::uint64_t>(params.dram_channel_bytes) / blocks;
    const std::size_t group = static_cast<std::size_t>(at.channel) % params.dram.size();
    return dram_[group * blocks + at.address / std::max<std::uint64_t>(1, block_bytes) % blocks];
}

static Cycle ceil_cycles(double clocks) { return static_cast<Cycle>(std::ceil(clocks)); }

Cycle Chip::dram_read(const BufferAddress& at, std::uint64_t bytes, Cycle ready) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes, largest_packet);
    const Cycle length = bytes == 0 ? 0 : ceil_cycles(static_cast<double>(bytes) / memory_.dram.rate(false, piece));
    const double latency =
        memory_.access.dram_read - (l1_channels_.contains(at.channel) ? noc_.constants().dram_latency : 0);
    return channel(at).reserve(calendar_.now(), ready, length, bytes) + ceil_cycles(std::max(0.0, latency));
}

Cycle Chip::dram_write(const BufferAddress& at, std::uint64_t bytes, Cycle ready, std::uint64_t piece) {
    const std::uint64_t size = std::min({bytes, largest_packet, piece == 0 ? bytes : piece});
    const Cycle length = bytes == 0 ? 0 : ceil_cycles(static_cast<double>(bytes) / memory_.dram.rate(true, size));
    return channel(at).reserve(calendar_.now(), ready, length, bytes);
}

Cycle Chip::pcie(Server& link, double rate, double latency, std::uint64_t bytes, Cycle ready) {
    const Cycle length = ceil_cycles(static_cast<double>(bytes) / rate);
    return link.reserve(calendar_.now(), ready, length, bytes) + ceil_cycles(latency);
}

Cycle Chip::host_read(std::uint64_t bytes, Cycle ready) {
    return pcie(from_host_, memory_.pcie.read_bytes, memory_.pcie.read_latency, bytes, ready);
}

Cycle Chip::host_write(std::uint64_t bytes, Cycle ready, bool untilized) {
    const PcieTiming& t = memory_.pcie;
    return pcie(to_host_, untilized ? t.untilized_bytes : t.write_bytes, t.write_latency, bytes, ready);
}

Cycle Chip::host_push(std::uint64_t bytes, Cycle ready) {
    return pcie(from_host_, memory_.pcie.push_bytes, memory_.pcie.push_latency, bytes, ready);
}

Cycle Chip::host_pop(std::uint64_t bytes, Cycle ready) {
    return pcie(to_host_, memory_.pcie.pop_bytes, memory_.pcie.pop_latency, bytes, ready);
}

Cycle Chip::host_push_before(std::uint64_t bytes) {
    pushed_before_ += bytes;
    return ceil_cycles(static_cast<double>(pushed_before_) / memory_.pcie.push_bytes + memory_.pcie.push_latency);
}

Cycle Chip::pointer_delay() const { return ceil_cycles(memory_.access.pointer_write + memory_.access.pointer_poll); }

std::int64_t Chip::load_channel(NocCoord core) const { return ttsim::impl::load_channel(instance_.params, core); }

Cycle Chip::load_epoch(const std::vector<std::pair<NocCoord, const void*>>& kernels) {
    const EpochTiming& t = memory_.epoch;
    std::map<std::int64_t, double> bytes;  // by channel
    for (const auto& [core, kernel] : kernels) {
        const void*& loaded = resident_[static_cast<std::size_t>(core.y * instance_.params.grid_x + core.x)];
        bytes[load_channel(core)] += t.blob + (loaded == kernel ? 0 : t.kernels);
        loaded = kernel;
    }
    double longest = 0;
    for (const auto& [_, sum] : bytes) longest = std::max(longest, sum / t.rate);
    return ceil_cycles(longest + t.commands * memory_.access.pointer_poll);
}

Cycle Chip::dram_busy() const {
    Cycle busiest = 0;
    for (const Server& memory : dram_) busiest = std::max(busiest, memory.busy());
    return busiest;
}

NocCoord Chip::dram_port(std::int64_t channel, std::uint64_t address) const {
    const auto& ports = instance_.params.dram.at(static_cast<std::size_t>(channel) % instance_.params.dram.size());
    return ports[static_cast<std::size_t>(address >> 20) % ports.size()];
}

void Chip::walk(StateWalk& walk) {
    noc_.walk(walk);
    for (Server& channel : dram_) channel.walk(walk);
    from_host_.walk(walk);
    to_host_.walk(walk);
    for (const void* kernel : resident_) walk.fixed(kernel);
}

/// The chip itself if none with a PCIe link is in reach.
static std::int64_t nearest_with_link(const Machine& machine, std::int64_t id) {
    std::int64_t nearest = id;
    std::size_t shortest = 0;
    for (const ChipInstance& other : machine.chips) {
        if (!other.mmio) continue;
        if (other.id == id) return id;
        const std::size_t chips = machine.route(id, other.id).size();
        if (chips == 0 || (shortest > 0 && chips >= shortest)) continue;
        nearest = other.id;
        shortest = chips;
    }
    return nearest;
}

Board::Board(const Machine& machine, Clock& clock, const IdealizedResources& ideal)
    : clock_(clock), machine_(machine), host_calendar_(clock) {
    for (const ChipInstance& chip : machine.chips) {
        chips_.emplace(chip.id, std::make_unique<Chip>(chip, clock, ideal));
        const auto id = static_cast<std::size_t>(chip.id);
        if (by_id_.size() <= id) by_id_.resize(id + 1);
        by_id_[id] = chips_.at(chip.id).get();
    }
    for (const EthLink& link : machine.links) {
        links_of_[std::minmax(link.chip_a, link.chip_b)].push_back(links_.size());
        links_.push_back({link, {}, {}});
        if (!ideal.ethernet) continue;
        links_.back().forward.make_ideal();
        links_.back().backward.make_ideal();
    }
    for (const ChipInstance& chip : machine.chips) host_chips_[chip.id] = nearest_with_link(machine, chip.id);
}

std::int64_t Board::chip_of(const Queue& queue, std::int64_t user) const {
    const bool own_link = queue.where == QueueLoc::Host && chips_.at(user)->instance().params.eth.empty();
    if (own_link) return user;
    return queue.where == QueueLoc::Host ? host_chip(queue.device()) : queue.device();
}

Cycle Board::dram_busy() const {
    Cycle busiest = 0;
    for (const auto& [_, chip] : chips_) busiest = std::max(busiest, chip->dram_busy());
    return busiest;
}

void Board::walk(StateWalk& walk) {
    walk.fixed(clock_.serving());  // in the middle of a cycle, the calendars behind it are served first
    clock_.walk(walk);
    for (auto& [_, chip] : chips_) chip->walk(walk);
    for (Link& link : links_) {
        link.forward.walk(walk);
        link.backward.walk(walk);
    }
}

void Board::trace(Probe& probe) {
    for (auto& [_, chip] : chips_) chip->trace(probe);
    for (Link& link : links_) {
        const EthTiming& eth = *chip(link.ends.chip_a).memory().eth;
        ResourceName name{.kind = ResourceName::Kind::Ethernet, .chip = link.ends.chip_a};
        name.channel = link.ends.channel_a;
        name.to_chip = link.ends.chip_b;
        name.bytes_per_cycle = static_cast<double>(largest_packet) / eth.wire(largest_packet);
        link.forward.trace(probe.resource(name));
        name.chip = link.ends.chip_b;
        name.channel = link.ends.channel_b;
        name.to_chip = link.ends.chip_a;
        link.backward.trace(probe.resource(name));
    }
}

/// Records one leg of the route, when requested.
static void add_leg(std::vector<NocLeg>* legs, std::int64_t chip, int noc, NocCoord from, NocEnd to) {
    if (legs) legs->push_back({chip, noc, from, to.low, to.high});
}

/// One hop over Ethernet, or PCIe peer to peer. `at` becomes the node where the data arrives.
Cycle Board::cross(std::int64_t from, std::int64_t to, NocCoord& at, std::uint64_t bytes, Cycle ready, std::size_t lane,
                   std::vector<NocLeg>* legs) {
    Chip& source = chip(from);
    Chip& target = chip(to);
    const auto between = links_of_.find(std::minmax(from, to));
    if (between == links_of_.end()) {
        const NocCoord out = source.instance().params.pcie;
        add_leg(legs, from, 0, at, out);
        ready = source.noc().send(0, at, out, bytes, clock_.now(), ready);
        at = target.instance().params.pcie;
        return target.host_read(bytes, source.host_write(bytes, ready, false));
    }
    Link& link = links_[between->second[lane % between->second.size()]];
    const bool forward = link.ends.chip_a == from;
    const auto out = static_cast<std::size_t>(forward ? link.ends.channel_a : link.ends.channel_b);
    const auto in = static_cast<std::size_t>(forward ? link.ends.channel_b : link.ends.channel_a);
    add_leg(legs, from, 0, at, source.instance().params.eth.at(out));
    ready = source.noc().send(0, at, source.instance().params.eth.at(out), bytes, clock_.now(), ready);
    at = target.instance().params.eth.at(in);
    const EthTiming& eth = *source.memory().eth;
    // Latency at the far end beyond the wire time. Only the wire is shared with other transfers.
    const Cycle wire = ceil_cycles(eth.wire(bytes)), after = ceil_cycles(eth.arrival(bytes)) - wire;
    return (forward ? link.forward : link.backward).reserve(clock_.now(), ready, wire, bytes) + after;
}

Cycle Board::send(std::int64_t from_chip, NocCoord from, std::int64_t to_chip, NocEnd to, std::uint64_t bytes,
                  Cycle ready, std::size_t lane, int noc, std::vector<NocLeg>* legs) {
    if (from_chip != to_chip) {
        auto& route = routes_[{from_chip, to_chip}];
        if (route.empty()) route = machine_.route(from_chip, to_chip);
        if (route.empty())
            throw Error(Fault::Input, {}, fmt::format("no Ethernet path from chip {} to chip {}", from_chip, to_chip));
        for (std::size_t hop = 0; hop + 1 < route.size(); ++hop)
            ready = cross(route[hop], route[hop + 1], from, bytes, ready, lane, legs);
    }
    add_leg(legs, to_chip, noc, from, to);
    return chip(to_chip).noc().send(noc, from, to, bytes, clock_.now(), ready);
}

}  // namespace ttsim::impl::sim
