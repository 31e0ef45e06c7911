// The buffers of an epoch's cores and queues, and the pipes between them, with numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "netlist/plan/plan.hpp"

namespace ttsim::impl::report {

struct PipeBuffer {
    std::int64_t id = 0;
    std::string name;          ///< of op or queue
    std::string type;          ///< "packer", "unpacker", "dram_io", "dram_prolog"
    std::int64_t operand = 0;  ///< stream-like number: operands from 0, outputs from 16, queues 0
    std::int64_t chip = 0;
    std::int64_t row = 255, column = 255;  ///< of the worker grid; 255: none
    std::int64_t tiles = 0, tile_bytes = 0;
    std::int64_t input_tiles = 0, epoch_tiles = 0, granularity = 0;
    const Blocking* blocking = nullptr;  ///< of outputs
    std::int64_t mblock_k = 0;
    const Queue* queue = nullptr;
    BufferAddress address;  ///< of queues
};

struct PipeLink {
    std::int64_t id = 0;
    std::vector<std::int64_t> inputs, outputs;  ///< buffers
    bool ethernet = false, host = false;
    std::int64_t readers = 0, reader = 0;  ///< pipes that read the same queue, and which this is
};

struct PipeGraph {
    std::vector<PipeBuffer> buffers;
    std::vector<PipeLink> pipes;
};

/// `inputs`: that a launch of the epoch runs.
PipeGraph pipe_graph(const Plan& plan, std::int64_t inputs);

}  // namespace ttsim::impl::report
