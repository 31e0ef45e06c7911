// The simulated hardware: chips with their NoCs, DRAM channels and PCIe, and the Ethernet links between chips.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"
#include "sim/machine/calendar.hpp"
#include "sim/machine/resources.hpp"
#include "sim/memory/memory_constants.hpp"
#include "sim/settings/idealized_resources.hpp"

namespace ttsim::impl::sim {

class Chip {
public:
    Chip(const ChipInstance& instance, Clock& clock, const IdealizedResources& ideal = {});

    const ChipInstance& instance() const { return instance_; }
    const ChipTiming& timing() const { return instance_.params.timing; }
    Calendar& calendar() { return calendar_; }
    Noc& noc() { return noc_; }
    /// DRAM accesses of `bytes` in total, in pieces of `piece` bytes (0: of packet size), which may start at cycle
    /// `ready`. Returns the cycle in which the channel has served them; for a read, plus the access latency.
    Cycle dram_read(const BufferAddress& at, std::uint64_t bytes, Cycle ready);
    Cycle dram_write(const BufferAddress& at, std::uint64_t bytes, Cycle ready, std::uint64_t piece = 0);
    /// PCIe transfers: a core reads from or writes to host memory; the host writes to DRAM (push) or reads from it
    /// (pop). Each returns its cycle of completion.
    Cycle host_read(std::uint64_t bytes, Cycle ready);
    Cycle host_write(std::uint64_t bytes, Cycle ready, bool untilized);
    Cycle host_push(std::uint64_t bytes, Cycle ready);
    Cycle host_pop(std::uint64_t bytes, Cycle ready);
    /// The host pushes before cycle 0. Returns the cycles of all such pushes over this link.
    Cycle host_push_before(std::uint64_t bytes);
    /// Cycles until a waiting reader sees that a queue has a new entry.
    Cycle pointer_delay() const;
    /// Cycles to load an epoch's kernels and programs. `kernels`: pairs of core and kernel; a kernel that a core
    /// already holds is not loaded again.
    Cycle load_epoch(const std::vector<std::pair<NocCoord, const void*>>& kernels);
    const MemoryConstants& memory() const { return memory_; }
    double flit_bytes() const { return noc_.constants().flit_bytes; }
    const PipeConstants& pipes() const { return noc_.constants().pipes; }
    Cycle dram_busy() const;  ///< cycles in which its busiest DRAM memory was busy
    NocCoord dram_port(std::int64_t channel, std::uint64_t address) const;
    void walk(StateWalk& walk);
    void trace(Probe& probe);

private:
    Server& channel(const BufferAddress& at);
    std::int64_t load_channel(NocCoord core) const;
    void idealize(const IdealizedResources& ideal);
    Cycle pcie(Server& link, double rate, double latency, std::uint64_t bytes, Cycle ready);

    const ChipInstance& instance_;
    Calendar calendar_;
    Noc noc_;
    const MemoryConstants& memory_;
    std::vector<Server> dram_;  ///< memories of channel 0, then of channel 1, ...
    Server from_host_, to_host_;
    std::uint64_t pushed_before_ = 0;     // bytes
    std::set<std::int64_t> l1_channels_;  ///< channels that are the L1 of a core
    std::vector<const void*> resident_;   ///< by NoC node: the kernel that the core holds
};

/// All chips and links of a machine.
class Board {
public:
    Board(const Machine& machine, Clock& clock, const IdealizedResources& ideal = {});
    Chip& chip(std::int64_t id) { return *by_id_.at(static_cast<std::size_t>(id)); }
    /// The chip that holds a queue for a core of chip `user`, or whose PCIe link leads to it. Cards without Ethernet
    /// reach host memory by their own link, whatever the queue's device.
    std::int64_t chip_of(const Queue& queue, std::int64_t user) const;
    /// The chip whose PCIe link leads to chip `id`: itself, or for a chip without a link of its own the nearest over
    /// Ethernet that has one.
    std::int64_t host_chip(std::int64_t id) const { return host_chips_.at(id); }
    /// Sends from a NoC node to nodes of the same or another chip; returns the arrival of the last byte. `lane` selects
    /// one of parallel links.
    Cycle send(std::int64_t from_chip, NocCoord from, std::int64_t to_chip, NocEnd to, std::uint64_t bytes, Cycle ready,
               std::size_t lane, int noc, std::vector<NocLeg>* legs = nullptr);
    Cycle dram_busy() const;  ///< of the busiest DRAM memory of all chips
    Clock& clock() { return clock_; }
    Calendar& host_calendar() { return host_calendar_; }
    /// Walks all reservations and all scheduled events.
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
    std::vector<Chip*> by_id_;                                                            // nullptr: no chip has the id
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> links_of_;  // (low id, high id) -> links_
    std::vector<Link> links_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> routes_;
    std::map<std::int64_t, std::int64_t> host_chips_;
};

}  // namespace ttsim::impl::sim
