#include "analysis/trace/perf_data.hpp"

#include <algorithm>

#include "analysis/trace/json_list.hpp"
#include "base/error.hpp"

namespace ttsim::impl::trace {

std::string to_string(Cause cause) {
    static const std::array<const char*, cause_count> names{"math", "unpack", "source", "noc",    "dram",
                                                            "room", "output", "dst",    "packer", "drain"};
    const auto at = static_cast<std::size_t>(cause);
    return at < names.size() ? names[at] : "";
}

double CoreCycles::share(Cause cause) const {
    const auto at = static_cast<std::size_t>(cause);
    return end > start && at < causes.size() ? static_cast<double>(causes[at]) / static_cast<double>(end - start) : 0;
}

/// Chunks in flight overlap, and a pipe may wait for room while a chunk is in flight. The larger of both measures is
/// used.
double PipeUse::active_cycles() const {
    const std::int64_t waits = wait_source + wait_room + wait_block + wait_lockstep;
    const std::int64_t active = std::max(span - waits, std::min(in_flight, span));
    return bytes > 0 ? static_cast<double>(active) * static_cast<double>(input_bytes) / static_cast<double>(bytes) : 0;
}

double Resource::busy_between(double bucket, double begin, double end) const {
    double busy_cycles = 0;
    for (std::size_t n = 0; n < buckets.size() && bucket > 0; ++n) {
        const double from = static_cast<double>(n) * bucket;
        if (from >= end) break;
        const double inside = std::min(end, from + bucket) - std::max(begin, from);
        if (inside > 0) busy_cycles += buckets[n] * inside / bucket;
    }
    return busy_cycles;
}

const EpochDetail& PerfData::detail(std::int64_t epoch) const {
    const auto same = same_as.find(epoch);
    const auto found = details.find(same == same_as.end() ? epoch : same->second);
    if (found == details.end()) fail_input({}, "there is no epoch {}", epoch);
    return found->second;
}

namespace {

std::vector<CoreCycles> core_cycles(Reader& trace, std::int64_t epoch) {
    Statement query(trace.database(),
                    "SELECT c.op, c.core, k.x, k.y, c.inputs, c.start, c.end, c.tiles, c.math, c.math_bound, "
                    "c.unpack_bound, c.wait_source, c.wait_noc, c.wait_dram, c.wait_room, c.wait_output, c.wait_dst, "
                    "c.wait_pack, c.drain FROM op_core c JOIN core k ON k.id = c.core "
                    "WHERE c.epoch = ? ORDER BY c.core");
    query.bind(1, epoch);
    std::vector<CoreCycles> cores;
    while (query.step()) {
        CoreCycles core;
        int column = query.integers(
            0, {&core.op, &core.id, &core.x, &core.y, &core.inputs, &core.start, &core.end, &core.tiles, &core.math});
        for (std::int64_t& cause : core.causes) cause = query.integer(column++);
        cores.push_back(core);
    }
    return cores;
}

/// The channel of each buffer of a queue: [[channel, address], ...].
std::vector<QueuePlace> queue_places(Reader& trace) {
    Statement query(trace.database(), "SELECT name, coalesce(chip, 0), buffers, place FROM queue ORDER BY id");
    std::vector<QueuePlace> queues;
    while (query.step()) {
        QueuePlace queue{query.text(0), query.integer(1), {}};
        if (query.text(3) == "dram") queue.channels = first_of_each(trace, query.text(2));
        queues.push_back(std::move(queue));
    }
    return queues;
}

}  // namespace

std::vector<PipeUse> pipe_uses(Reader& trace, std::int64_t epoch) {
    Statement query(
        trace.database(),
        "SELECT f.kind, f.op, coalesce(f.operand, 0), coalesce(f.from_op, -1), coalesce(f.queue, -1), "
        "f.place, f.cores, f.bytes, t.bytes, max(t.last_arrival - t.first_sent, 0), t.in_flight, t.wait_source, "
        "t.wait_room, t.wait_block, t.wait_lockstep FROM flow_total t JOIN flow f ON f.id = t.flow WHERE "
        "t.epoch = ? ORDER BY f.id");
    query.bind(1, epoch);
    std::vector<PipeUse> pipes;
    while (query.step()) {
        PipeUse pipe;
        pipe.kind = query.text(0);
        query.integers(1, {&pipe.op, &pipe.operand, &pipe.from_op, &pipe.queue});
        pipe.place = query.text(5);
        pipe.cores = whole_list(trace, query.text(6));
        query.integers(7, {&pipe.input_bytes, &pipe.bytes, &pipe.span, &pipe.in_flight, &pipe.wait_source,
                           &pipe.wait_room, &pipe.wait_block, &pipe.wait_lockstep});
        pipes.push_back(std::move(pipe));
    }
    return pipes;
}

std::vector<Resource> all_resources(Reader& trace) {
    Statement query(trace.database(),
                    "SELECT kind, name, chip, coalesce(x, -1), coalesce(y, -1), coalesce(channel, -1), "
                    "coalesce(to_chip, -1), bytes_per_cycle, transfers, bytes, busy, queueing, buckets, "
                    "coalesce(direction, '') FROM resource ORDER BY id");
    std::vector<Resource> all;
    while (query.step()) {
        Resource one;
        one.kind = query.text(0);
        one.name = query.text(1);
        query.integers(2, {&one.chip, &one.x, &one.y, &one.channel, &one.to_chip});
        one.bytes_per_cycle = query.real(7);
        query.integers(8, {&one.transfers, &one.bytes, &one.busy, &one.queueing});
        one.buckets = real_list(trace, query.text(12));
        one.direction = query.text(13);
        all.push_back(std::move(one));
    }
    return all;
}

PerfData read_perf_data(Reader& trace) {
    PerfData data;
    data.run = trace.run();
    data.chip_cores = chip_cores(trace);
    Statement same(trace.database(), "SELECT id, same_as FROM epoch WHERE same_as IS NOT NULL");
    while (same.step()) data.same_as[same.integer(0)] = same.integer(1);
    for (EpochOps& each : epochs_with_ops(trace)) {
        const std::int64_t id = each.epoch.id;
        if (!data.same_as.contains(id)) data.details[id] = {*each.ops, core_cycles(trace, id), pipe_uses(trace, id)};
        data.epochs.push_back(std::move(each.epoch));
    }
    for (const auto& [epoch, as] : data.same_as)
        if (!data.details.contains(as))
            fail_input({trace.path(), 0, 0}, "epoch {} repeats {}, which does not exist", epoch, as);
    data.queues = queue_places(trace);
    data.resources = all_resources(trace);
    return data;
}

}  // namespace ttsim::impl::trace
