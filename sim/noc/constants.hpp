// Constants of the NoC model, from noc.yaml of the chip's folder, which gives a source for every number.
#pragma once

#include <string>
#include <vector>

#include "isa/arch.hpp"
#include "isa/pipe_constants.hpp"
#include "sim/memory/dram_channel.hpp"

namespace ttsim::impl::noc {

/// Times in AI clock cycles, rates in flits per cycle unless said otherwise.
struct Constants {
    // links and NIUs
    double flit_bytes = 32;
    double hop = 9;               ///< router to router
    double niu = 5;               ///< NIU to router and router to NIU, each
    double packet_bytes = 8192;   ///< the longest packet
    double buffer_flits = 16;     ///< flits of a blocked packet that one virtual channel of a router holds
    double buffer_own = 1;        ///< buffer flits reserved for the virtual channel; the others come from a pool
    double buffer_pool = 48;      ///< flits of the pool, which all virtual channels of a port share
    double dynamic_lanes = 4;     ///< virtual channels of requests with dynamic channel choice by the routers
    double request_slots = 4;     ///< transactions in flight per core
    double request_lanes = 2;     ///< packets that may interleave on a link: requests and writes
    double response_lanes = 2;    ///< packets that may interleave on a link: read responses
    double request_intake = 4;    ///< read requests per virtual channel that a NIU queues before it answers them
    double packet_gap = 0.8;      ///< between two packets of a NIU, in flits
    double response_flit = 1.12;  ///< cycles per flit a NIU takes to answer reads
    double write_flit = 1.03;     ///< cycles per flit a NIU takes to send
    double responses = 2;         ///< read requests a NIU answers at once
    // memories
    double l1_flits = 1.6;      ///< flits per cycle between a core's L1 and all its NIUs
    double l1_write = 1;        ///< cost of a written flit relative to a read flit
    double read_latency = 50;   ///< request at the target's NIU to the first flit of the response
    double dram_latency = 100;  ///< additional read latency of DRAM
    double write_latency = 50;  ///< last flit at the target's NIU to its acknowledgement
    double dram_write_latency = 100;
    sim::DramTiming dram;  ///< timing of each block
    double atomic_latency = 5;
    // multicast
    double multicast_setup = 17;  ///< path reservation beyond the round trip to the farthest leaf
    // software on the RISC-V cores
    double issue_read = 25, issue_read_short = 19.6, issue_read_stateful = 17.3;
    double issue_write = 22, issue_write_stateful = 20;
    double issue_state = 9;  ///< set the target, once before stateful calls
    double issue_dram_read = 21.3, issue_dram_write = 25;
    double short_loop = 16;  ///< transactions of a loop that the compiler unrolls
    double barrier = 20;     ///< until a barrier detects that the last transaction is complete
    // recorded traces
    double trace_barrier = 84;  ///< shortest recorded barrier: two markers and one read of the counters
    double trace_notice = 20;   ///< from the last byte to the marker after the barrier

    PipeConstants pipes;
    std::vector<std::vector<NocCoord>> block_ports;  ///< for Topology
};

/// Reads a file; throws Error(Input) with the location of the problem.
Constants read_constants(const std::string& file, const ChipParams& chip);
/// Constants of a chip, from its own `files` and `timing` (not those registered under its name). Read once.
const Constants& constants(const ChipParams& chip);

}  // namespace ttsim::impl::noc
