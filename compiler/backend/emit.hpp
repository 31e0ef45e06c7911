// A placed graph as a netlist: queues with DRAM addresses, graphs, one program per pass over them.
#pragma once

#include <map>

#include "compiler/backend/dram.hpp"
#include "compiler/backend/schedule.hpp"

namespace ttsim::impl::ir {

struct BoundTensor {
    std::string name;  ///< of the model's input or output
    std::string queue;
    Type type;                            ///< of the model
    DataFormat df = DataFormat::Float32;  ///< of the queue
    std::int64_t rt = 0, ct = 0;          ///< tiles of a slice of an input's entry; 0: as many as its elements need
    std::int64_t iterations =
        0;  ///< of a part that loops: an entry for each, which together are [turns, ...]; 0: one entry
    /// Entries of a sample.
    std::size_t each() const { return iterations > 0 ? static_cast<std::size_t>(iterations) : 1; }
    /// Of the model's tensor, all turns together.
    Type whole() const {
        Type all = type;
        if (iterations > 0) all.dims.insert(all.dims.begin(), iterations);
        return all;
    }
    friend bool operator==(const BoundTensor&, const BoundTensor&) = default;
};

/// What a program of the netlist is to the model.
enum class ProgramRole : std::uint8_t { Forward };
struct ModelProgram {
    ProgramRole role = ProgramRole::Forward;
    std::int64_t index = 0;  ///< of the programs of a role, in the order in which they run: a part of the device each
    std::string name;        ///< in the netlist
    std::string executes;    ///< its parameter that says how many microbatches it runs
    friend bool operator==(const ModelProgram&, const ModelProgram&) = default;
};

/// Values of a queue as [z, rows, cols].
struct QueueValues {
    std::string queue;
    LiteralPtr values;
    bool bits = false;  ///< bit patterns inside floats
    std::shared_ptr<const Derivation> derivation{};
};

struct EmittedModel {
    Netlist netlist;
    std::vector<BoundTensor> inputs, outputs;
    std::vector<QueueValues> constants;
    std::vector<ModelProgram> programs;
    bool dynamic_queues = false;  ///< EmitOptions::dynamic_queues, wished for or because DRAM was full without
};

struct EmitOptions {
    DramPlacement placement = DramPlacement::LeastTraffic;
    std::int64_t chips = 1;                          ///< epochs go to them in order (pipeline parallel)
    bool keep_names = false;                         ///< queues of outputs are called as those, without "out_"
    bool host_inputs = false, host_outputs = false;  ///< queues of inputs, of outputs lie in the host's memory
    std::map<std::string, std::int64_t> channels;    ///< DRAM channel of single queues
    /// Queues between epochs share memory when they are not in use together; where DRAM is full otherwise they do
    /// anyway.
    bool dynamic_queues = false;
};

/// Throws DramFull when DRAM is full.
EmittedModel emit(const Graph& graph, const Schedule& schedule, const OpBudget& budget, const EmitOptions& options);

}  // namespace ttsim::impl::ir
