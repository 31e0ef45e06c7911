// A compiled model as a value, which `ttsim compile` writes as a folder and runtime::Model runs.
//
//   inputs by name --host--> entries of queues --programs of the netlist--> entries of queues --host--> outputs by name
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compiler/backend/decision.hpp"
#include "compiler/backend/emit.hpp"
#include "compiler/host/host_steps.hpp"
#include "compiler/ir/derivation.hpp"
#include "compiler/ir/overrides.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/model/constant_entry.hpp"
#include "compiler/model/pass_graph.hpp"
#include "compiler/options/target_pcc.hpp"

namespace ttsim::impl::ir {

/// The entry of a constant queue: a weight, or a table made by the compiler.
struct QueueConstant {
    std::string queue;
    ConstantEntry entry;  ///< as the host pushes it: rounded to a format of 16 bits
    bool bits = false;    ///< bit patterns inside floats
};

/// A constant of the model whose values can be replaced: it is used once, and all derived values are known.
struct ModelParameter {
    std::string name;
    Type type;
    LiteralPtr value;
    struct Use {
        std::string queue;   ///< "" = a constant of the host
        std::string host;    ///< the node of that constant
        DerivationPtr from;  ///< derivation from the model's constant
    };
    std::vector<Use> uses;  ///< one on each chip that reads it
};

/// Multiply-adds of a model's products and convolutions, per input.
struct ModelWork {
    double all = 0, host = 0;
};

/// Report of a compilation.
struct CompileReport {
    ModelWork work;
    std::size_t ops = 0, epochs = 0, constants = 0;
    double estimated_cycles = 0;   ///< per input
    std::int64_t saved_bytes = 0;  ///< of training: EmittedModel::saved_bytes
    std::string arch;
    bool validated = false;                          ///< ChipParams::validated of the chip
    std::vector<Decision> decisions;                 ///< per op, with ScheduleOptions::explain
    std::string variant;                             ///< the fastest variant on the simulated chip
    std::vector<std::string> steps;                  ///< improvements by that search
    std::array<SearchUse, search_count> searches{};  ///< what the searches spent, by Search
    int effort = 0;                                  ///< the user's
    std::vector<std::string> notes;                  ///< what was cut into parts, one line each
    std::vector<std::string> host_steps;             ///< one line per host step
    std::map<std::string, double>
        core_cycles;                      ///< per op: core cycles per input on the best grid, with count_core_cycles
    std::optional<FormatSearch> formats;  ///< with CompileOptions::target
    std::vector<IgnoredOverride> ignored_overrides;
};

struct CompiledModel {
    HostSteps host;                      ///< host program, and bindings of boundary values to queues
    Netlist netlist;                     ///< not resolved
    std::vector<ModelProgram> programs;  ///< of the netlist, by role
    std::vector<QueueConstant> constants;
    Values inputs;                   ///< default values of model inputs
    std::optional<Graph> reference;  ///< the model in float32; nullopt if it is too large
    std::string command;             ///< command line of the compilation, the netlist's first line; "" = none
    std::vector<PassGraph> passes;   ///< for inspection; not read by read_folder()

    // not stored in a folder
    std::vector<int> harvested_rows;  ///< NoC rows that its device lacks
    std::string cluster;              ///< descriptor file of its chips; "" = the device's own
    std::vector<ModelParameter> parameters;
    std::vector<TrainedParameter> trained;
    OptimizerSettings optimizer;
    std::int64_t microbatch_count = 1;  ///< of training: most microbatches between two backward programs
    CompileReport report;

    const ModelProgram& forward() const;  ///< throws Error(Input) if there is none
};

/// Throws Error(Input) for an unknown name.
const ModelParameter& find_parameter(const CompiledModel& model, const std::string& name);
/// Replaces the values of a parameter and all derived values. Returns the uses. Throws Error(Input) for an unknown
/// name, or values of another shape or type.
const std::vector<ModelParameter::Use>& replace(CompiledModel& model, const std::string& parameter,
                                                const Literal& value);

/// Whether it has a backward program.
bool is_trained(const CompiledModel& model);

/// Whether both are equal as far as a folder stores them.
bool equal(const CompiledModel& a, const CompiledModel& b);

}  // namespace ttsim::impl::ir
