// The ops of an epoch with what each of them waited for, and the pipes that tie them together.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trace/perf_data.hpp"

namespace ttsim::impl::trace {

/// The pipes of one operand of an op, or the writers of an op to one queue; waits of the pipe with most of them.
struct WaitEdge {
    bool writer = false;
    std::optional<std::int64_t> from_op, to_op;  ///< ids; nothing: a queue
    std::int64_t operand = 0;
    std::optional<std::int64_t> queue;
    double wait_source = 0, wait_room = 0, in_flight = 0;  ///< cycles; in_flight of all its chunks
};

/// One op. Cycles of the core that speaks for it: the one with most of its own.
struct WaitNode {
    std::int64_t id = 0, chip = 0, cores = 0;
    std::string name, type;
    std::set<std::pair<std::int64_t, std::int64_t>> places;  ///< x, y of its cores on NoC 0
    double start = 0, end = 0;
    double work = 0;                       ///< unpack, math and pack
    double noc = 0, dram = 0, output = 0;  ///< waits for its own transfers
    double source = 0, room = 0;           ///< waits for others; source: from the epoch's first unpack on
    double all() const { return work + noc + dram + output + source + room; }
};

struct WaitQueue {
    std::string name;
    bool host = false;  ///< in the host's memory
    std::int64_t chip = 0;
    std::vector<std::int64_t> channels;
    bool written = false;  ///< by an op of any epoch; else the host pushes it
};

/// Busy cycles of a link or channel while the epoch's ops were at work.
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

/// The graphs of a trace's epochs. What they share - queues, and how busy everything was - is read once.
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
