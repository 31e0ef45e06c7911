// The hardware a run is executed on, built once: chips with their NoCs, DRAM channels, PCIe; Ethernet links between.
#pragma once

#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "netlist/device.hpp"
#include "sim/machine/calendar.hpp"
#include "sim/machine/resources.hpp"

namespace tt::sim {

class Chip : public sc_core::sc_module {
public:
    Chip(const sc_core::sc_module_name& name, const ChipInstance& instance, Clock& clock);

    const ChipInstance& instance() const { return instance_; }
    const ChipTiming& timing() const { return instance_.params.timing; }
    Calendar& calendar() { return calendar_; }
    Noc& noc() { return noc_; }
    /// DRAM access of `bytes` at a channel, ready at `ready`: when the channel has served it.
    Cycle dram(std::int64_t channel, bool write, std::uint64_t bytes, Cycle ready);
    Cycle pcie(std::uint64_t bytes, Cycle ready);
    NocCoord dram_port(std::int64_t channel, std::uint64_t address) const;
    void walk(StateWalk& walk);
    void trace(Probe& probe);

private:
    const ChipInstance& instance_;
    Calendar calendar_;
    Noc noc_;
    std::vector<Server> dram_;
    Server pcie_;
};

/// All chips and links of a machine.
class Board : public sc_core::sc_module {
public:
    Board(const sc_core::sc_module_name& name, const Machine& machine, Clock& clock);
    Chip& chip(std::int64_t id) { return *chips_.at(id); }
    /// From a NoC node of one chip to one of another (or the same): arrival of the last byte. `lane` spreads
    /// transfers over parallel links.
    Cycle send(std::int64_t from_chip, NocCoord from, std::int64_t to_chip, NocCoord to, std::uint64_t bytes,
               Cycle ready, std::size_t lane, int noc);
    Clock& clock() { return clock_; }
    Calendar& host_calendar() { return host_calendar_; }
    /// Everything on its way and everything scheduled.
    void walk(StateWalk& walk);
    void trace(Probe& probe);

private:
    struct Link {
        EthLink ends;
        Server forward, backward;
    };
    Cycle cross(std::int64_t from, std::int64_t to, NocCoord& at, std::uint64_t bytes, Cycle ready, std::size_t lane);

    Clock& clock_;
    const Machine& machine_;
    Calendar host_calendar_;
    std::map<std::int64_t, std::unique_ptr<Chip>> chips_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> links_of_;  // (low id, high id) -> links_
    std::vector<Link> links_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> routes_;
};

}  // namespace tt::sim
