// Two traces side by side: what of the one became slower, faster, busier or idle in the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/reader.hpp"

namespace ttsim::impl::trace {

/// One thing in both runs, or in one of them.
struct Difference {
    std::string name;                     ///< graphs of an epoch, "op (graph)", or a resource
    std::optional<double> before, after;  ///< nothing: that run has none of the name
    bool common() const { return before && after; }
    double cycles() const { return after.value_or(0) - before.value_or(0); }
    /// Of `before`: 0.1 is 10 % more; nothing when only one run has it or there was none before.
    std::optional<double> change() const;
    /// It takes more by over that share of what it took.
    bool above(double threshold) const { return common() && *after > *before * (1 + threshold); }
};

struct RunDiff {
    RunInfo before, after;
    Difference cycles;                  ///< of the runs
    std::vector<Difference> epochs;     ///< cycles, all launches of the same graphs added up
    std::vector<Difference> ops;        ///< cycles per input: bw_kernel (see OpUse)
    std::vector<Difference> resources;  ///< busy cycles
    std::vector<std::string> notes;     ///< what makes the two hard to compare
};

/// Largest difference first in each list.
RunDiff diff(Reader& before, Reader& after);

}  // namespace ttsim::impl::trace
