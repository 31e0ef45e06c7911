// Comparison of two traces: differences of epochs, ops and resources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/reader.hpp"

namespace ttsim::impl::trace {

/// A figure of an epoch, op or resource in both runs, or in one of them.
struct Difference {
    std::string name;                     ///< graphs of an epoch, "op (graph)", or a resource
    std::optional<double> before, after;  ///< no value: that run has nothing with this name
    bool common() const { return before && after; }
    double cycles() const { return after.value_or(0) - before.value_or(0); }
    /// Relative change: 0.1 is 10 % more than `before`; no value when only one run has it or `before` is 0.
    std::optional<double> change() const;
    /// Whether `after` exceeds `before` by more than this fraction.
    bool above(double threshold) const { return common() && *after > *before * (1 + threshold); }
};

struct RunDiff {
    RunInfo before, after;
    Difference cycles;                  ///< cycles of the runs
    std::vector<Difference> epochs;     ///< cycles, summed over all launches of the same graphs
    std::vector<Difference> ops;        ///< cycles per input: bw_kernel (see OpUse)
    std::vector<Difference> resources;  ///< busy cycles
    std::vector<std::string> notes;     ///< reasons why the two runs are hard to compare
};

/// Largest difference first in each list.
RunDiff diff(Reader& before, Reader& after);

}  // namespace ttsim::impl::trace
