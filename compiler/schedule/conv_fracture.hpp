// Which convolutions of a model are cut into parts by the rows of their kernels (decompose-convolution), where the user
// leaves it to the compiler: those whose ops fit nowhere whole, and those that hold up an epoch, if the estimate of the
// cut model is the lower one.
#pragma once

#include <functional>

#include "compiler/backend/schedule.hpp"
#include "compiler/host/host_program.hpp"
#include "compiler/ir/tiling.hpp"

namespace ttsim::impl::ir {

/// A model on device level.
struct Lowered {
    Graph graph;
    HostProgram host;
    Overrides overrides;                       ///< those it was made with
    std::vector<std::string> notes;            ///< what was cut, one line each
    std::vector<std::string> integer_indices;  ///< integer_warnings() of the device's part
    std::vector<std::string> apart;            ///< ops of the device before elementwise ones became one
    Tiling tiling;                             ///< that it was made with
    Graph unfused;                             ///< of the device, with its formats, before ops became one or several
};

/// Every try of another form schedules the whole model: of one with more device ops, such as a quantized network, one
/// part would gain little.
constexpr std::size_t most_ops_tried_again = 2000;

/// Names of the model's convolutions with constant weights: the nodes', and those in the model they come from.
std::vector<std::string> convolution_names(const Graph& model);

/// What overrides say of a convolution is said of the one that fold-batch-norm makes of it, too.
Overrides with_batch_norms(const Graph& model, Overrides overrides);

struct Estimate {
    double cycles = 0;              ///< an input takes; infinite where an op fits nowhere
    std::int64_t overlay_size = 0;  ///< L1 it needs for more stream descriptions
};

struct FractureSearch {
    std::function<Lowered(const Graph& model, const Overrides&)> lower;
    std::function<Estimate(const Graph&)> estimate;
    std::function<Schedule(const Graph&)> schedule;  ///< of a graph whose estimate is finite
};

/// Lowers `model` whole and, where some of its convolutions may gain, in parts: the quickest.
Lowered lower_fractured(const Graph& model, const Overrides& given, const OpBudget& budget,
                        const ScheduleOptions& options, const FractureSearch& search);

}  // namespace ttsim::impl::ir
