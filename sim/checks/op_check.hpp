// --check ops: every op against golden on the operands that the machine fed it, and against golden of the whole
// netlist.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "netlist/golden/golden.hpp"
#include "sim/run_state.hpp"

namespace ttsim::impl::sim {

/// How the result of an op by itself is compared in this run.
ComparisonRule op_rule(const RunState& state, const Op& op);

class OpCheck {
public:
    OpCheck(const RunState& state, bool strict) : state_(state), strict_(strict) {}
    /// The n-th result of an op in golden of the whole netlist. From any thread.
    void add_accumulated(const Op& op, std::int64_t n, const GoldenPart& golden);
    /// The same in golden whose operands are the machine's; puts the machine's result in golden's place, for the ops
    /// that read it.
    void add_local(const Op& op, std::int64_t n, const GoldenPart& golden);
    /// Every op of the run, in the order in which the graphs compute them.
    std::vector<OpCheckReport> reports() const;

private:
    using Comparisons = std::map<std::int64_t, QueueComparison>;  // by n
    struct Found {
        Comparisons local, accumulated;
        std::int64_t missing = 0;
    };
    void add(const Op& op, std::int64_t n, const GoldenPart& golden, const EntrySpan& actual, Comparisons Found::*to);

    const RunState& state_;
    bool strict_;
    std::mutex mutex_;
    std::map<const Op*, Found> found_;
};

}  // namespace ttsim::impl::sim
