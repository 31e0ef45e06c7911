// Emits a placed graph as a netlist: queues with DRAM addresses, graphs and programs.
#pragma once

#include <map>

#include "compiler/backend/dram.hpp"
#include "compiler/backend/schedule.hpp"
#include "compiler/ir/derivation.hpp"

namespace ttsim::impl::ir {

/// A binding of a model tensor to a queue.
struct BoundTensor {
    std::string name;  ///< model input or output
    std::string queue;
    Type type;                            ///< type in the model
    DataFormat df = DataFormat::Float32;  ///< format of the queue
    std::int64_t rt = 0, ct = 0;          ///< tiles of a slice of an input entry; 0: the minimum for its elements
    std::int64_t iterations =
        0;  ///< of a part that loops, with an entry per iteration that together are [iterations, ...]; 0: no loop
    std::size_t entries_per_sample() const { return iterations > 0 ? static_cast<std::size_t>(iterations) : 1; }
    /// Type of the model tensor, with all iterations.
    Type full_type() const {
        Type all = type;
        if (iterations > 0) all.dims.insert(all.dims.begin(), iterations);
        return all;
    }
    friend bool operator==(const BoundTensor&, const BoundTensor&) = default;
};

/// The role of a netlist program for the model.
enum class ProgramRole : std::uint8_t { Forward, Backward, Optimizer };
struct ModelProgram {
    ProgramRole role = ProgramRole::Forward;
    std::int64_t index = 0;  ///< order of execution among programs of a role; each runs one device part
    std::string name;        ///< in the netlist
    std::string executes;    ///< name of its parameter with the number of microbatches; "": none
    std::string zero{};      ///< of a backward program: name of its parameter that clears the summed gradients first
    friend bool operator==(const ModelProgram&, const ModelProgram&) = default;
};

/// Values of a constant queue as [z, rows, cols].
struct QueueValues {
    std::string queue;
    LiteralPtr values;
    bool bits = false;  ///< bit patterns inside floats
    std::shared_ptr<const Derivation> derivation{};
};

/// Memory of the device for a parameter that is trained.
struct TrainedParameter {
    std::string name;                             ///< in the model
    std::string ram;                              ///< its values
    std::string gradient;                         ///< sums of its gradients
    std::string learning_rate;                    ///< one element; "": no optimizer on the device
    Type type{};                                  ///< in the model; with row_count, of these rows
    DerivationPtr from{};                         ///< how `ram` and `gradient` hold the elements of the model's tensor
    std::map<std::string, std::string> states{};  ///< rams of the optimizer's state, held as `ram` is, by its kind
    std::string correction{};                     ///< one element, correction_of_step(); "": the optimizer has none
    std::string epsilon{};                        ///< one element, epsilon_of_step(); "": the optimizer has none
    /// If several parameters of this name hold the rows of the model's tensor: those of this one. Else row_count is 0.
    std::int64_t first_row = 0, row_count = 0;
};

struct EmittedModel {
    Netlist netlist;
    std::vector<BoundTensor> inputs, outputs;
    std::vector<QueueValues> constants;
    std::vector<ModelProgram> programs;
    std::vector<TrainedParameter> trained;
    bool dynamic_queues = false;   ///< EmitOptions::dynamic_queues, as requested or because DRAM would be full
    std::int64_t saved_bytes = 0;  ///< of training: DRAM of values that the forward program saves for the backward one
};

struct EmitOptions {
    DramPlacement placement = DramPlacement::LeastTraffic;
    std::int64_t chips = 1;    ///< epochs are assigned to chips in order (pipeline parallel)
    bool fewer_chips = false;  ///< with fewer epochs than chips, one chip per epoch
    /// Training: most microbatches that the forward program runs before the backward program.
    std::int64_t microbatch_count = 1;
    bool keep_names = false;                         ///< output queues have the names of outputs, without "out_"
    bool host_inputs = false, host_outputs = false;  ///< input queues, output queues are in host memory
    std::map<std::string, std::int64_t> channels;    ///< DRAM channels by queue
    /// Queues between epochs may share memory if they are not in use at the same time. Enabled automatically if DRAM is
    /// full otherwise.
    bool dynamic_queues = false;
};

/// Throws DramFull.
EmittedModel emit(const Graph& graph, const Schedule& schedule, const OpBudget& budget, const EmitOptions& options);

}  // namespace ttsim::impl::ir
