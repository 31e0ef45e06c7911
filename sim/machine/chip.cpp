#include "sim/machine/chip.hpp"

#include "base/error.hpp"

namespace tt::sim {

Chip::Chip(const sc_core::sc_module_name& name, const ChipInstance& instance, Clock& clock)
    : sc_module(name),
      instance_(instance),
      calendar_(clock),
      noc_(instance.params),
      dram_(instance.params.dram.size(), Server(instance.params.timing.dram_read_bytes)),
      pcie_(instance.params.timing.pcie_bytes) {}

Cycle Chip::dram(std::int64_t channel, bool write, std::uint64_t bytes, Cycle ready) {
    // Reads and writes of a channel share its pins; the rates differ little, so one server stands for both.
    Server& server = dram_[static_cast<std::size_t>(channel) % dram_.size()];
    const Cycle latency = static_cast<Cycle>(timing().dram_latency);
    const double scale = write ? timing().dram_read_bytes / timing().dram_write_bytes : 1.0;
    return server.pass(ready, bytes, scale) + (write ? 0 : latency);
}

void Chip::trace(Probe& probe) {
    using Kind = ResourceName::Kind;
    noc_.trace(probe, instance_.id);
    for (std::size_t channel = 0; channel < dram_.size(); ++channel)
        dram_[channel].trace(probe.resource({.kind = Kind::Dram,
                                             .chip = instance_.id,
                                             .channel = static_cast<std::int64_t>(channel),
                                             .bytes_per_cycle = dram_[channel].rate()}));
    pcie_.trace(probe.resource({.kind = Kind::Pcie, .chip = instance_.id, .bytes_per_cycle = pcie_.rate()}));
}

Cycle Chip::pcie(std::uint64_t bytes, Cycle ready) {
    return pcie_.pass(ready, bytes) + static_cast<Cycle>(timing().pcie_latency);
}

NocCoord Chip::dram_port(std::int64_t channel, std::uint64_t address) const {
    const auto& ports = instance_.params.dram.at(static_cast<std::size_t>(channel) % instance_.params.dram.size());
    return ports[static_cast<std::size_t>(address >> 20) % ports.size()];
}

void Chip::walk(StateWalk& walk) {
    calendar_.walk(walk);
    noc_.walk(walk);
    for (Server& channel : dram_) channel.walk(walk);
    pcie_.walk(walk);
}

Board::Board(const sc_core::sc_module_name& name, const Machine& machine, Clock& clock)
    : sc_module(name), clock_(clock), machine_(machine), host_calendar_(clock) {
    for (const ChipInstance& chip : machine.chips)
        chips_.emplace(chip.id, std::make_unique<Chip>(fmt::format("chip{}", chip.id).c_str(), chip, clock));
    const double rate = machine.chips.front().params.timing.eth_bytes;
    for (const EthLink& link : machine.links) {
        links_of_[std::minmax(link.chip_a, link.chip_b)].push_back(links_.size());
        links_.push_back({link, Server(rate), Server(rate)});
    }
}

void Board::walk(StateWalk& walk) {
    host_calendar_.walk(walk);
    for (auto& [_, chip] : chips_) chip->walk(walk);
    for (Link& link : links_) {
        link.forward.walk(walk);
        link.backward.walk(walk);
    }
}

void Board::trace(Probe& probe) {
    for (auto& [_, chip] : chips_) chip->trace(probe);
    for (Link& link : links_) {
        ResourceName name{.kind = ResourceName::Kind::Ethernet, .chip = link.ends.chip_a};
        name.channel = link.ends.channel_a;
        name.to_chip = link.ends.chip_b;
        name.bytes_per_cycle = link.forward.rate();
        link.forward.trace(probe.resource(name));
        name.chip = link.ends.chip_b;
        name.channel = link.ends.channel_b;
        name.to_chip = link.ends.chip_a;
        link.backward.trace(probe.resource(name));
    }
}

/// One hop over Ethernet (or PCIe peer to peer): `at` moves to the node the data comes out of.
Cycle Board::cross(std::int64_t from, std::int64_t to, NocCoord& at, std::uint64_t bytes, Cycle ready,
                   std::size_t lane) {
    Chip& source = chip(from);
    Chip& target = chip(to);
    const auto between = links_of_.find(std::minmax(from, to));
    if (between == links_of_.end()) {
        const NocCoord out = source.instance().params.pcie;
        ready = source.noc().send(0, at, out, bytes, ready);
        at = target.instance().params.pcie;
        return target.pcie(bytes, source.pcie(bytes, ready));
    }
    Link& link = links_[between->second[lane % between->second.size()]];
    const bool forward = link.ends.chip_a == from;
    const auto out = static_cast<std::size_t>(forward ? link.ends.channel_a : link.ends.channel_b);
    const auto in = static_cast<std::size_t>(forward ? link.ends.channel_b : link.ends.channel_a);
    ready = source.noc().send(0, at, source.instance().params.eth.at(out), bytes, ready);
    at = target.instance().params.eth.at(in);
    return (forward ? link.forward : link.backward).pass(ready, bytes) +
           static_cast<Cycle>(source.timing().eth_latency);
}

Cycle Board::send(std::int64_t from_chip, NocCoord from, std::int64_t to_chip, NocCoord to, std::uint64_t bytes,
                  Cycle ready, std::size_t lane, int noc) {
    if (from_chip != to_chip) {
        auto& route = routes_[{from_chip, to_chip}];
        if (route.empty()) route = machine_.route(from_chip, to_chip);
        if (route.empty())
            throw Error(Fault::Input, {}, fmt::format("no Ethernet path from chip {} to chip {}", from_chip, to_chip));
        for (std::size_t hop = 0; hop + 1 < route.size(); ++hop)
            ready = cross(route[hop], route[hop + 1], from, bytes, ready, lane);
    }
    return chip(to_chip).noc().send(noc, from, to, bytes, ready);
}

}  // namespace tt::sim
