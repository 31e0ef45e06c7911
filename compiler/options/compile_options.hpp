// The options of a compilation, with defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/backend/schedule.hpp"
#include "compiler/ir/lowered_op.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/options/simulated_run.hpp"
#include "compiler/options/target_pcc.hpp"
#include "isa/fidelity.hpp"

namespace ttsim::impl::ir {

struct CompileCaches;  // compiler/model/compile_caches.hpp

struct CompileOptions {
    std::string device = "wh_n150";  ///< product, soc descriptor file, or path of a chip folder
    DataFormat default_df = DataFormat::Float16_b;
    Fidelity fidelity = Fidelity::HiFi4;
    std::optional<DataFormat> accumulate_df;
    std::vector<FormatRule> rules;  ///< mixed precision rules, in order
    bool stable_softmax = true;
    bool fp16_quantizers = true;      ///< quantizers may use Float16, if Dst has 16 bits and no rules set formats
    bool wide_results = false;        ///< small results in 32 bits, if Dst supports them
    bool host_fallback = true;        ///< false: ops that need the host are refused
    bool device_comparisons = false;  ///< comparisons stay on the device
    std::vector<int> harvested_rows;  ///< NoC rows that the device lacks
    std::string cluster;              ///< descriptor file; "" = the device's own
    bool auto_fusing = true, t_streaming = true;
    std::optional<std::int64_t> conv_fracture;  ///< parts of every convolution; nullopt: decided by estimates
    bool prestride = true;                      ///< the host may arrange the windows of a first convolution
    bool prestride_if_refused = false;          ///< it may do so for a model that is refused without
    Fusing fuse_gelu = Fusing::IfProfitable;
    Loops loops = Loops::IfProfitable;       ///< always unrolled without host fallback
    std::vector<std::string> skip_passes;    ///< optional passes of the pipeline that do not run
    std::vector<std::string> intermediates;  ///< ops of the lowered model whose results become outputs
    bool keep_names = false;                 ///< netlist ops have the names of model ops
    Overrides overrides;                     ///< by netlist op
    bool ignore_unknown = false;             ///< overrides of unknown ops become notes instead of errors
    /// If set, called once with the ops of the lowered model; returns overrides that are added to `overrides`.
    std::function<Overrides(const std::vector<LoweredOp>&)> choose_overrides;
    bool drop_impossible_slices = false;  ///< slices of `overrides` that an op cannot have: ignored, not errors
    ScheduleOptions schedule;             ///< its overrides are replaced by those above
    EmitOptions emit;
    std::int64_t microbatch = 1;  ///< inputs of one execute
    /// Default values of inputs; missing ones are random. With a target they may have a leading axis of samples: all
    /// are measured, and the first is stored in the model.
    Values inputs;
    std::uint32_t seed = 0;       ///< of random inputs
    bool keep_passes = false;     ///< CompiledModel::passes
    bool round_constants = true;  ///< round constants to their formats, for the push; false: only for runs in float32
    bool bias_correction = true;  ///< biases compensate the mean error of rounded weights
    bool count_core_cycles = false;           ///< fill CompileReport::core_cycles
    std::optional<TargetPcc> target;          ///< choose formats and fidelities by measurements; nullopt: as set above
    std::optional<TrainingRequest> training;  ///< nullopt: for inference
    /// Least number of parameters that hold the rows of a trained constant; of others as many as L1 needs.
    std::map<std::string, std::int64_t> divided;
    unsigned threads = 0;                   ///< of the compiler; 0: one per processor. Results do not depend on it
    bool use_kernel_broadcasts = true;      ///< L1 holds repeating constants once, if the estimate is faster
    bool splice_columns = true;             ///< concatenate columns without products, if that is faster
    int effort = 1;                         ///< 0 to 3: number of schedules to try; from 2 on they are simulated
    std::shared_ptr<CompileCaches> caches;  ///< of nested compilations; null: none are shared
    Simulate simulate;  ///< needed by the simulated policy and efforts 2 and 3; effort 1 uses it if present
    /// Called before each run of a search with its number and the cycles of the best run; 0: none yet.
    std::function<void(std::int64_t run, double best_cycles)> on_simulation;
    /// Whether the search runs schedules on the simulated chip.
    bool simulates() const { return effort >= 2 || schedule.policy == Policy::Simulated; }
};

}  // namespace ttsim::impl::ir
