// A model compiled for a device, as a value: what `ttsim compile` writes as a folder and runtime::Model runs.
//
//   inputs by name --host--> entries of queues --programs of the netlist--> entries of queues --host--> outputs by name
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/backend/decision.hpp"
#include "compiler/backend/emit.hpp"
#include "compiler/host/host_steps.hpp"
#include "compiler/ir/derivation.hpp"
#include "compiler/model/constant_entry.hpp"
#include "compiler/model/pass_graph.hpp"
#include "compiler/options/target_pcc.hpp"

namespace ttsim::impl::ir {

/// The entry of a queue that no run changes: a weight, or a table that the compiler made.
struct QueueConstant {
    std::string queue;
    ConstantEntry entry;  ///< as the host pushes it: rounded to a format of 16 bits
    bool bits = false;    ///< bit patterns inside floats
};

/// A constant of the model whose values can be replaced: it is used once, and all that comes of it is known.
struct ModelParameter {
    std::string name;
    Type type;
    LiteralPtr value;
    struct Use {
        std::string queue;   ///< "" = a constant of the host
        std::string host;    ///< that one's node
        DerivationPtr from;  ///< the model's constant -> what is there
    };
    std::vector<Use> uses;  ///< one on each chip that reads it
};

/// Multiply-adds of a model's products and convolutions, for an input.
struct ModelWork {
    double all = 0, host = 0;
};

/// What was decided.
struct CompileReport {
    ModelWork work;
    std::size_t ops = 0, epochs = 0, constants = 0;
    double estimated_cycles = 0;  ///< per input
    std::string arch;
    std::vector<Decision> decisions;            ///< per op, when the schedule's options ask for them
    std::string variant;                        ///< of those tried on the simulated chip: what was quickest
    std::vector<std::string> steps;             ///< of that search, which won something
    std::vector<std::string> notes;             ///< what was cut into parts, one line each
    std::vector<std::string> host_steps;        ///< what the host does, one line each
    std::map<std::string, double> core_cycles;  ///< by op, of all its cores for an input on the best grid; if asked for
    std::optional<FormatSearch> formats;        ///< with CompileOptions::target
};

struct CompiledModel {
    HostSteps host;                      ///< what the host does, and which queues its values go through
    Netlist netlist;                     ///< not resolved
    std::vector<ModelProgram> programs;  ///< of the netlist, by their role
    std::vector<QueueConstant> constants;
    Values inputs;                   ///< of the model, to use where none are given
    std::optional<Graph> reference;  ///< the model in float32; none: too large
    std::string command;             ///< that made it, the netlist's first line; "" = none
    std::vector<PassGraph> passes;   ///< to look at; read_folder() leaves them where they are

    // what a folder does not hold
    std::vector<int> harvested_rows;  ///< NoC rows that its device lacks
    std::string cluster;              ///< descriptor file of its chips; "" = the device's own
    std::vector<ModelParameter> parameters;
    CompileReport report;

    const ModelProgram& forward() const;  ///< throws Error(Input) when there is none
};

/// Throws Error(Input) for a name that is no parameter.
const ModelParameter& find_parameter(const CompiledModel& model, const std::string& name);
/// Other values for a parameter: of it, and of all that comes of it. Returns the uses. Throws Error(Input) for a name
/// that is none, or values of another shape or type.
const std::vector<ModelParameter::Use>& replace(CompiledModel& model, const std::string& parameter,
                                                const Literal& value);

/// Whether both run the same: of what a folder holds.
bool equal(const CompiledModel& a, const CompiledModel& b);

}  // namespace ttsim::impl::ir
