// The rows of an analyzer's tables, computed from PerfData: epochs, ops, and the two ends of an op.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/perf_data.hpp"
#include "analysis/trace/perf_formulas.hpp"

namespace ttsim::impl::trace {

/// One end of an op. Bytes per cycle, of one core.
struct OpPipe {
    PipeRate rate;
    std::int64_t operand = -1;  ///< -1: an output
    std::string other;          ///< the op or queue at the far end
    std::string kind;           ///< "operand", "resident", "writer"
    bool dram = false;          ///< the far end lies in DRAM or with the host
    double input_bytes = 0;     ///< of the slowest pipe
    const PipeUse* use = nullptr;
};

/// An op of an epoch.
struct OpRow {
    const OpUse* op = nullptr;
    std::int64_t epoch = 0;                ///< the launch
    const OpBlocks* blocks = nullptr;      ///< where the netlist is known
    const OpEstimate* estimate = nullptr;  ///< where a compiler's are known
    double est = 0, est_lim = 0, kernel = 0, bw_kernel = 0;
    double utilization = 0, bw_utilization = 0;  ///< share of kernel and bw_kernel in which it does math
    std::string problem;                         ///< the pipe behind bw_kernel > kernel; "" none
    double out_need = 0, out_got = 0;            ///< of its slowest output
    std::vector<OpPipe> operands;                ///< the slowest pipe of each, by operand
    std::vector<OpPipe> outputs;                 ///< to each consumer and queue
    double cores() const { return static_cast<double>(op->grid_r) * static_cast<double>(op->grid_c); }
};
/// The ops of a launch, longest bw_kernel first; of one graph of it, if given.
std::vector<OpRow> op_rows(const PerfData& data, std::int64_t epoch, const std::optional<std::string>& graph = {});

/// What one row of the summary stands for.
struct Stage {
    std::int64_t number = 0;             ///< from 0 in the order of the summary
    std::vector<std::int64_t> launches;  ///< epochs of the trace
    std::optional<std::string> graph;    ///< of the launch, where a row is a graph
    std::string name;                    ///< its graphs
};
/// Temporal: launches whose graphs are named ..._temporal_epoch_N with the same N, one after the other, are one stage,
/// since they run together on several chips. Spatial: a stage for each graph.
std::vector<Stage> stages(const PerfData& data, bool spatial);

/// A stage in numbers.
struct StageRow {
    std::vector<OpRow> ops;        ///< longest bw_kernel first
    double cycles = 0;             ///< bw_kernel of the first: the pipeline's stage
    double speed = 0;              ///< inputs/s at that pace
    double inputs_per_second = 0;  ///< steady, as simulated; 0: unknown
    double utilization = 0, balancer_utilization = 0;
    std::int64_t matmul_cores = 0, cores = 0, inputs = 0;
    double noc_need = 0, noc_got = 0, dram_need = 0, dram_got = 0;  ///< GB/s, summed over operands and outputs
    StageUse use() const { return {cycles, utilization}; }
};
StageRow stage_row(const PerfData& data, const Stage& stage);

/// All stages of the run, each kind counted once: what runs several times is averaged.
StageUse overall(const std::vector<Stage>& stages, const std::vector<StageUse>& uses);

}  // namespace ttsim::impl::trace
