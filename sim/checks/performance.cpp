#include "sim/checks/performance.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "netlist/checks/instances.hpp"

namespace ttsim::impl::sim {

using CoreTimes = InputRecord::CoreTimes;

static constexpr double bytes_per_gb = 1e9;

// --- figures -------------------------------------------------------------------------------------------------------

namespace {

/// Averages over the target cores and inputs of one check.
class Targets {
public:
    Targets(const PerformanceCheck& check, const Netlist& netlist, const InputRecord& record)
        : check_(check), everything_(check.target_ops.empty() && check.target_cores.empty()) {
        for (const Graph& graph : netlist.graphs) {
            const std::vector<CoreTimes>* cores = record.of(graph);
            if (!cores || (!check.graph.empty() && !is_performance_target(check.graph, graph.name))) continue;
            for (const CoreTimes& core : *cores)
                if (targeted(core)) add(core);
        }
    }
    double cycles() const { return mean(cycles_); }
    double utilization() const { return mean(utilization_); }
    double input0() const { return mean(input0_); }  // bytes per cycle
    double output() const { return mean(output_); }

private:
    struct Sum {
        double of = 0;
        std::int64_t n = 0;
    };
    static double mean(const Sum& sum) { return sum.n == 0 ? 0 : sum.of / static_cast<double>(sum.n); }
    static void put(Sum& sum, double value) {
        sum.of += value;
        ++sum.n;
    }
    static bool has(const std::vector<std::string>& list, const std::string& name) {
        return std::any_of(list.begin(), list.end(),
                           [&](const std::string& target) { return is_performance_target(target, name); });
    }

    bool targeted(const CoreTimes& core) const {
        const Op& op = *core.op->op;
        const auto at = static_cast<std::int64_t>(core.core);
        const std::int64_t r = at / op.cfg.out.grid_c, c = at % op.cfg.out.grid_c;
        const std::string place = fmt::format("{}-{}", op.grid_loc_r + (op.grid_transpose ? c : r),
                                              op.grid_loc_c + (op.grid_transpose ? r : c));
        return everything_ || has(check_.target_ops, op.name()) || has(check_.target_cores, place);
    }

    void add(const CoreTimes& core) {
        const auto count = static_cast<std::int64_t>(core.inputs.size());
        if (check_.target_inputs.empty())
            for (const InputTimes& input : core.inputs) add(input);
        for (const std::int64_t n : check_.target_inputs) {
            const std::int64_t at = n < 0 ? count + n : n;
            if (at >= 0 && at < count) add(core.inputs[static_cast<std::size_t>(at)]);
        }
        if (count > 0) add_rates(core);
    }

    void add(const InputTimes& input) {
        if (input.last_pack <= input.first_unpack) return;
        const auto cycles = static_cast<double>(input.last_pack - input.first_unpack);
        put(cycles_, cycles);
        put(utilization_, static_cast<double>(input.math) / cycles);
    }

    /// Rates from the first to the last input; for a single input over its own time.
    void add_rates(const CoreTimes& core) {
        const PlanOp& op = *core.op;
        const InputTimes &first = core.inputs.front(), &last = core.inputs.back();
        const bool one = core.inputs.size() == 1;
        const double inputs = one ? 1 : static_cast<double>(core.inputs.size() - 1);
        const auto rate = [&](std::int64_t bytes, std::uint64_t from, std::uint64_t to) {
            return to > from ? static_cast<double>(bytes) * inputs / static_cast<double>(to - from) : 0;
        };
        put(output_,
            rate(op.input_tiles() * op.out_tile_bytes, one ? first.first_unpack : first.last_pack, last.last_pack));
        if (op.operands.empty()) return;
        const PlanOperand& operand = op.operands.front();
        std::int64_t tiles = 0;
        for (const std::uint32_t chunk : operand.pipes[operand.pipe_of_core[core.core]].chunk_tiles) tiles += chunk;
        put(input0_, rate(tiles * operand.tile_bytes, first.first_unpack, one ? last.last_pack : last.first_unpack));
    }

    const PerformanceCheck& check_;
    bool everything_;
    Sum cycles_, utilization_, input0_, output_;
};

double cycles_per_tensor(const PerformanceCheck& check, const RunReport& report) {
    double cycles = 0, inputs = 0;
    for (const GraphReport& graph : report.graphs) {
        if (!check.graph.empty() && !is_performance_target(check.graph, graph.name)) continue;
        const bool one = graph.inputs < 2 || graph.last_input_packed <= graph.first_input_packed;
        cycles += static_cast<double>(one ? graph.active_cycles : graph.last_input_packed - graph.first_input_packed);
        inputs += static_cast<double>(one ? graph.inputs : graph.inputs - 1);
    }
    return inputs == 0 ? 0 : cycles / inputs;
}

double figure(const std::string& metric, const PerformanceCheck& check, const Targets& targets,
              const RunReport& report) {
    const double hz = static_cast<double>(report.clock_mhz) * 1e6;
    if (metric == "backend-samples-per-second") return report.end_to_end_per_second;
    if (metric == "math-utilization") return 100 * targets.utilization();
    if (metric == "execution-cycles") return targets.cycles();
    if (metric == "input0-bw") return targets.input0() * hz / bytes_per_gb;
    if (metric == "output-bw") return targets.output() * hz / bytes_per_gb;
    const double cycles = cycles_per_tensor(check, report);
    return metric == "cycles-per-tensor" || cycles == 0 ? cycles : hz / cycles;
}

bool is_known(const std::string& target, const std::vector<std::string>& known) {
    return target.empty() || std::any_of(known.begin(), known.end(),
                                         [&](const std::string& one) { return is_performance_target(target, one); });
}

std::vector<std::string> graph_names(const Netlist& netlist) {
    std::vector<std::string> graphs;
    for (const Graph& graph : netlist.graphs) graphs.push_back(graph.name);
    return graphs;
}

void check_name(Diagnostics& problems, const PerformanceCheck& check, const std::string& name, const std::string& what,
                const std::vector<std::string>& known) {
    if (is_known(name, known)) return;
    problems.error(check.loc, "performance-check '{}' matches {} '{}', which the netlist does not have{}", check.name,
                   what, name, did_you_mean(name, known));
}

}  // namespace

std::vector<std::string> check_performance_names(const Netlist& netlist) {
    const std::vector<std::string> graphs = graph_names(netlist);
    std::vector<std::string> programs, ops, notes;
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops) ops.push_back(op.name());
    for (const Program& program : netlist.programs) programs.push_back(program.name);
    Diagnostics problems;
    for (const PerformanceCheck& check : netlist.performance) {
        if (!is_known(check.graph, graphs)) {
            notes.push_back(fmt::format("line {}: performance-check '{}' is left out: the netlist has no graph '{}'{}",
                                        check.loc.line, check.name, check.graph, did_you_mean(check.graph, graphs)));
            continue;
        }
        check_name(problems, check, check.program, "program", programs);
        for (const std::string& op : check.target_ops) check_name(problems, check, op, "op", ops);
    }
    problems.throw_if_any();
    return notes;
}

std::vector<PerformanceFigure> measure(const Netlist& netlist, const RunReport& report, const InputRecord& record) {
    std::vector<PerformanceFigure> figures;
    for (const PerformanceCheck& check : netlist.performance) {
        const bool run = check.program.empty() || std::find(report.programs.begin(), report.programs.end(),
                                                            check.program) != report.programs.end();
        if (!run || !is_known(check.graph, graph_names(netlist))) continue;
        const Targets targets(check, netlist, record);
        for (const PerfMetric& metric : check.metrics)
            figures.push_back({check.name, metric.name, metric.expected, metric.rtol, metric.min_bound,
                               figure(metric.name, check, targets, report)});
    }
    return figures;
}

}  // namespace ttsim::impl::sim
