// --target-pcc: options and report of the search for formats by measurements.
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

/// A request to run a compiled model in a functional simulation.
struct Measurement {
    Values inputs;            ///< of the model; several samples have a leading axis
    bool in_float32 = false;  ///< no rounding
    bool by_op = false;       ///< also measure each op
};
struct Measured {
    Values outputs;  ///< several samples have a leading axis
    /// Per netlist op: 1 / PCC^2 - 1 of its results, the ratio of error power to signal power. `alone`: compared with
    /// golden on the op's actual operands. `so_far`: compared with golden of the whole netlist.
    std::map<std::string, double> alone, so_far;
};

struct TargetPcc {
    double pcc = 0.99;         ///< required of each output and sample, compared with the model in float32
    std::int64_t trials = 24;  ///< limit of simulations
    bool any_family = false;   ///< formats of both families are allowed
    std::function<Measured(const CompiledModel&, const Measurement&)> measure;
    std::function<double(const CompiledModel&)> cycles;  ///< of an execute in timing mode
    std::function<void(const std::string& stage, double share)>
        progress;  ///< reports the share of trials done; may be empty
};

/// The formats chosen for an op.
struct OpFormat {
    std::string op, type;
    DataFormat output = DataFormat::Float16_b;
    std::optional<DataFormat> weights;
    std::optional<Fidelity> fidelity;
    double share = 0;        ///< share of the total loss by formats
    double cycles = 0;       ///< estimated core cycles per input
    double most_cycles = 0;  ///< with the most accurate formats
};

/// The result of the search.
struct FormatSearch {
    double target = 0, pcc = 0;  ///< requested; reached on the samples
    std::int64_t samples = 1, trials = 0;
    bool reached() const { return pcc >= target; }
    std::string first_below;         ///< if not reached: the first op whose results are below the target
    std::vector<OpFormat> ops;       ///< in netlist order
    FormatRules rules;               ///< rules that reproduce these formats
    std::vector<std::string> steps;  ///< trials, one line each
};

}  // namespace ttsim::impl::ir
