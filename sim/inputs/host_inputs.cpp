#include "sim/inputs/host_inputs.hpp"

#include "kernels/ops/integer_bits.hpp"
#include "netlist/files/npy.hpp"
#include "netlist/stimulus/stimulus.hpp"
#include "sim/values/non_finite.hpp"

namespace ttsim::impl::sim {

EntryPtr pack_host_entry(Tensor values, const Queue& queue) {
    host_convert(queue.df, {values.data.data(), values.z * values.rows, values.cols, values.cols});
    if (is_stored_as_bits(queue.df)) floats_to_integers(values);
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

namespace {

/// Input values of a queue: an array, the number of its first entry, and its source for messages.
struct SuppliedArray {
    QueueArray array;
    std::int64_t first_entry = 0;
    std::string place;
};

/// Values supplied by a program are floats, for queues of any format.
SuppliedArray from_host_values(const std::vector<Tensor>& entries, const Queue& queue, const std::string& place) {
    SuppliedArray supplied;
    supplied.array.integer = is_integer(queue.df) || is_raw(queue.df);
    if (!entries.empty()) {
        supplied.array.z = entries.front().z;
        supplied.array.rows = entries.front().rows;
        supplied.array.cols = entries.front().cols;
    }
    supplied.array.entries = entries;
    supplied.place = place;
    return supplied;
}

const ManifestEntry* find_entry(const std::optional<Manifest>& manifest, const Queue& queue) {
    if (!manifest) return nullptr;
    const auto item = std::find_if(manifest->inputs.begin(), manifest->inputs.end(),
                                   [&](const ManifestEntry& m) { return m.queue == queue.name; });
    return item == manifest->inputs.end() ? nullptr : &*item;
}

/// Finds the values of a queue; host_values take precedence over the folder.
std::optional<SuppliedArray> find_supplied(const Queue& queue, const RunOptions& options,
                                           const std::optional<Manifest>& manifest, const std::string& where) {
    const ManifestEntry* item = find_entry(manifest, queue);
    if (options.host_values)
        if (const auto found = options.host_values->find(queue.name); found != options.host_values->end())
            return from_host_values(found->second, queue, where);
    if (!item) return std::nullopt;
    const std::string file = options.inputs_dir + "/" + item->file;
    return SuppliedArray{read_npy(file, is_raw(queue.df) || is_stored_as_bits(queue.df)), item->first_entry, file};
}

/// Describes why the array does not fit the queue; "" when it fits.
std::string misfit(const SuppliedArray& supplied, const Queue& queue, const std::vector<std::int64_t>& wanted) {
    const QueueArray& array = supplied.array;
    const Tensor shape(TileShape{0, queue.shape().rt, queue.shape().ct}, queue.tile);
    if (array.z != queue.shape().z || array.rows != shape.rows || array.cols != shape.cols)
        return fmt::format("entries are [{}, {}, {}]; queue '{}' needs [{}, {}, {}]", array.z, array.rows, array.cols,
                           queue.name, queue.shape().z, shape.rows, shape.cols);
    if (const bool integer = is_integer(queue.df) || is_raw(queue.df); array.integer != integer)
        return fmt::format("dtype is {}; queue '{}' of format {} needs {}", array.integer ? "int32" : "float32",
                           queue.name, to_string(queue.df), integer ? "int32" : "float32");
    const auto have = supplied.first_entry + static_cast<std::int64_t>(array.entries.size());
    if (wanted.back() >= have || wanted.front() < supplied.first_entry)
        return fmt::format("holds entries {}..{} of queue '{}'; the run reads {}..{}", supplied.first_entry, have - 1,
                           queue.name, wanted.front(), wanted.back());
    return "";
}

/// Checks that every input of the manifest is a HOST queue, or a ram that ops write, whose first values it gives.
void check_queues(const Netlist& netlist, const Manifest& manifest, const std::string& where) {
    Diagnostics problems;
    for (const ManifestEntry& item : manifest.inputs) {
        const Queue* queue = netlist.find_queue(item.queue);
        if (!queue || !(queue->host_fed() || queue->is_op_fed_ram()))
            problems.error({where, 0, 0}, "input '{}' is not a HOST queue or ram of the netlist", item.queue);
    }
    problems.throw_if_any();
}

}  // namespace

HostInputs HostInputs::load(const Netlist& netlist, const Forecast& forecast, const RunOptions& options,
                            const std::optional<Manifest>& manifest, ThreadPool& pool) {
    HostInputs inputs;
    const std::string where = manifest ? options.inputs_dir + "/manifest.json" : netlist.file;
    if (manifest) check_queues(netlist, *manifest, where);
    Diagnostics problems;
    for (const Queue& queue : netlist.queues) {
        const auto needed = forecast.queues.find(&queue);
        if (needed == forecast.queues.end() || needed->second.host.empty()) continue;
        const std::vector<std::int64_t>& wanted = needed->second.host;
        std::optional<SuppliedArray> supplied = find_supplied(queue, options, manifest, where);
        if (!supplied) {
            problems.error({where, 0, 0}, "queue '{}' is read by the run but has no {} among the inputs", queue.name,
                           manifest ? "file" : "values");
            continue;
        }
        if (const std::string why = misfit(*supplied, queue, wanted); !why.empty()) {
            problems.error({supplied->place, 0, 0}, "{}", why);
            continue;
        }
        const auto entry = [&](std::int64_t n) -> Tensor& {
            return supplied->array.entries[static_cast<std::size_t>(n - supplied->first_entry)];
        };
        NonFinite odd;
        if (!supplied->array.integer)
            for (const std::int64_t n : wanted) odd.scan(entry(n), n);
        if (odd.count > 0) inputs.notes_.push_back(odd.text("input '" + queue.name + "'"));
        auto& to = inputs.entries_[&queue];
        for (const std::int64_t n : wanted) to[n] = nullptr;
        pool.parallel_for(wanted.size(), [&](std::size_t i) {
            Tensor& values = entry(wanted[i]);
            to.at(wanted[i]) = supplied->array.raw && is_stored_as_bits(queue.df)
                                   ? pack_entry(values, queue, Numerics::Real)
                                   : pack_host_entry(std::move(values), queue);
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
    array.raw = is_raw(queue.df) || is_stored_as_bits(queue.df);
    const Tensor zeros(queue.shape(), queue.tile);
    array.z = zeros.z;
    array.rows = zeros.rows;
    array.cols = zeros.cols;
    for (std::int64_t n = 0; n < count; ++n) {
        const auto it = entries.find(n);
        array.entries.push_back(it == entries.end() ? zeros : unpack_exactly(it->second));
    }
    write_npy(file, array);
}

}  // namespace ttsim::impl::sim
