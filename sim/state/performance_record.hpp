// What a run records for the netlist's performance-check section (sim/checks/performance.hpp has its figures).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "netlist/netlist.hpp"
#include "netlist/plan/plan.hpp"

namespace ttsim::impl::sim {

/// Whether `target` of the section matches `name`: equal matches, or matches that differ only in the instance suffix of
/// copies on several chips.
bool is_performance_target(const std::string& target, const std::string& name);
/// Whether a metric of the section is measured per core and input.
bool is_per_core_metric(const std::string& metric);

/// One figure of the section. It is met when it is within expected * (1 +- rtol) and at least min_bound; a bound of 0
/// is not checked.
struct PerformanceFigure {
    std::string check, metric;
    double expected = 0, rtol = 0, min_bound = 0, measured = 0;
    bool judged() const { return expected != 0 || min_bound != 0; }
    bool met() const;
};

/// Times of one core for one input, in cycles.
struct InputTimes {
    std::uint64_t first_unpack = ~std::uint64_t{0}, last_pack = 0;
    std::uint64_t math = 0;  ///< instructions of FPU and SFPU, as the chip counts them
};

/// Times per core and input. Recorded only for graphs whose figures need them.
class InputRecord {
public:
    explicit InputRecord(const Netlist& netlist);
    bool wanted(const Graph& graph) const { return cores_.contains(&graph); }
    bool any() const { return !cores_.empty(); }
    struct CoreTimes {
        const PlanOp* op = nullptr;
        std::size_t core = 0;
        std::vector<InputTimes> inputs;  ///< over all executes
    };
    void add(const PlanOp& op, std::size_t core, const std::vector<InputTimes>& inputs);
    const std::vector<CoreTimes>* of(const Graph& graph) const;

private:
    std::map<const Graph*, std::vector<CoreTimes>> cores_;
};

}  // namespace ttsim::impl::sim
