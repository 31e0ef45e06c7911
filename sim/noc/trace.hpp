// NoC traffic from files: traces recorded on silicon, and workloads made of phases (the formats of tt-npe).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "sim/noc/topology.hpp"

namespace ttsim::impl::noc {

enum class Action : std::uint8_t {
    // traffic
    Read,
    Write,
    Multicast,
    Atomic,
    // order in time
    ReadBarrierStart,
    ReadBarrierEnd,
    WriteBarrierStart,
    WriteBarrierEnd,
    ReadBarrier,   ///< one marker: reads are complete before the next event
    WriteBarrier,  ///< one marker
    Flush,         ///< writes have left
    FullBarrier,
    AtomicBarrier,
    // neither traffic nor waiting for the network
    Mark,  ///< state and id settings, semaphores of the own core, starts of zones
    ZoneEnd,
};

struct TraceEvent {
    Action action = Action::Mark;
    std::uint8_t noc = 0;
    std::int8_t lane = -1;  ///< virtual channel of a pair, -1: not given
    Node target = 0;        ///< unicast
    NocCoord first, last;   ///< corners of a multicast, in the order of flow
    std::uint64_t bytes = 0;
    std::int64_t time = 0;  ///< recorded, since the chip's first event
};

/// The events of one RISC-V core, in the order of time.
struct TraceProcess {
    std::size_t chip = 0;  ///< of Trace::chips
    Node core = 0;
    std::string name;  ///< BRISC, NCRISC ...
    std::vector<TraceEvent> events;
};

/// Chips have independent clocks; times count from the first event of each chip.
struct TraceChip {
    std::int64_t device = -1;   ///< -1: not given in the trace
    std::int64_t recorded = 0;  ///< last minus first time
};

struct Trace {
    std::vector<TraceProcess> processes;
    std::vector<TraceChip> chips;  ///< in the order of their first events
    std::int64_t recorded = 0;     ///< recorded cycles of the chip that takes longest
    std::size_t events = 0;
};

struct Transfer {
    std::uint8_t noc = 0;
    Node source = 0, target = 0;
    bool multicast = false;
    NocCoord first, last;
    std::uint32_t packets = 1;
    std::uint64_t bytes = 0;  ///< of each packet
    double rate = 0;          ///< bytes per cycle; 0: the maximum of the source
    double offset = 0;        ///< earliest start, in cycles after the start of its phase
};

struct Workload {
    std::vector<std::vector<Transfer>> phases;
    std::optional<double> golden;  ///< cycles
};

/// Reads either format. Throws one Error with all problems of the file and their locations: Input, or Unsupported for
/// traffic between chips.
std::variant<Trace, Workload> read_traffic(const std::string& file, const Topology& topology);
std::variant<Trace, Workload> parse_traffic(std::string_view text, const std::string& name, const Topology& topology);

}  // namespace ttsim::impl::noc
