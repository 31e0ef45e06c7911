#include "analysis/trace_report/perf_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/bounded_json.hpp"
#include "base/error.hpp"
#include "base/read_file.hpp"
#include "netlist/text/reader.hpp"

namespace ttsim::impl::trace {

// JSON conversion with the field names as keys.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OpUse, id, name, type, graph, matmul, chip, grid_r, grid_c, inputs, tiles,
                                   est_cycles, kernel_cycles, math_cycles, bw_kernel_cycles, cycles, limit,
                                   wait_source_cycles, wait_room_cycles, math_utilization, in_bytes, out_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EpochUse, id, plan, graphs, chips, status, epoch_type, inputs, start_cycle, cycles,
                                   inputs_per_second, speed_per_second, cores, matmul_cores, chip_cores, math_cycles,
                                   utilization, math_utilization, matmul_utilization, limiting_op, limit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CoreCycles, op, id, x, y, inputs, start, end, tiles, math, causes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PipeUse, kind, op, operand, from_op, queue, place, cores, input_bytes, bytes, span,
                                   in_flight, wait_source, wait_room, wait_block, wait_lockstep)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resource, kind, name, chip, x, y, channel, to_chip, bytes_per_cycle, direction,
                                   transfers, bytes, busy, queueing, buckets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(QueuePlace, name, chip, channels)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EpochDetail, ops, cores, pipes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OpBlocks, mblock_m, mblock_n, ublock_rt, ublock_ct, t, m_k, u_kt)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OpEstimate, kernel_cycles, limit_cycles)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunInfo, ttsim, command, netlist, arch, device, mode, numerics, status, message,
                                   seed, clock_mhz, level, cycles, bucket_cycles, saved_bytes, inputs_per_second,
                                   end_to_end_per_second, rate_of_loop)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PerfData, run, chip_cores, epochs, same_as, details, queues, resources, blocks,
                                   estimates)

}  // namespace ttsim::impl::trace

namespace ttsim::impl::report {

using Saved = nlohmann::json;
static constexpr int saved_version = 5;
static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

std::string netlist_text(trace::Reader& trace) {
    trace::Statement query(trace.database(), "SELECT text FROM file WHERE kind = 'netlist' LIMIT 1");
    return query.step() ? query.text(0) : "";
}

/// Blocks of ops. Other parts of the netlist are ignored, also when this version of ttsim cannot read it.
static std::map<std::string, trace::OpBlocks> blocks_of(const std::string& netlist, const std::string& name) {
    std::map<std::string, trace::OpBlocks> all;
    try {
        for (const Graph& graph : read_netlist_text(netlist, name).graphs)
            for (const Op& op : graph.ops) {
                const Blocking& out = op.cfg.out;
                all[op.name()] = {out.mblock_m, out.mblock_n,    out.ublock_rt,   out.ublock_ct,
                                  out.t,        op.cfg.attr.m_k, op.cfg.attr.u_kt};
            }
    } catch (const Error&) {
        all.clear();
    }
    return all;
}

trace::PerfData read_perf(const std::string& trace_file) {
    trace::Reader reader(trace_file);
    trace::PerfData data = trace::read_perf_data(reader);
    data.blocks = blocks_of(netlist_text(reader), data.run.netlist);
    return data;
}

std::string saved_text(const trace::PerfData& data) {
    return Saved{{"ttperf", saved_version}, {"data", data}}.dump(-1, ' ', false, Saved::error_handler_t::replace) +
           "\n";
}

trace::PerfData load_perf(const std::string& file) {
    const Saved json = parse_bounded_json(read_file(file, most_bytes));
    if (!json.is_object() || !json.contains("ttperf") || !json.contains("data"))
        fail_input({file, 0, 0}, "is not what 'ttperf TRACE --save FILE' writes");
    if (json["ttperf"] != saved_version)
        fail_input({file, 0, 0}, "was saved by another version of ttperf; save it again from its trace");
    try {
        trace::PerfData data = json["data"].get<trace::PerfData>();
        for (const trace::EpochUse& epoch : data.epochs) (void)data.detail(epoch.id);
        return data;
    } catch (const Saved::exception& error) {
        fail_input({file, 0, 0}, "is damaged: {}", error.what());
    } catch (const Error& error) {
        fail_input({file, 0, 0}, "is damaged: {}", error.message());
    }
}

std::map<std::string, trace::OpEstimate> read_estimates(const std::string& file) {
    const Saved json = parse_bounded_json(read_file(file, most_bytes));
    std::map<std::string, trace::OpEstimate> all;
    try {
        for (const Saved& decision : json.at("decisions"))
            for (const Saved& candidate : decision.at("candidates"))
                if (candidate.value("chosen", false)) {
                    const double kernel = candidate.at("kernel_cycles").get<double>();
                    const double filling = candidate.value("filling_cycles", 0.0);
                    all[decision.at("op").get<std::string>()] = {
                        kernel, std::max({kernel + filling, candidate.at("dram_cycles").get<double>(),
                                          candidate.at("pipe_cycles").get<double>()})};
                }
    } catch (const Saved::exception&) {
        fail_input({file, 0, 0}, "is not what 'ttsim compile MODEL --explain --json' prints");
    }
    return all;
}

}  // namespace ttsim::impl::report
