// Graph of an epoch: numbered buffers of cores and queues, and the pipes between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "netlist/plan/plan.hpp"

namespace ttsim::impl::report {

struct PipeBuffer {
    std::int64_t id = 0;
    std::string name;          ///< name of the op or queue
    std::string type;          ///< "packer", "unpacker", "dram_io", "dram_prolog"
    std::int64_t operand = 0;  ///< number as for streams: operands from 0, outputs from 16, queues 0
    std::int64_t chip = 0;
    std::int64_t row = 255, column = 255;  ///< position in the worker grid; 255: none
    std::int64_t tiles = 0, tile_bytes = 0;
    std::int64_t input_tiles = 0, epoch_tiles = 0, granularity = 0;
    const Blocking* blocking = nullptr;  ///< outputs only
    std::int64_t mblock_k = 0;
    const Queue* queue = nullptr;
    BufferAddress address;  ///< queues only
};

struct PipeLink {
    std::int64_t id = 0;
    std::vector<std::int64_t> inputs, outputs;  ///< ids of buffers
    bool ethernet = false, host = false;
    std::int64_t readers = 0, reader = 0;  ///< number of pipes that read the same queue, and index of this one
};

struct PipeGraph {
    std::vector<PipeBuffer> buffers;
    std::vector<PipeLink> pipes;
};

/// `inputs`: inputs per launch of the epoch.
PipeGraph pipe_graph(const Plan& plan, std::int64_t inputs);

}  // namespace ttsim::impl::report
