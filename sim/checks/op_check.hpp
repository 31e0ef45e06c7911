// --check ops: compares every op with golden on the operands that the machine passed to it, and with golden of the
// whole netlist.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "netlist/golden/golden.hpp"
#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

/// The comparison rule for the result of a single op in this run.
ComparisonRule op_rule(const RunState& state, const Op& op);

class OpCheck {
public:
    OpCheck(const RunState& state, bool strict) : state_(state), strict_(strict) {}
    /// Adds the n-th result of an op in golden of the whole netlist. Thread-safe.
    void add_accumulated(const Op& op, std::int64_t n, const GoldenPart& golden);
    /// Adds the n-th result of golden computed from the machine's operands. Replaces it by the machine's result, for
    /// the ops that read it. Thread-safe.
    void add_local(const Op& op, std::int64_t n, const GoldenPart& golden);
    /// Every op of the run, in the order in which the graphs compute them.
    std::vector<OpCheckReport> reports() const;

private:
    using Comparisons = std::map<std::int64_t, QueueComparison>;  // by n
    struct OpComparisons {
        Comparisons local, accumulated;
        std::int64_t missing = 0;
    };
    void add(const Op& op, std::int64_t n, const GoldenPart& golden, const EntrySpan& actual,
             Comparisons OpComparisons::*to);

    const RunState& state_;
    bool strict_;
    std::mutex mutex_;
    std::map<const Op*, OpComparisons> by_op_;
};

}  // namespace ttsim::impl::sim
