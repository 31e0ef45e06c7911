#include "sim/host_inputs.hpp"

#include "netlist/npy.hpp"
#include "netlist/stimulus/stimulus.hpp"
#include "sim/non_finite.hpp"

namespace tt::sim {

EntryPtr pack_host_entry(Tensor values, const Queue& queue) {
    host_convert(queue.df, {values.data.data(), values.z * values.rows, values.cols, values.cols});
    return pack_entry(values, queue, Numerics::Real);
}

HostInputs HostInputs::generate(const Netlist& netlist, const Forecast& forecast, std::uint32_t seed,
                                StimulusOrder order, ThreadPool& pool) {
    HostInputs inputs;
    std::map<std::string, std::int64_t> counts;
    for (const auto& [queue, per] : forecast.queues)
        if (!per.host.empty()) counts[queue->name] = static_cast<std::int64_t>(per.host.size());
    const std::unique_ptr<StimulusSource> source = make_stimulus(netlist, counts, seed, order);
    struct Work {
        const Queue* queue;
        const std::vector<std::int64_t>* numbers;
        std::map<std::int64_t, EntryPtr>* to;
    };
    std::vector<Work> work;
    for (const Queue& queue : netlist.queues) {  // file order: the same on every run
        const auto it = forecast.queues.find(&queue);
        if (it != forecast.queues.end() && !it->second.host.empty())
            work.push_back({&queue, &it->second.host, &inputs.entries_[&queue]});
    }
    pool.parallel_for(work.size(), [&](std::size_t i) {
        for (const std::int64_t n : *work[i].numbers)
            (*work[i].to)[n] = pack_host_entry(source->next(work[i].queue->name), *work[i].queue);
    });
    return inputs;
}

static QueueArray array_of(const std::vector<Tensor>& entries) {
    QueueArray array;
    if (!entries.empty()) {
        array.z = entries.front().z;
        array.rows = entries.front().rows;
        array.cols = entries.front().cols;
    }
    array.entries = entries;
    return array;
}

HostInputs HostInputs::load(const Netlist& netlist, const Forecast& forecast, const std::string& folder,
                            const Manifest& manifest, const std::map<std::string, std::vector<Tensor>>& values,
                            ThreadPool& pool) {
    HostInputs inputs;
    Diagnostics problems;
    const std::string where = folder + "/manifest.json";
    for (const ManifestEntry& item : manifest.inputs) {
        const Queue* queue = netlist.find_queue(item.queue);
        if (!queue || !queue->host_fed())
            problems.error({where, 0, 0}, "input '{}' is not a HOST queue of the netlist", item.queue);
    }
    problems.throw_if_any();
    for (const Queue& queue : netlist.queues) {
        const auto needed = forecast.queues.find(&queue);
        if (needed == forecast.queues.end() || needed->second.host.empty()) continue;
        const auto item = std::find_if(manifest.inputs.begin(), manifest.inputs.end(),
                                       [&](const ManifestEntry& m) { return m.queue == queue.name; });
        if (item == manifest.inputs.end()) {
            problems.error({where, 0, 0}, "queue '{}' is read by the run but has no file among the inputs", queue.name);
            continue;
        }
        const std::string file = folder + "/" + item->file;
        const auto given = values.find(queue.name);
        QueueArray array = given == values.end() ? read_npy(file, is_raw(queue.df)) : array_of(given->second);
        const Tensor shape(TileShape{0, queue.shape().rt, queue.shape().ct}, queue.tile);
        const bool integer = is_integer(queue.df) || is_raw(queue.df);
        if (array.z != queue.shape().z || array.rows != shape.rows || array.cols != shape.cols) {
            problems.error({file, 0, 0}, "entries are [{}, {}, {}]; queue '{}' needs [{}, {}, {}]", array.z, array.rows,
                           array.cols, queue.name, queue.shape().z, shape.rows, shape.cols);
            continue;
        }
        if (array.integer != integer) {
            problems.error({file, 0, 0}, "dtype is {}; queue '{}' of format {} needs {}",
                           array.integer ? "int32" : "float32", queue.name, to_string(queue.df),
                           integer ? "int32" : "float32");
            continue;
        }
        const std::int64_t last = needed->second.host.back();
        const auto have = item->first_entry + static_cast<std::int64_t>(array.entries.size());
        if (last >= have || needed->second.host.front() < item->first_entry) {
            problems.error({file, 0, 0}, "holds entries {}..{} of queue '{}'; the run reads {}..{}", item->first_entry,
                           have - 1, queue.name, needed->second.host.front(), last);
            continue;
        }
        NonFinite odd;
        if (!integer)
            for (const std::int64_t n : needed->second.host)
                odd.scan(array.entries[static_cast<std::size_t>(n - item->first_entry)], n);
        if (odd.count > 0) inputs.notes_.push_back(odd.text("input '" + queue.name + "'"));
        auto& to = inputs.entries_[&queue];
        for (const std::int64_t n : needed->second.host) to[n] = nullptr;
        pool.parallel_for(needed->second.host.size(), [&](std::size_t i) {
            const std::int64_t n = needed->second.host[i];
            to.at(n) =
                pack_host_entry(std::move(array.entries[static_cast<std::size_t>(n - item->first_entry)]), queue);
        });
    }
    problems.throw_if_any();
    return inputs;
}

EntryPtr HostInputs::entry(const Queue& queue, std::int64_t n) const {
    const auto it = entries_.find(&queue);
    if (it == entries_.end()) return nullptr;
    const auto at = it->second.find(n);
    return at == it->second.end() ? nullptr : at->second;
}

void dump_queue(const std::string& file, const Queue& queue, const std::map<std::int64_t, EntrySpan>& entries,
                std::int64_t count) {
    QueueArray array;
    array.integer = is_integer(queue.df) || is_raw(queue.df);
    array.raw = is_raw(queue.df);
    const Tensor zeros(queue.shape(), queue.tile);
    array.z = zeros.z;
    array.rows = zeros.rows;
    array.cols = zeros.cols;
    for (std::int64_t n = 0; n < count; ++n) {
        const auto it = entries.find(n);
        array.entries.push_back(it == entries.end() ? zeros : unpack_entry(it->second));
    }
    write_npy(file, array);
}

}  // namespace tt::sim
