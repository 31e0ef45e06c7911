// What a run left in its output queues, held against golden.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "netlist/golden/golden.hpp"
#include "sim/run_state.hpp"

namespace ttsim::impl::sim {

/// The verdict over one output queue, entry by entry.
class OutputJudge {
public:
    OutputJudge(RunState& state, const Queue& queue, bool strict);
    /// Entry n as golden has it, or a part of it; all come in order. One that the run has not left fails the queue.
    void expect(std::int64_t n, const GoldenPart& golden);
    /// After the last entry: `count` entries the run may have left. One golden does not have fails the queue.
    void close(std::int64_t count);
    OutputReport report() const;

    /// Whether golden shall be asked how far it moves when its inputs do.
    bool in_doubt() const;
    /// The same of golden with perturbed inputs, in any order.
    void expect_perturbed(std::int64_t n, const GoldenPart& moved);

private:
    RunState& state_;
    const Queue& queue_;
    bool strict_;
    ComparisonRule rule_;
    OutputReport report_;
    JudgedPart part_;
    std::unique_ptr<QueueComparison> comparison_, moved_;
    std::set<std::int64_t> expected_;
    std::int64_t undefined_before_ = 0;  // elements, before the present entry
    NonFinite undefined_;  // of golden, as report_.golden_non_finite will be if the present entry has some
    struct Doubtful {
        std::int64_t entry, first;
        Tensor slices;
    };
    std::vector<Doubtful> doubtful_;  // some entries, or parts of such, that failed, as golden has them
};

/// Runs golden and fills RunReport::outputs. Under Numerics::Float32, outputs that mismatch are computed once more from
/// perturbed inputs.
void check_outputs(RunState& state, const RunOptions& run);

/// Without a check: outputs are only looked through for NaNs and infinities.
void look_through_outputs(RunState& state);

/// Entries of a queue that the run may have left.
std::int64_t entries_of(const RunState& state, const Queue& queue);

}  // namespace ttsim::impl::sim
