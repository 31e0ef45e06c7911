// --target-pcc: what the compiler needs to choose formats by measuring, and what it says of it afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/host/host_program.hpp"
#include "compiler/ir/format_rules.hpp"

namespace ttsim::impl::ir {

struct CompiledModel;

/// What is asked of a simulator about a compiled model, without a clock.
struct Measurement {
    Values inputs;            ///< of the model; with one axis more in front so many samples
    bool in_float32 = false;  ///< nothing is rounded
    bool by_op = false;       ///< each op by itself as well
};
struct Measured {
    Values outputs;  ///< of several samples along a new first axis
    /// By op of the netlist: 1 / PCC^2 - 1 of its results, which is the power of what differs over that of the whole;
    /// of golden on the operands that the op was fed, and of golden of the whole netlist.
    std::map<std::string, double> alone, so_far;
};

struct TargetPcc {
    double pcc = 0.99;         ///< of each output and sample, with the model in float32
    std::int64_t trials = 24;  ///< most simulations
    bool any_family = false;   ///< nobody says that formats are to be of the default's family
    std::function<Measured(const CompiledModel&, const Measurement&)> measure;
    std::function<double(const CompiledModel&)> cycles;                    ///< of an execute, in timing mode
    std::function<void(const std::string& stage, double share)> progress;  ///< of the trials; empty: quiet
};

/// How an op was set, and why.
struct OpFormat {
    std::string op, type;
    DataFormat output = DataFormat::Float16_b;
    std::optional<DataFormat> weights;
    std::optional<Fidelity> fidelity;
    double share = 0;        ///< of what the formats of all ops lose
    double cycles = 0;       ///< of one core, estimated, for an input; of all cores together
    double most_cycles = 0;  ///< with the most accurate formats
};

/// What the search found.
struct FormatSearch {
    double target = 0, pcc = 0;  ///< asked; reached on the samples
    std::int64_t samples = 1, trials = 0;
    bool reached() const { return pcc >= target; }
    std::string first_below;         ///< not reached: the first op whose results are below the target
    std::vector<OpFormat> ops;       ///< in order of the netlist
    FormatRules rules;               ///< that give the same formats again
    std::vector<std::string> steps;  ///< what was tried, one line each
};

}  // namespace ttsim::impl::ir
