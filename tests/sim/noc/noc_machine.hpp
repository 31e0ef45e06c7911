// A Wormhole chip's NoC with round numbers, so that times can be worked out by hand.
#pragma once

#include "sim/noc/fabric.hpp"

namespace ttsim::impl::noc {

/// Wormhole B0's tiles; a hop takes 10 cycles, a NIU 5, flits pass at one a cycle everywhere, packets have no gaps, and
/// nothing else takes time.
inline Constants plain_constants() {
    Constants c;
    c.hop = 10;
    c.niu = 5;
    c.packet_gap = 0;
    c.response_flit = c.write_flit = 1;
    c.responses = 1;
    c.request_intake = 2;
    c.request_lanes = 1;
    c.response_lanes = 2;
    c.l1_flits = 100;
    c.l1_write = 1;
    c.read_latency = c.write_latency = c.dram_latency = c.dram_write_latency = 0;
    c.atomic_latency = c.multicast_setup = c.barrier = c.trace_barrier = c.trace_notice = 0;
    c.dram.peak_bytes = 16;
    c.dram.refresh_for = c.dram.page_read = c.dram.page_write = c.dram.small_write = c.dram.request = 0;
    c.block_ports = {{{0, 1}}, {{0, 7}}, {{5, 11}}, {{5, 9}}, {{5, 3}}, {{5, 7}}};
    return c;
}

inline const Topology& wormhole() {
    static const Topology topology(chip("wormhole_b0"), plain_constants().block_ports);
    return topology;
}

inline Node at(int x, int y) { return wormhole().node({x, y}); }

}  // namespace ttsim::impl::noc
