// A placed graph as a netlist: queues with DRAM addresses, graphs, one program per pass over them.
#pragma once

#include "compiler/backend/dram.hpp"
#include "compiler/backend/schedule.hpp"

namespace tt::ir {

struct BoundTensor {
    std::string name;  ///< of the model's input or output
    std::string queue;
    Type type;                            ///< of the model
    DataFormat df = DataFormat::Float32;  ///< of the queue
};

/// Values of a queue as [z, rows, cols].
struct QueueValues {
    std::string queue;
    LiteralPtr values;
    bool bits = false;  ///< bit patterns inside floats
};

struct EmittedModel {
    Netlist netlist;
    std::vector<BoundTensor> inputs, outputs;
    std::vector<QueueValues> constants;
};

struct EmitOptions {
    DramPlacement placement = DramPlacement::LeastTraffic;
    std::int64_t chips = 1;       ///< epochs go to them in order (pipeline parallel)
    bool dynamic_queues = false;  ///< queues between epochs share memory when they are not in use together
};

/// Throws Error(Unsupported) when DRAM is full.
EmittedModel emit(const Graph& graph, const Schedule& schedule, const OpBudget& budget, const EmitOptions& options);

}  // namespace tt::ir
