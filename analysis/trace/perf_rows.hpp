// Rows of the analyzer's tables, computed from PerfData: epochs, ops, and the pipes of an op.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/perf_data.hpp"
#include "analysis/trace/perf_formulas.hpp"

namespace ttsim::impl::trace {

/// An input or output of an op. Bytes per cycle, of one core.
struct OpPipe {
    PipeRate rate;
    std::int64_t operand = -1;  ///< -1: an output
    std::string other;          ///< the op or queue at the other end
    std::string kind;           ///< "operand", "resident", "writer"
    bool dram = false;          ///< the other end is in DRAM or host memory
    double input_bytes = 0;     ///< bytes per input of the slowest pipe
    const PipeUse* use = nullptr;
};

/// An op of an epoch.
struct OpRow {
    const OpUse* op = nullptr;
    std::int64_t epoch = 0;                ///< epoch of the launch
    const OpBlocks* blocks = nullptr;      ///< null when the netlist is not known
    const OpEstimate* estimate = nullptr;  ///< null without estimates of a compiler
    double est = 0, est_lim = 0, kernel = 0, bw_kernel = 0;
    double utilization = 0, bw_utilization = 0;  ///< math cycles as a fraction of kernel and bw_kernel
    std::string problem;                         ///< the pipe that causes bw_kernel > kernel; "": none
    double out_need = 0, out_got = 0;            ///< bytes per cycle of its slowest output
    std::vector<OpPipe> operands;                ///< slowest pipe of each operand
    std::vector<OpPipe> outputs;                 ///< one per consumer and queue
    double cores() const { return static_cast<double>(op->grid_r) * static_cast<double>(op->grid_c); }
};
/// The ops of a launch (of one graph, if given), longest bw_kernel first.
std::vector<OpRow> op_rows(const PerfData& data, std::int64_t epoch, const std::optional<std::string>& graph = {});

/// One row of the summary.
struct Stage {
    std::int64_t number = 0;             ///< index in the summary
    std::vector<std::int64_t> launches;  ///< epochs of the trace
    std::optional<std::string> graph;    ///< graph of the launch, for spatial stages
    std::string name;                    ///< names of its graphs
};
/// Temporal: consecutive launches whose graphs are named ..._temporal_epoch_N with the same N form one stage, since
/// they run together on several chips. Spatial: one stage per graph.
std::vector<Stage> stages(const PerfData& data, bool spatial);

/// Figures of a stage.
struct StageRow {
    std::vector<OpRow> ops;        ///< longest bw_kernel first
    double cycles = 0;             ///< bw_kernel of the first op, which limits the stage
    double speed = 0;              ///< inputs/s at these cycles
    double inputs_per_second = 0;  ///< steady, as simulated; 0: unknown
    double utilization = 0, balancer_utilization = 0;
    std::int64_t matmul_cores = 0, cores = 0, inputs = 0;
    double noc_need = 0, noc_got = 0, dram_need = 0, dram_got = 0;  ///< GB/s, summed over operands and outputs
    StageUse use() const { return {cycles, utilization}; }
};
StageRow stage_row(const PerfData& data, const Stage& stage);

/// Figures over all stages of the run; stages that run several times are averaged and counted once.
StageUse overall(const std::vector<Stage>& stages, const std::vector<StageUse>& uses);

}  // namespace ttsim::impl::trace
