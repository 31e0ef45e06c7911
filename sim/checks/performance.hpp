// The netlist's performance-check section: comparison of expected and measured figures.
//
// Figures, as docs/netlist.md has them: cycles-per-tensor is the time from a graph's first input to its last, each
// taken when the last of its cores has packed it, divided by the inputs between; tensors-per-second is the clock
// divided by it. execution-cycles is first unpack to last pack of one input on one core, math-utilization the
// percentage of it in which FPU or SFPU is busy; both are averages over the target cores and target inputs. output-bw
// (input0-bw) is what a core packs (unpacks) between its first and last input, by their last packs (first unpacks), in
// GB/s (10^9 bytes), average over the target cores. backend-samples-per-second counts the inputs of the graph with most
// of them over the whole run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "netlist/netlist.hpp"
#include "netlist/plan/plan.hpp"

namespace ttsim::impl::sim {

struct RunReport;

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

/// Throws Error(Input) when the section names programs or ops that do not exist. Returns a note for each check that is
/// skipped because its graph does not exist.
std::vector<std::string> check_performance_names(const Netlist& netlist);
std::vector<PerformanceFigure> measure(const Netlist& netlist, const RunReport& report, const InputRecord& record);

}  // namespace ttsim::impl::sim
