#include "analysis/trace/perf_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/trace/numbers.hpp"
#include "base/figures.hpp"

namespace ttsim::impl::trace {

namespace {

/// Pipes of an epoch by the ops that they connect.
struct Ends {
    std::map<std::int64_t, std::string> names;
    std::map<std::int64_t, std::vector<const PipeUse*>> into, out_of;
    explicit Ends(const EpochDetail& detail) {
        for (const OpUse& op : detail.ops) names[op.id] = op.name;
        for (const PipeUse& pipe : detail.pipes) {
            if (pipe.kind == "writer") {
                out_of[pipe.op].push_back(&pipe);
                continue;
            }
            into[pipe.op].push_back(&pipe);
            if (pipe.from_op >= 0) out_of[pipe.from_op].push_back(&pipe);
        }
    }
    std::string name(std::int64_t op) const {
        const auto found = names.find(op);
        return found == names.end() ? "?" : found->second;
    }
};

const std::vector<const PipeUse*>& pipes_at(const std::map<std::int64_t, std::vector<const PipeUse*>>& ends,
                                            std::int64_t op) {
    static const std::vector<const PipeUse*> none;
    const auto found = ends.find(op);
    return found == ends.end() ? none : found->second;
}

std::string queue_name(const PerfData& data, std::int64_t id) {
    const auto at = static_cast<std::size_t>(id);
    return id >= 0 && at < data.queues.size() ? data.queues[at].name : "?";
}

/// A pipe as input or output of an op, with `bytes` per input and core.
OpPipe end_of(const PipeUse& pipe, const std::string& name, double bytes, double kernel) {
    OpPipe end;
    end.kind = pipe.kind;
    end.use = &pipe;
    end.dram = pipe.place != "l1";
    end.input_bytes = bytes;
    const double active = pipe.active_cycles();
    end.rate = {name, kernel > 0 ? bytes / kernel : 0, active > 0 ? bytes / active : 0};
    return end;
}

template <class Key>
void keep_slowest(std::map<Key, OpPipe>& slowest, const Key& key, const OpPipe& end) {
    const auto [at, fresh] = slowest.try_emplace(key, end);
    if (!fresh && end.rate.slowdown() > at->second.rate.slowdown()) at->second = end;
}

/// The slowest pipe of each operand. Resident operands take no time per input.
std::vector<OpPipe> operand_ends(const PerfData& data, const Ends& ends, const OpUse& op) {
    std::map<std::int64_t, OpPipe> slowest;
    for (const PipeUse* pipe : pipes_at(ends.into, op.id)) {
        const std::string place = pipe->place == "l1" ? "noc" : pipe->place;
        OpPipe end =
            end_of(*pipe, fmt::format("{} in{}", place, pipe->operand), real(pipe->input_bytes), op.kernel_cycles);
        if (pipe->kind == "resident") end.rate.need = end.rate.got = 0;
        end.operand = pipe->operand;
        end.other = pipe->from_op >= 0 ? ends.name(pipe->from_op) : queue_name(data, pipe->queue);
        keep_slowest(slowest, pipe->operand, end);
    }
    std::vector<OpPipe> all;
    for (auto& [operand, end] : slowest) all.push_back(std::move(end));
    return all;
}

/// The slowest pipe to each consumer and queue.
std::vector<OpPipe> output_ends(const PerfData& data, const Ends& ends, const OpUse& op) {
    std::map<std::string, OpPipe> slowest;
    for (const PipeUse* pipe : pipes_at(ends.out_of, op.id)) {
        OpPipe end = end_of(*pipe, "output", op.out_bytes, op.kernel_cycles);
        end.other = pipe->kind == "writer" ? queue_name(data, pipe->queue) : ends.name(pipe->op);
        keep_slowest(slowest, end.other, end);
    }
    std::vector<OpPipe> all;
    for (auto& [other, end] : slowest) all.push_back(std::move(end));
    return all;
}

OpRow op_row(const PerfData& data, const Ends& ends_of_epoch, const OpUse& op, std::int64_t epoch) {
    OpRow row;
    row.op = &op;
    row.epoch = epoch;
    if (const auto found = data.blocks.find(op.name); found != data.blocks.end()) row.blocks = &found->second;
    if (const auto found = data.estimates.find(op.name); found != data.estimates.end()) row.estimate = &found->second;
    row.operands = operand_ends(data, ends_of_epoch, op);
    row.outputs = output_ends(data, ends_of_epoch, op);
    row.kernel = op.kernel_cycles;
    row.bw_kernel = op.bw_kernel_cycles;
    std::vector<PipeRate> rates;
    for (const auto* ends : {&row.operands, &row.outputs})
        for (const OpPipe& end : *ends) rates.push_back(end.rate);
    row.est = row.estimate ? row.estimate->kernel_cycles : op.est_cycles;
    row.est_lim = row.estimate ? row.estimate->limit_cycles : bandwidth_bound(row.kernel, rates);
    if (row.bw_kernel > row.kernel) row.problem = slowest_pipe(rates);
    row.utilization = row.kernel > 0 ? op.math_cycles / row.kernel : 0;
    row.bw_utilization = row.bw_kernel > 0 ? op.math_cycles / row.bw_kernel : 0;
    const OpPipe* out = nullptr;
    for (const OpPipe& end : row.outputs)
        if (!out || end.rate.slowdown() > out->rate.slowdown()) out = &end;
    if (out) {
        row.out_need = out->rate.need;
        row.out_got = out->rate.got;
    }
    return row;
}

void sort_longest_first(std::vector<OpRow>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const OpRow& a, const OpRow& b) { return a.bw_kernel > b.bw_kernel; });
}

/// The common N when all graphs are named ..._temporal_epoch_N; else no value.
std::optional<std::string> temporal_epoch(const std::string& graphs) {
    static constexpr std::string_view mark = "_temporal_epoch_";
    std::optional<std::string> number;
    for (std::size_t at = 0; at <= graphs.size();) {
        const std::size_t end = std::min(graphs.find(',', at), graphs.size());
        const std::string name = graphs.substr(at, end - at);
        const std::size_t found = name.rfind(mark);
        if (found == std::string::npos) return std::nullopt;
        const std::string n = name.substr(found + mark.size());
        if (n.empty() || n.find_first_not_of("0123456789") != std::string::npos || (number && *number != n))
            return std::nullopt;
        number = n;
        at = end + 1;
    }
    return number;
}

}  // namespace

std::vector<OpRow> op_rows(const PerfData& data, std::int64_t epoch, const std::optional<std::string>& graph) {
    const EpochDetail& detail = data.detail(epoch);
    const Ends ends(detail);
    std::vector<OpRow> rows;
    for (const OpUse& op : detail.ops)
        if (!graph || op.graph == *graph) rows.push_back(op_row(data, ends, op, epoch));
    sort_longest_first(rows);
    return rows;
}

static std::vector<Stage> graph_stages(const PerfData& data) {
    std::vector<Stage> all;
    for (const EpochUse& epoch : data.epochs) {
        std::vector<std::string> graphs;
        for (const OpUse& op : data.detail(epoch.id).ops)
            if (std::find(graphs.begin(), graphs.end(), op.graph) == graphs.end()) graphs.push_back(op.graph);
        for (const std::string& graph : graphs)
            all.push_back({static_cast<std::int64_t>(all.size()), {epoch.id}, graph, graph});
    }
    return all;
}

std::vector<Stage> stages(const PerfData& data, bool spatial) {
    if (spatial) return graph_stages(data);
    std::vector<Stage> all;
    std::optional<std::string> open;  // the temporal epoch of the last stage
    std::set<std::string> in_open;    // its launches
    for (const EpochUse& epoch : data.epochs) {
        const std::optional<std::string> temporal = temporal_epoch(epoch.graphs);
        if (temporal && temporal == open && in_open.insert(epoch.graphs).second) {
            all.back().launches.push_back(epoch.id);
            all.back().name += "," + epoch.graphs;
            continue;
        }
        all.push_back({static_cast<std::int64_t>(all.size()), {epoch.id}, std::nullopt, epoch.graphs});
        open = temporal;
        in_open = {epoch.graphs};
    }
    return all;
}

static void add_rates(const PerfData& data, StageRow& row, const OpRow& op) {
    const double gb = data.clock_hz() / 1e9;
    const auto add = [&](const OpPipe& end) {
        (end.dram ? row.dram_need : row.noc_need) += end.rate.need * gb;
        (end.dram ? row.dram_got : row.noc_got) += end.rate.got * gb;
    };
    for (const OpPipe& end : op.operands) add(end);
    for (const OpPipe& end : op.outputs) add(end);
}

StageRow stage_row(const PerfData& data, const Stage& stage) {
    StageRow row;
    std::vector<double> rates;
    for (const std::int64_t launch : stage.launches) {
        for (OpRow& op : op_rows(data, launch, stage.graph)) row.ops.push_back(std::move(op));
        for (const EpochUse& epoch : data.epochs) {
            if (epoch.id != launch) continue;
            row.inputs = std::max(row.inputs, epoch.inputs);
            rates.push_back(epoch.inputs_per_second);
        }
    }
    sort_longest_first(row.ops);
    row.cycles = row.ops.empty() ? 0 : row.ops.front().bw_kernel;
    row.speed = inputs_per_second(data.clock_hz(), row.cycles);
    std::vector<OpShare> shares;
    std::vector<const OpUse*> ops;
    double estimated = 0, longest = 0;
    for (const OpRow& op : row.ops) {
        shares.push_back(op_share(*op.op));
        ops.push_back(op.op);
        if (op.op->matmul) row.matmul_cores += op.op->grid_r * op.op->grid_c;
        row.cores += op.op->grid_r * op.op->grid_c;
        if (op.estimate) estimated += op.cores() * op.est;
        if (op.estimate) longest = std::max(longest, op.est_lim);
        add_rates(data, row, op);
    }
    // Concurrent epochs run at the rate of the slowest; known only when all rates are known.
    if (!rates.empty()) row.inputs_per_second = *std::min_element(rates.begin(), rates.end());
    const double all = cores_of_chips(data.chip_cores, ops);
    row.utilization = epoch_utilization(shares, row.cycles, all);
    row.balancer_utilization = longest > 0 && all > 0 ? estimated / longest / all : 0;
    return row;
}

StageUse overall(const std::vector<Stage>& stages, const std::vector<StageUse>& uses) {
    std::map<std::string, std::vector<StageUse>> runs;  // by graphs of the stage
    for (std::size_t n = 0; n < std::min(stages.size(), uses.size()); ++n) runs[stages[n].name].push_back(uses[n]);
    std::vector<StageUse> each;
    for (const auto& [name, several] : runs) {
        StageUse mean = in_sequence(several);
        mean.cycles /= static_cast<double>(several.size());
        each.push_back(mean);
    }
    return in_sequence(each);
}

}  // namespace ttsim::impl::trace
