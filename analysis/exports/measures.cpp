#include "analysis/exports/measures.hpp"

#include <algorithm>
#include <map>

#include "analysis/trace/perf_data.hpp"

namespace ttsim::impl::report {

using trace::Statement;

namespace {

/// The wait after the first unpack. Waits before it can be attributed only when one kind of wait occurred.
std::optional<std::int64_t> later(const InputMeasure& input, std::int64_t waited, std::int64_t other) {
    const std::int64_t before = input.first_unpack - input.start;
    if (before == 0) return waited;
    if (other == 0) return std::max<std::int64_t>(0, waited - before);
    if (waited == 0) return 0;
    return std::nullopt;
}

/// The inputs that the original records: first, middle, last.
std::vector<std::int64_t> recorded_inputs(std::int64_t inputs) {
    std::vector<std::int64_t> wanted{0};
    for (const std::int64_t input : {(inputs - 1) / 2, inputs - 1})
        if (input > wanted.back()) wanted.push_back(input);
    return wanted;
}

void add_inputs(ExportSource& source, EpochMeasure& epoch, const std::map<std::int64_t, CoreMeasure*>& cores) {
    Statement query(source.trace().database(),
                    "SELECT core, input, times, every, shift, start, length, to_first_unpack, to_last_pack, math, "
                    "wait_source + wait_noc + wait_dram, wait_room + wait_output FROM core_run WHERE epoch = ?");
    query.bind(1, epoch.use.id);
    while (query.step()) {
        const auto found = cores.find(query.integer(0));
        if (found == cores.end()) continue;
        const std::int64_t first = query.integer(1), times = query.integer(2), every = query.integer(3);
        for (const std::int64_t wanted : recorded_inputs(found->second->inputs)) {
            const std::int64_t n = every > 0 ? (wanted - first) / every : 0;
            if (wanted < first || n >= times || first + n * every != wanted) continue;
            InputMeasure input;
            input.input = wanted;
            input.start = query.integer(5) + n * query.integer(4);
            input.end = input.start + query.integer(6);
            input.first_unpack = input.start + query.integer(7);
            input.last_pack = input.start + query.integer(8);
            input.math = query.integer(9);
            input.for_tiles = query.integer(10);
            input.for_room = query.integer(11);
            found->second->recorded.push_back(input);
        }
    }
}

void add_cores(ExportSource& source, EpochMeasure& epoch, const std::map<std::int64_t, OpMeasure*>& ops) {
    Statement query(source.trace().database(),
                    "SELECT c.op, c.id, c.n, c.x, c.y, l.inputs, l.start, l.end, l.math FROM op_core l JOIN core c ON "
                    "c.id = l.core WHERE l.epoch = ? ORDER BY c.id");
    query.bind(1, epoch.use.id);
    while (query.step()) {
        CoreMeasure core;
        core.id = query.integer(1);
        core.n = query.integer(2);
        core.x = static_cast<int>(query.integer(3, 1 << 16));
        core.y = static_cast<int>(query.integer(4, 1 << 16));
        core.inputs = query.integer(5);
        core.start = query.integer(6);
        core.end = query.integer(7);
        core.math = query.integer(8);
        const auto op = ops.find(query.integer(0));
        if (op != ops.end() && core.inputs > 0) op->second->cores.push_back(core);
    }
    std::map<std::int64_t, CoreMeasure*> by_id;
    for (OpMeasure& op : epoch.ops)
        for (CoreMeasure& core : op.cores) by_id[core.id] = &core;
    add_inputs(source, epoch, by_id);
    for (OpMeasure& op : epoch.ops) {
        std::erase_if(op.cores, [](const CoreMeasure& core) { return core.recorded.empty(); });
        for (CoreMeasure& core : op.cores)
            std::sort(core.recorded.begin(), core.recorded.end(),
                      [](const InputMeasure& a, const InputMeasure& b) { return a.input < b.input; });
    }
}

std::optional<double> rate(double bytes, double cycles) {
    if (cycles <= 0 || bytes <= 0) return std::nullopt;
    return bytes / cycles;
}

/// An operand is represented by its slowest pipe.
void keep_slower(PipeMeasure& kept, const PipeMeasure& pipe) {
    if (kept.other.empty() || pipe.factor().value_or(0) > kept.factor().value_or(0)) {
        const double bytes = std::max(kept.bytes, pipe.bytes);
        kept = pipe;
        kept.bytes = bytes;
    }
}

/// Adds the rate of an output pipe; an output has one pipe per reader.
void add_output(OpMeasure& op, PipeMeasure pipe) {
    const double out = op.use.out_bytes;
    pipe.operand = -1;
    if (pipe.got && pipe.bytes > 0) pipe.got = *pipe.got * out / pipe.bytes;
    pipe.bytes = out;
    pipe.asked = rate(out, op.use.kernel_cycles);
    for (PipeMeasure& known : op.outputs)
        if (known.other == pipe.other && known.queue == pipe.queue) return keep_slower(known, pipe);
    op.outputs.push_back(pipe);
}

std::map<std::int64_t, std::string> queue_names(trace::Reader& trace) {
    std::map<std::int64_t, std::string> names;
    Statement query(trace.database(), "SELECT id, name FROM queue");
    while (query.step()) names[query.integer(0)] = query.text(1);
    return names;
}

void add_flows(ExportSource& source, EpochMeasure& epoch, const std::map<std::int64_t, OpMeasure*>& ops) {
    const std::map<std::int64_t, std::string> queues = queue_names(source.trace());
    for (const trace::PipeUse& use : trace::pipe_uses(source.trace(), epoch.use.id)) {
        const auto op = ops.find(use.op), from = ops.find(use.from_op);
        if (op == ops.end()) continue;
        const auto queue = queues.find(use.queue);
        PipeMeasure pipe;
        pipe.queue = queue != queues.end();
        pipe.bytes = as_real(use.input_bytes);
        pipe.resident = use.kind == "resident";
        if (!pipe.resident) pipe.got = rate(pipe.bytes, use.active_cycles());
        if (use.kind == "writer") {
            if (pipe.queue) pipe.other = queue->second;
            add_output(*op->second, pipe);
            continue;
        }
        const auto operand = static_cast<std::size_t>(use.operand);
        auto& operands = op->second->operands;
        if (operand >= operands.size()) continue;
        pipe.operand = static_cast<int>(operand);
        pipe.other = op->second->op->inputs[operand];
        if (!pipe.resident) pipe.asked = rate(pipe.bytes, op->second->use.kernel_cycles);
        keep_slower(operands[operand], pipe);
        if (from == ops.end()) continue;
        pipe.other = op->second->use.name;
        add_output(*from->second, pipe);
    }
}

}  // namespace

std::optional<std::int64_t> InputMeasure::for_tiles_later() const { return later(*this, for_tiles, for_room); }
std::optional<std::int64_t> InputMeasure::for_room_later() const { return later(*this, for_room, for_tiles); }

std::optional<double> PipeMeasure::factor() const {
    if (!asked || !got || *got <= 0) return std::nullopt;
    return *asked / *got;
}

const CoreMeasure* OpMeasure::slowest_core() const {
    const auto slowest = std::max_element(cores.begin(), cores.end(), [](const CoreMeasure& a, const CoreMeasure& b) {
        return a.total_runtime() < b.total_runtime();
    });
    return slowest == cores.end() ? nullptr : &*slowest;
}

const PipeMeasure* OpMeasure::slowest_pipe() const {
    if (use.bw_kernel_cycles <= use.kernel_cycles) return nullptr;
    const PipeMeasure* worst = nullptr;
    for (const auto* pipes : {&operands, &outputs})
        for (const PipeMeasure& pipe : *pipes)
            if (pipe.factor() && (!worst || *pipe.factor() > *worst->factor())) worst = &pipe;
    return worst;
}

std::vector<std::int64_t> own_epochs(trace::Reader& trace) {
    Statement query(trace.database(), "SELECT id FROM epoch WHERE same_as IS NULL ORDER BY id");
    std::vector<std::int64_t> ids;
    while (query.step()) ids.push_back(query.integer(0));
    return ids;
}

EpochMeasure measure(ExportSource& source, std::int64_t id) {
    EpochMeasure epoch;
    const trace::EpochOps found = trace::epoch_with_ops(source.trace(), id);
    epoch.use = found.epoch;
    Statement same(source.trace().database(), "SELECT same_as FROM epoch WHERE id = ?");
    same.bind(1, id);
    if (same.step() && !same.null(0)) epoch.same_as = same.integer(0);
    same.run();
    std::map<std::int64_t, OpMeasure*> ops;
    for (const trace::OpUse& use : *found.ops) {
        OpMeasure op;
        op.op = &source.op(use.graph, use.name);
        op.operands.resize(op.op->inputs.size());
        op.use = use;
        epoch.ops.push_back(std::move(op));
    }
    for (OpMeasure& op : epoch.ops) ops[op.use.id] = &op;
    add_cores(source, epoch, ops);
    add_flows(source, epoch, ops);
    for (OpMeasure& op : epoch.ops)
        std::stable_sort(op.outputs.begin(), op.outputs.end(), [](const PipeMeasure& a, const PipeMeasure& b) {
            return a.factor().value_or(0) > b.factor().value_or(0);
        });
    Statement stages(source.trace().database(), "SELECT id, unpack, math, pack FROM op WHERE plan = ?");
    stages.bind(1, epoch.use.plan);
    while (stages.step())
        if (const auto op = ops.find(stages.integer(0)); op != ops.end()) {
            op->second->unpack = stages.integer(1);
            op->second->math = stages.integer(2);
            op->second->pack = stages.integer(3);
        }
    return epoch;
}

std::optional<double> cycles_per_input(const CoreMeasure& core) {
    const InputMeasure &first = core.recorded.front(), &last = core.recorded.back();
    if (last.input == first.input) return std::nullopt;
    return as_real(last.last_pack - first.last_pack) / as_real(last.input - first.input);
}

}  // namespace ttsim::impl::report
