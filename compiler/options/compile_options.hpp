// What a compilation may be told: every option with its default.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/backend/schedule.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/options/simulated_run.hpp"
#include "compiler/options/target_pcc.hpp"
#include "isa/fidelity.hpp"

namespace ttsim::impl::ir {

struct CompileOptions {
    std::string device = "wh_n150";  ///< product, soc descriptor file, or path of a chip's folder
    DataFormat default_df = DataFormat::Float16_b;
    Fidelity fidelity = Fidelity::HiFi4;
    std::optional<DataFormat> accumulate_df;
    std::vector<FormatRule> rules;  ///< of mixed precision, in order
    bool stable_softmax = true;
    bool fp16_quantizers = true;      ///< quantizers may be in Float16, where Dst has 16 bits and no rules say formats
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
    bool bias_correction = true;      ///< biases make up for what rounding takes from weights
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

}  // namespace ttsim::impl::ir
