// Comparison of a run's output queues with golden.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "netlist/golden/golden.hpp"
#include "sim/settings/run_options.hpp"
#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

/// Compares one output queue with golden, entry by entry.
class OutputComparison {
public:
    OutputComparison(RunState& state, const Queue& queue, const RunOptions& run);
    /// Adds golden's entry n, or a part of it, in order. An entry that the run did not write fails the queue.
    void expect(std::int64_t n, const GoldenPart& golden);
    /// Called after the last entry. The run may have written `count` entries; one that golden does not have fails the
    /// queue.
    void close(std::int64_t count);
    OutputReport report() const;

    /// Whether golden must be computed with perturbed inputs, to detect ill-conditioned outputs.
    bool in_doubt() const;
    /// Adds entries of golden with perturbed inputs, in any order.
    void expect_perturbed(std::int64_t n, const GoldenPart& moved);

private:
    RunState& state_;
    const Queue& queue_;
    bool strict_;
    std::optional<double> least_pcc_;
    ComparisonRule rule_;
    OutputReport report_;
    ComparedPart part_;
    std::unique_ptr<QueueComparison> comparison_, moved_;
    std::set<std::int64_t> expected_;
    std::int64_t undefined_before_ = 0;  // undefined elements before the current entry
    NonFinite undefined_;                // candidate for report_.golden_non_finite
    struct Doubtful {
        std::int64_t entry, first;
        Tensor slices;
    };
    std::vector<Doubtful> doubtful_;  // golden values of some failed entries or parts
};

/// Runs golden and fills RunReport::outputs. With Numerics::Float32, golden is also computed from perturbed inputs for
/// outputs that mismatch.
void check_outputs(RunState& state, const RunOptions& run);

/// Scans the outputs for NaNs and infinities, without golden.
void scan_outputs(RunState& state);

/// Number of entries of a queue that the run may have written.
std::int64_t entries_of(const RunState& state, const Queue& queue);

}  // namespace ttsim::impl::sim
