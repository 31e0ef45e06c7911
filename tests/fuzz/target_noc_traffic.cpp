// Recorded NoC traffic, traces and workloads; small ones are replayed too.
#include "sim/noc/read_traffic.hpp"
#include "sim/noc/replay.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

static void play(const noc::Trace& trace, const noc::Topology& topology, const noc::Constants& constants) {
    std::uint64_t bytes = 0;
    for (const noc::TraceProcess& process : trace.processes)
        for (const noc::TraceEvent& event : process.events) bytes += event.bytes;
    if (bytes < 1 << 20)
        for (const noc::Loop loop : {noc::Loop::Closed, noc::Loop::Open})
            (void)noc::replay(trace, topology, constants, loop);
}

void noc_traffic(const std::string& bytes) {
    const ChipParams& params = chip("wormhole_b0");
    static const noc::Constants& constants = noc::constants(params);
    static const noc::Topology topology(params, constants.block_ports);
    answer([&] {
        const noc::Json all = noc::parse_json(bytes, "fuzz");
        if (all.kind == noc::Json::Kind::List) play(noc::read_trace(all, "fuzz", topology), topology, constants);
        if (all.kind != noc::Json::Kind::Map) return;
        const noc::Workload workload = noc::read_workload(all, "fuzz", topology);
        (void)workload;
    });
}

}  // namespace ttsim::impl::fuzz
