// --check ops: results of every op of a run, per input.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "netlist/program/queue_state.hpp"
#include "sim/values/compute.hpp"

namespace ttsim::impl::sim {

/// Filled by the engines, from their thread. The n-th result of an op belongs to the n-th input of its graph, counted
/// over all executes.
class OpResults {
public:
    explicit OpResults(Numerics numerics) : numerics_(numerics) {}

    /// Called at the start of a launch with its plan.
    void begin(const EpochLaunch& launch, const Plan& plan);
    /// Adds the block that one core computes for one slice of the n-th result.
    void add(const Compute& compute, const PlanOp& op, std::size_t core, std::int64_t slice, std::int64_t n,
             const BlockPtr& block);
    /// Number of the first input of the launch that began last for the op's graph.
    std::int64_t first_of(const PlanOp& op) const;

    /// The n-th result of an op, all slices of all cores; no value when it was not computed. Call after the run only.
    std::optional<EntrySpan> at(const Op& op, std::int64_t n) const;
    /// Ops in the order in which their graphs compute them.
    const std::vector<const Op*>& ops() const { return order_; }

private:
    Numerics numerics_;
    struct Count {
        std::int64_t first = 0, inputs = 0;
    };
    std::map<const Graph*, Count> counts_;
    std::map<std::pair<const Op*, std::int64_t>, EntryPtr> results_;
    std::vector<const Op*> order_;
    std::set<const Op*> known_;
};

}  // namespace ttsim::impl::sim
