// Wait graph of an epoch: its ops with their waits, connected by pipes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trace/perf_data.hpp"

namespace ttsim::impl::trace {

/// The pipes of one operand of an op, or the writers of an op to one queue. Waits are those of the pipe with the most.
struct WaitEdge {
    bool writer = false;
    std::optional<std::int64_t> from_op, to_op;  ///< ids; no value: a queue
    std::int64_t operand = 0;
    std::optional<std::int64_t> queue;
    double wait_source = 0, wait_room = 0, in_flight = 0;  ///< cycles; in_flight: summed over chunks
};

/// One op. Cycles are those of the core with the most own cycles.
struct WaitNode {
    std::int64_t id = 0, chip = 0, cores = 0;
    std::string name, type;
    std::set<std::pair<std::int64_t, std::int64_t>> places;  ///< x, y of its cores on NoC 0
    double start = 0, end = 0;
    double work = 0;                       ///< cycles of unpack, math and pack
    double noc = 0, dram = 0, output = 0;  ///< waits for its own transfers in flight
    double source = 0, room = 0;           ///< waits for other ops; source: counted from the epoch's first unpack
    double all() const { return work + noc + dram + output + source + room; }
};

struct WaitQueue {
    std::string name;
    bool host = false;  ///< in host memory
    std::int64_t chip = 0;
    std::vector<std::int64_t> channels;
    bool written = false;  ///< written by an op of any epoch; else pushed by the host
};

/// Busy cycles of a link or channel while the epoch's ops were running.
struct WaitResource {
    std::string kind, name;
    std::int64_t chip = 0, channel = -1, to_chip = -1;
    double busy = 0;
    std::int64_t x = -1, y = -1;  ///< as in Resource
    std::string direction = {};
};

struct WaitGraph {
    double first = 0, last = 0;  ///< first unpack and last pack
    double window() const { return last - first; }
    std::map<std::int64_t, WaitNode> nodes;
    std::vector<WaitEdge> edges;
    std::map<std::int64_t, WaitQueue> queues;
    std::vector<WaitResource> resources;  ///< busiest first
};

/// Wait graphs of a trace's epochs. Shared data (queues, loads of resources) is read once.
class WaitGraphs {
public:
    explicit WaitGraphs(Reader& trace);
    WaitGraph of(const EpochUse& epoch);

private:
    void add_loads(WaitGraph& graph) const;

    Reader& trace_;
    std::map<std::int64_t, WaitQueue> queues_;
    std::map<std::int64_t, std::set<std::pair<std::int64_t, std::int64_t>>> places_;  ///< by op
    std::vector<Resource> resources_;
};

}  // namespace ttsim::impl::trace
