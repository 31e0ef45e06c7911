// Data for the analyzer's screens, made by hand: two epochs, of two ops and of one.
#pragma once

#include "analysis/trace_report/perf_sheets.hpp"

namespace ttsim::impl::test {

inline trace::OpUse small_op(std::int64_t id, const std::string& name, double kernel, double bw_kernel) {
    trace::OpUse op;
    op.id = id;
    op.name = name;
    op.type = "matmul";
    op.graph = "g";
    op.matmul = true;
    op.grid_r = 1;
    op.grid_c = 2;
    op.inputs = 4;
    op.est_cycles = kernel;
    op.kernel_cycles = op.math_cycles = kernel;
    op.bw_kernel_cycles = op.cycles = bw_kernel;
    op.limit = trace::Limit::InputDram;
    op.out_bytes = 1000;
    return op;
}

inline trace::CoreCycles small_core(std::int64_t id, std::int64_t op, std::int64_t x, std::int64_t y,
                                    std::int64_t busy) {
    trace::CoreCycles core;
    core.id = id;
    core.op = op;
    core.x = x;
    core.y = y;
    core.inputs = 4;
    core.end = 100;
    core.causes[0] = busy;
    core.causes[static_cast<std::size_t>(trace::Cause::Dram)] = 100 - busy;
    return core;
}

inline trace::PipeUse small_pipe(std::int64_t op, std::int64_t from_op, std::int64_t queue) {
    trace::PipeUse pipe;
    pipe.kind = "operand";
    pipe.op = op;
    pipe.from_op = from_op;
    pipe.queue = queue;
    pipe.place = queue >= 0 ? "dram" : "l1";
    pipe.input_bytes = 1000;
    pipe.bytes = 4000;
    pipe.span = pipe.in_flight = 800;
    return pipe;
}

/// Epoch 0: "first" reads queue x from DRAM channel 0 and feeds a "second" with a name of 60 letters; epoch 1: "third".
inline trace::PerfData small_perf_data() {
    trace::PerfData data;
    data.run.netlist = "small.yaml";
    data.run.status = "complete";
    data.run.clock_mhz = 1000;
    data.run.bucket_cycles = 100;
    data.chip_cores[0] = 10;
    data.queues = {{"x", 0, {0}}};
    for (std::int64_t n = 0; n < 2; ++n) {
        trace::EpochUse epoch;
        epoch.id = epoch.plan = n;
        epoch.graphs = n == 0 ? "fwd_0" : "fwd_1";
        epoch.status = "complete";
        epoch.inputs = 4;
        epoch.start_cycle = 1000 * n;
        epoch.cycles = 1000;
        data.epochs.push_back(epoch);
    }
    const std::string long_name = "second_" + std::string(53, 'z');
    data.details[0] = {{small_op(0, "first", 100, 200), small_op(1, long_name, 100, 100)},
                       {small_core(0, 0, 1, 1, 80), small_core(1, 0, 2, 1, 10), small_core(2, 1, 1, 2, 40)},
                       {small_pipe(0, -1, 0), small_pipe(1, 0, -1)}};
    data.details[1] = {{small_op(2, "third", 100, 400)}, {small_core(3, 2, 1, 1, 25)}, {}};
    trace::Resource channel;
    channel.kind = "dram";
    channel.name = "chip 0 dram 0";
    channel.channel = 0;
    channel.bytes = 4000;
    channel.busy = 900;
    channel.buckets.assign(20, 90);
    data.resources = {channel};
    data.blocks["first"] = {2, 3, 4, 5, 1, 4, 2};
    return data;
}

}  // namespace ttsim::impl::test
