#include "analysis/trace/analysis.hpp"

#include <algorithm>

#include <array>
#include <map>
#include <set>

#include "analysis/trace/numbers.hpp"
#include "analysis/trace/perf_data.hpp"
#include "base/error.hpp"
#include "base/figures.hpp"

namespace ttsim::impl::trace {

std::string to_string(Limit limit) {
    switch (limit) {
        case Limit::None:
            return "-";
        case Limit::Math:
            return "math";
        case Limit::Unpack:
            return "unpack";
        case Limit::Pack:
            return "pack";
        case Limit::InputNoc:
            return "input NoC";
        case Limit::InputDram:
            return "input DRAM";
        case Limit::Output:
            return "output";
    }
    return "-";
}

namespace {

/// Upper limit for chips, rows and columns; products of two and sums over all ops do not overflow.
constexpr std::int64_t max_places = 1 << 16;

/// A core of an op in an epoch.
struct CoreUse {
    std::int64_t op, inputs, start, end, tiles, math;
    std::array<std::int64_t, 6> own;  ///< cycles by Limit, from Math on
    std::int64_t wait_source, wait_room;
    std::array<std::int64_t, 6> first_own;  ///< cycles of the first input; likewise the next fields
    std::int64_t first_source, first_room, first_length;
    /// Whether the first input is excluded from the mean: it waits for weights, or finds its tiles already loaded.
    bool fills() const { return inputs > 1 && first_length > 0; }
    double per_input(std::int64_t all, std::int64_t first) const {
        return std::max(0.0, fills() ? real(all - first) / real(inputs - 1) : real(all) / real(inputs));
    }
};

std::vector<CoreUse> core_uses(Reader& trace, std::int64_t epoch) {
    // columns of series: docs/trace.md
    Statement query(
        trace.database(),
        "SELECT c.op, l.inputs, l.start, l.end, l.tiles, l.math, l.math_bound, l.unpack_bound, l.wait_dst + "
        "l.wait_pack + l.drain, l.wait_noc, l.wait_dram, l.wait_output, l.wait_source, l.wait_room, "
        "json_extract(l.series, '$[0][11]'), json_extract(l.series, '$[0][12]'), json_extract(l.series, '$[0][18]') + "
        "json_extract(l.series, '$[0][19]') + json_extract(l.series, '$[0][20]'), json_extract(l.series, '$[0][14]'), "
        "json_extract(l.series, '$[0][15]'), json_extract(l.series, '$[0][17]'), json_extract(l.series, '$[0][13]'), "
        "json_extract(l.series, "
        "'$[0][16]'), json_extract(l.series, '$[0][5]') FROM epoch e JOIN core_load l ON "
        "l.epoch = coalesce(e.same_as, e.id) JOIN core c ON c.id = l.core WHERE e.id = ? ORDER BY l.core");
    query.bind(1, epoch);
    std::vector<CoreUse> uses;
    while (query.step()) {
        CoreUse use{};
        int column = query.integers(0, {&use.op, &use.inputs, &use.start, &use.end, &use.tiles, &use.math});
        for (std::int64_t& part : use.own) part = query.integer(column++);
        column = query.integers(column, {&use.wait_source, &use.wait_room});
        for (std::int64_t& part : use.first_own) part = query.integer(column++);
        query.integers(column, {&use.first_source, &use.first_room, &use.first_length});
        uses.push_back(use);
    }
    return uses;
}

/// Operand bytes per input of the op's busiest core.
std::map<std::int64_t, double> operand_bytes(Reader& trace, std::int64_t plan) {
    Statement query(trace.database(),
                    "SELECT op, max(bytes) FROM (SELECT f.op AS op, sum(f.bytes) AS bytes FROM flow f JOIN "
                    "json_each(f.cores) c WHERE f.plan = ? AND f.kind = 'operand' GROUP BY f.op, c.value) GROUP BY op");
    query.bind(1, plan);
    std::map<std::int64_t, double> bytes;
    while (query.step()) bytes[query.integer(0)] = query.real(1);
    return bytes;
}

std::vector<OpUse> plan_ops(Reader& trace, std::int64_t plan) {
    const std::map<std::int64_t, double> in_bytes = operand_bytes(trace, plan);
    Statement query(trace.database(),
                    "SELECT o.id, o.name, o.type, o.graph, o.matmul, o.chip, o.grid_r, o.grid_c, o.est, o.kernel, "
                    "o.out_bytes, o.math FROM op o WHERE o.plan = ? ORDER BY o.id");
    query.bind(1, plan);
    std::vector<OpUse> ops;
    while (query.step()) {
        OpUse op;
        op.id = query.integer(0);
        op.name = query.text(1);
        op.type = query.text(2);
        op.graph = query.text(3);
        op.matmul = query.integer(4) != 0;
        op.chip = query.integer(5, max_places);
        op.grid_r = query.integer(6, max_places);
        op.grid_c = query.integer(7, max_places);
        op.est_cycles = query.real(8);
        op.kernel_cycles = query.real(9);
        op.out_bytes = query.real(10);
        op.math_cycles = query.real(11);
        if (const auto found = in_bytes.find(op.id); found != in_bytes.end()) op.in_bytes = found->second;
        ops.push_back(std::move(op));
    }
    return ops;
}

/// Cycles of a core per input by Limit, without waits for other ops.
struct OwnCycles {
    std::array<double, 6> parts{};
    double sum = 0;
};

OwnCycles own_cycles(const CoreUse& core) {
    OwnCycles cycles;
    for (std::size_t n = 0; n < core.own.size(); ++n) {
        cycles.parts[n] = core.per_input(core.own[n], core.first_own[n]);
        cycles.sum += cycles.parts[n];
    }
    return cycles;
}

/// Adds one core to its op, which is represented by the core with the most own cycles.
void add_core(OpUse& op, const CoreUse& core, double& math, double& span) {
    op.tiles += core.tiles;
    math += real(core.math);
    span += real(core.end - core.start);
    if (core.inputs == 0) return;
    op.inputs = std::max(op.inputs, core.inputs);
    op.cycles = std::max(op.cycles, core.per_input(core.end - core.start, core.first_length));
    const OwnCycles own = own_cycles(core);
    if (op.limit != Limit::None && own.sum <= op.bw_kernel_cycles) return;
    op.bw_kernel_cycles = own.sum;
    const auto most = std::max_element(own.parts.begin(), own.parts.end()) - own.parts.begin();
    op.limit = static_cast<Limit>(1 + most);
    op.wait_source_cycles = core.per_input(core.wait_source, core.first_source);
    op.wait_room_cycles = core.per_input(core.wait_room, core.first_room);
}

/// The ops of an epoch, and the math cycles of all their cores and of the cores of matmuls.
struct EpochWork {
    std::vector<OpUse> ops;
    double math = 0, matmul_math = 0;
};

EpochWork epoch_work(Reader& trace, std::int64_t epoch, std::int64_t plan) {
    EpochWork work{plan_ops(trace, plan)};
    std::map<std::int64_t, OpUse*> by_id;
    for (OpUse& op : work.ops) by_id[op.id] = &op;
    std::map<std::int64_t, std::array<double, 2>> math_and_span;
    for (const CoreUse& core : core_uses(trace, epoch)) {
        const auto op = by_id.find(core.op);
        if (op == by_id.end())
            fail_input({trace.path(), 0, 0}, "epoch {} has a core of op {}, which is not in its plan", epoch, core.op);
        auto& [math, span] = math_and_span[core.op];
        add_core(*op->second, core, math, span);
        work.math += real(core.math);
        if (op->second->matmul) work.matmul_math += real(core.math);
    }
    for (const auto& [id, sums] : math_and_span) by_id.at(id)->math_utilization = share_of(sums[0], sums[1]);
    return work;
}

/// Fills in the epoch's figures; returns its ops.
std::vector<OpUse> analyze(EpochUse& epoch, Reader& trace) {
    EpochWork work = epoch_work(trace, epoch.id, epoch.plan);
    const OpUse* limiting = nullptr;
    for (const OpUse& op : work.ops) {
        epoch.cores += op.grid_r * op.grid_c;
        if (op.matmul) epoch.matmul_cores += op.grid_r * op.grid_c;
        if (op.limit != Limit::None && (!limiting || op.bw_kernel_cycles > limiting->bw_kernel_cycles)) limiting = &op;
    }
    if (limiting) {
        epoch.limiting_op = limiting->name;
        epoch.limit = limiting->limit;
    }
    epoch.math_cycles = static_cast<std::int64_t>(work.math);
    epoch.math_utilization = share_of(work.math, real(epoch.cores) * real(epoch.cycles));
    epoch.matmul_utilization = share_of(work.matmul_math, real(epoch.matmul_cores) * real(epoch.cycles));
    std::vector<OpShare> shares;
    std::vector<const OpUse*> ops;
    double pace = 0;
    for (const OpUse& op : work.ops) {
        shares.push_back(op_share(op));
        ops.push_back(&op);
        pace = std::max(pace, op.bw_kernel_cycles);
    }
    epoch.speed_per_second = inputs_per_second(1e6 * real(trace.run().clock_mhz), pace);
    const double chip = cores_of_chips(chip_cores(trace), ops);
    epoch.chip_cores = static_cast<std::int64_t>(chip);
    epoch.utilization = epoch_utilization(shares, pace, chip);
    return std::move(work.ops);
}

}  // namespace

OpShare op_share(const OpUse& op) {
    return {real(op.grid_r) * real(op.grid_c), op.bw_kernel_cycles, share_of(op.math_cycles, op.bw_kernel_cycles)};
}

ChipCores chip_cores(Reader& trace) {
    Statement chips(trace.database(), "SELECT id, workers FROM chip");
    ChipCores cores;
    while (chips.step()) cores[chips.integer(0)] = chips.integer(1);
    return cores;
}

double cores_of_chips(const ChipCores& cores, const std::vector<const OpUse*>& ops) {
    std::set<std::int64_t> chips;
    for (const OpUse* op : ops) chips.insert(op->chip);
    double sum = 0;
    for (const std::int64_t chip : chips)
        if (const auto found = cores.find(chip); found != cores.end()) sum += real(found->second);
    return sum;
}

/// An epoch as stored, and the one it repeats; -1: none.
struct StoredEpoch {
    EpochUse epoch;
    std::int64_t same_as = -1;
};

/// All epochs (id < 0), or the one with that id.
static std::vector<StoredEpoch> stored_epochs(Reader& trace, std::int64_t id) {
    Statement query(trace.database(),
                    "SELECT id, plan, graphs, chips, status, inputs, start, cycles, inputs_per_second, "
                    "coalesce(same_as, -1), epoch_type FROM epoch WHERE ?1 < 0 OR id = ?1 ORDER BY id");
    query.bind(1, id);
    std::vector<StoredEpoch> all;
    while (query.step()) {
        EpochUse epoch;
        epoch.id = query.integer(0);
        epoch.plan = query.integer(1);
        epoch.graphs = query.text(2);
        epoch.chips = query.text(3);
        epoch.status = query.text(4);
        epoch.inputs = query.integer(5);
        epoch.start_cycle = query.integer(6);
        epoch.cycles = query.integer(7);
        epoch.inputs_per_second = query.real(8);
        epoch.epoch_type = query.text(10);
        all.push_back({std::move(epoch), query.integer(9)});
    }
    return all;
}

std::vector<EpochOps> epochs_with_ops(Reader& trace) {
    std::vector<EpochOps> all;
    std::map<std::int64_t, EpochOps> analyzed;
    for (StoredEpoch& stored : stored_epochs(trace, -1)) {
        EpochUse& epoch = stored.epoch;
        const auto same = analyzed.find(stored.same_as);
        if (same != analyzed.end() && same->second.epoch.plan == epoch.plan &&
            same->second.epoch.cycles == epoch.cycles) {
            const EpochUse& as = same->second.epoch;
            epoch.cores = as.cores;
            epoch.matmul_cores = as.matmul_cores;
            epoch.chip_cores = as.chip_cores;
            epoch.math_cycles = as.math_cycles;
            epoch.speed_per_second = as.speed_per_second;
            epoch.utilization = as.utilization;
            epoch.math_utilization = as.math_utilization;
            epoch.matmul_utilization = as.matmul_utilization;
            epoch.limiting_op = as.limiting_op;
            epoch.limit = as.limit;
            all.push_back({std::move(epoch), same->second.ops});
            continue;
        }
        auto own = std::make_shared<const std::vector<OpUse>>(analyze(epoch, trace));
        analyzed[epoch.id] = {epoch, own};
        all.push_back({std::move(epoch), std::move(own)});
    }
    return all;
}

std::vector<EpochUse> epochs(Reader& trace) {
    std::vector<EpochUse> all;
    for (EpochOps& each : epochs_with_ops(trace)) all.push_back(std::move(each.epoch));
    return all;
}

std::optional<TrainingUse> training_use(const RunInfo& run, const std::vector<EpochUse>& epochs) {
    std::optional<TrainingUse> all;
    for (const EpochUse& epoch : epochs)
        for (const EpochType type : epoch_types) {
            if (epoch.epoch_type != to_string(type)) continue;
            if (!all) all.emplace().saved_bytes = run.saved_bytes;
            const auto cycles = static_cast<std::uint64_t>(epoch.cycles);
            all->of(type).add({1, cycles, static_cast<std::uint64_t>(epoch.math_cycles),
                               static_cast<std::uint64_t>(epoch.cores) * cycles,
                               static_cast<std::uint64_t>(epoch.chip_cores) * cycles});
        }
    return all;
}

static EpochUse stored_epoch(Reader& trace, std::int64_t id) {
    std::vector<StoredEpoch> found = stored_epochs(trace, id);
    if (id >= 0 && !found.empty()) return std::move(found.front().epoch);
    const std::size_t known = stored_epochs(trace, -1).size();
    if (known == 0) fail_input({trace.path(), 0, 0}, "has no epoch {}; it has no epochs", id);
    fail_input({trace.path(), 0, 0}, "has no epoch {}; it has epochs 0 to {}", id, known - 1);
}

EpochOps epoch_with_ops(Reader& trace, std::int64_t id) {
    EpochOps found{stored_epoch(trace, id), nullptr};
    found.ops = std::make_shared<const std::vector<OpUse>>(analyze(found.epoch, trace));
    return found;
}

std::vector<OpUse> ops(Reader& trace, std::int64_t id) {
    return epoch_work(trace, id, stored_epoch(trace, id).plan).ops;
}

std::vector<OutputStreamingWait> output_streaming_waits(Reader& trace, std::int64_t id) {
    Statement query(
        trace.database(),
        "SELECT s.name, r.name, f.operand, max(t.wait_block), max(t.wait_lockstep), e.inputs FROM flow_total t "
        "JOIN flow f ON f.id = t.flow JOIN op s ON s.id = f.from_op JOIN op r ON r.id = f.op "
        "JOIN epoch e ON e.id = t.epoch WHERE t.epoch = ? GROUP BY f.from_op, f.op, f.operand "
        "HAVING max(t.wait_block) + max(t.wait_lockstep) > 0 "
        "ORDER BY max(t.wait_block) + max(t.wait_lockstep) DESC, f.op, f.operand");
    query.bind(1, id);
    std::vector<OutputStreamingWait> all;
    while (query.step()) {
        OutputStreamingWait wait;
        wait.source = query.text(0);
        wait.reader = query.text(1);
        wait.operand = query.integer(2);
        const double inputs = std::max(1.0, query.real(5));
        wait.block_cycles = query.real(3) / inputs;
        wait.lockstep_cycles = query.real(4) / inputs;
        all.push_back(std::move(wait));
    }
    return all;
}

std::vector<ResourceUse> resources(Reader& trace) {
    std::vector<ResourceUse> all;
    for (const Resource& one : all_resources(trace)) {
        const double peak = one.buckets.empty() ? 0 : *std::max_element(one.buckets.begin(), one.buckets.end());
        all.push_back({one.kind, one.name, one.bytes_per_cycle, one.transfers, one.bytes, one.busy, one.queueing,
                       share_of(real(one.busy), real(trace.run().cycles)),
                       share_of(peak, real(trace.run().bucket_cycles))});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const ResourceUse& a, const ResourceUse& b) { return a.busy_cycles > b.busy_cycles; });
    return all;
}

}  // namespace ttsim::impl::trace
