// The compiler as one function: a graph in, a compiled model out, both in memory.
//
//   graph -> passes of the default pipeline -> "schedule" (epochs, grids, places) -> "emit" (queues, netlist)
//
// A file in and a folder out: model_files.hpp.
#pragma once

#include <functional>
#include <string>

#include "compiler/backend/schedule.hpp"
#include "compiler/compiled_model.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/simulated_run.hpp"
#include "compiler/target_pcc.hpp"
#include "isa/fidelity.hpp"

namespace tt::ir {

struct CompileOptions {
    std::string device = "wh_n150";  ///< product, soc descriptor file, or path of a chip's folder
    DataFormat default_df = DataFormat::Float16_b;
    Fidelity fidelity = Fidelity::HiFi4;
    std::optional<DataFormat> accumulate_df;
    std::vector<FormatRule> rules;  ///< of mixed precision, in order
    bool stable_softmax = true;
    bool fine_steps = true;           ///< quantizers may be in Float16, where Dst has 16 bits and no rules say formats
    bool wide_results = false;        ///< results of a few numbers in 32 bits, where Dst has them
    bool host_fallback = true;        ///< false: what would run on the host is refused
    bool device_comparisons = false;  ///< comparisons stay on the device
    std::vector<int> harvested_rows;  ///< NoC rows the device lacks
    std::string cluster;              ///< descriptor file; "" = the device's own
    bool auto_fusing = true, t_streaming = true;
    std::optional<std::int64_t> conv_fracture;  ///< parts of every convolution; none: where it pays
    bool prestride = true;                      ///< the host may lay out the windows of a first convolution
    Fusing fuse_gelu = Fusing::WherePays;
    Loops loops = Loops::WherePays;          ///< written out where there is no host fallback
    std::vector<std::string> intermediates;  ///< ops of the lowered model whose results are outputs too
    bool keep_names = false;                 ///< ops of the netlist are called as those of the model
    Overrides overrides;                     ///< by op of the netlist
    bool ignore_unknown = false;             ///< overrides of ops that are not there become notes
    ScheduleOptions schedule;                ///< its overrides are those above
    EmitOptions emit;
    std::int64_t microbatch = 1;  ///< inputs of one execute
    /// To run with by default; others are generated. With a target they may have one axis more in front: all samples
    /// are measured, the first is what the model has.
    Values inputs;
    std::uint32_t seed = 0;           ///< of inputs that are not given
    bool keep_passes = false;         ///< CompiledModel::passes
    bool round_constants = true;      ///< to their formats, for the push; false: for values in float32 alone
    bool balance_rounding = true;     ///< biases make up for what rounding takes from weights
    bool count_core_cycles = false;   ///< fill CompileReport::core_cycles
    std::optional<TargetPcc> target;  ///< formats and fidelities are chosen by measuring; none: as said above
    unsigned threads = 0;             ///< of the compiler; 0: one per processor. No result depends on it
    bool hold_repeats = true;         ///< constants that repeat are held once, where that is estimated quicker
    bool splice_columns = true;       ///< columns are put side by side without products, where that is
    int effort = 1;     ///< 0 to 3: schedules that are tried, from 2 on by running them on the simulated chip
    Simulate simulate;  ///< the simulated policy and effort 2 and 3 need it; effort 1 then runs a few as well
    /// Told before each run of a search: its number, and cycles of the best so far; 0: none yet.
    std::function<void(std::int64_t run, double best_cycles)> on_simulation;
    /// Whether schedules are run to find the best.
    bool simulates() const { return effort >= 2 || schedule.policy == Policy::Simulated; }
};

/// Throws Error: Input (2) for a device, an override or an input that does not fit, Unsupported (4).
CompiledModel compile(Graph model, const CompileOptions& options);

/// Values of an input that nobody gave: small numbers; where the type is whole from 0 to below `below`.
Literal generated(const Type& type, std::uint32_t seed, std::int64_t below = 10);

/// What a compiled model calls its device: a chip given by its path has a name where that leads to it, else its file.
std::string device_name(const std::string& device);

// --- step by step --------------------------------------------------------------------------------------------------

/// How far a model is.
struct CompileState {
    Graph graph;                                ///< what the last pass left
    HostProgram host;                           ///< what cut-host took out of it
    std::vector<std::string> notes;             ///< what was cut into parts, one line each
    std::vector<PassGraph> passes;              ///< with keep_passes, of a placed model
    std::optional<Schedule> schedule;           ///< from the step "schedule" on; one that can be emitted
    std::optional<EmittedModel> emitted;        ///< after the step "emit"
    std::map<std::string, double> core_cycles;  ///< CompileReport::core_cycles
};

/// In order: the passes of the default pipeline (its second time a pass is called NAME-2), "schedule", "emit".
std::vector<std::string> compile_steps();
/// A step's place among them. Throws Error(Input) for a name that is none.
std::size_t step_number(const std::string& step);

/// Stops behind a step. Throws as compile() does, and Error(Input) for a name that is none.
CompileState compile_until(Graph model, const CompileOptions& options, const std::string& step);

}  // namespace tt::ir
