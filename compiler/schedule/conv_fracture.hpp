// Chooses the convolutions that are fractured by the rows of their kernels (decompose-convolution), unless the user
// decides: those whose ops fit on no grid, and those that slow down an epoch, if the estimate improves.
#pragma once

#include <functional>
#include <optional>

#include "compiler/backend/schedule.hpp"
#include "compiler/host/host_program.hpp"
#include "compiler/ir/tiling.hpp"

namespace ttsim::impl::ir {

struct Estimate {
    double cycles = 0;              ///< per input; infinite if an op fits nowhere
    std::int64_t overlay_size = 0;  ///< L1 for more stream descriptions
};

/// A model lowered to device ops.
struct Lowered {
    Graph graph;
    HostProgram host;
    Overrides overrides;                   ///< used for lowering
    std::vector<std::string> notes;        ///< fractured convolutions, one line each
    Graph model;                           ///< without the first host ops, before it is lowered
    std::vector<std::string> unfused_ops;  ///< device ops before fusion
    Tiling tiling;                         ///< used for lowering
    Graph unfused;                         ///< the device graph with formats, before ops are fused or split
    std::vector<IgnoredOverride> ignored_overrides{};
    std::optional<Estimate> estimate{};  ///< of `graph`; nullopt: not known yet
};

/// Names and origins of the model's convolutions with constant weights.
std::vector<std::string> convolution_names(const Graph& model);

/// Extends overrides of convolutions to the nodes that fold-batch-norm makes of them.
Overrides with_batch_norms(const Graph& model, Overrides overrides);

struct FractureSearch {
    std::function<Lowered(const Graph& model, const Overrides&)> lower;
    std::function<Estimate(const Graph&)> estimate;
    std::function<Schedule(const Graph&)> schedule;  ///< for a graph with a finite estimate
};

/// Lowers `model` without and, if that may gain, with fractured convolutions; returns the fastest.
Lowered lower_fractured(const Graph& model, const Overrides& given, const OpBudget& budget,
                        const ScheduleOptions& options, const FractureSearch& search);

}  // namespace ttsim::impl::ir
