// The hardware a run is executed on, built once: chips with their NoCs, DRAM channels, PCIe; Ethernet links between.
#pragma once

#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "netlist/device/device.hpp"
#include "sim/machine/calendar.hpp"
#include "sim/machine/idealized_resources.hpp"
#include "sim/machine/resources.hpp"
#include "sim/memory/memory_constants.hpp"

namespace ttsim::impl::sim {

class Chip : public sc_core::sc_module {
public:
    Chip(const sc_core::sc_module_name& name, const ChipInstance& instance, Clock& clock,
         const IdealizedResources& free = {});

    const ChipInstance& instance() const { return instance_; }
    const ChipTiming& timing() const { return instance_.params.timing; }
    Calendar& calendar() { return calendar_; }
    Noc& noc() { return noc_; }
    /// DRAM accesses of `bytes` in all, in pieces of `piece` (0: as large as a packet), ready at `ready`: when the
    /// channel has served them, and of a read when the data is on its way.
    Cycle dram_read(const BufferAddress& at, std::uint64_t bytes, Cycle ready);
    Cycle dram_write(const BufferAddress& at, std::uint64_t bytes, Cycle ready, std::uint64_t piece = 0);
    /// A core reads from the host's memory or writes to it; the host writes to DRAM (push) or reads from it (pop).
    Cycle host_read(std::uint64_t bytes, Cycle ready);
    Cycle host_write(std::uint64_t bytes, Cycle ready, bool untilized);
    Cycle host_push(std::uint64_t bytes, Cycle ready);
    Cycle host_pop(std::uint64_t bytes, Cycle ready);
    /// Until a reader that waits for it sees that a queue has a new entry.
    Cycle pointer_delay() const;
    /// Clocks until the cores have read what they need for an epoch; kernels[i] is what core i runs, and is read only
    /// where another kernel ran before.
    Cycle load_epoch(const std::vector<std::pair<NocCoord, const void*>>& kernels);
    const MemoryConstants& memory() const { return memory_; }
    const PipeConstants& pipes() const { return noc_.constants().pipes; }
    NocCoord dram_port(std::int64_t channel, std::uint64_t address) const;
    void walk(StateWalk& walk);
    void trace(Probe& probe);

private:
    Server& channel(const BufferAddress& at);
    std::int64_t load_channel(NocCoord core) const;
    void set_free(const IdealizedResources& free);
    Cycle pcie(Server& way, double rate, double latency, std::uint64_t bytes, Cycle ready);

    const ChipInstance& instance_;
    Calendar calendar_;
    Noc noc_;
    const MemoryConstants& memory_;
    std::vector<Server> dram_;  ///< channel by channel, its blocks
    Server from_host_, to_host_;
    std::vector<const void*> resident_;  ///< by NoC node: the kernel a core holds
};

/// All chips and links of a machine.
class Board : public sc_core::sc_module {
public:
    Board(const sc_core::sc_module_name& name, const Machine& machine, Clock& clock,
          const IdealizedResources& free = {});
    Chip& chip(std::int64_t id) { return *chips_.at(id); }
    /// From a NoC node of one chip to one of another (or the same): arrival of the last byte. `lane` spreads
    /// transfers over parallel links.
    Cycle send(std::int64_t from_chip, NocCoord from, std::int64_t to_chip, NocEnd to, std::uint64_t bytes, Cycle ready,
               std::size_t lane, int noc, std::vector<NocLeg>* legs = nullptr);
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
    Cycle cross(std::int64_t from, std::int64_t to, NocCoord& at, std::uint64_t bytes, Cycle ready, std::size_t lane,
                std::vector<NocLeg>* legs);

    Clock& clock_;
    const Machine& machine_;
    Calendar host_calendar_;
    std::map<std::int64_t, std::unique_ptr<Chip>> chips_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> links_of_;  // (low id, high id) -> links_
    std::vector<Link> links_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> routes_;
};

}  // namespace ttsim::impl::sim
