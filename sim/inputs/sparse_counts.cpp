#include "sim/inputs/sparse_counts.hpp"

#include <algorithm>

#include "kernels/ops/op_def.hpp"
#include "netlist/files/npy.hpp"
#include "netlist/stimulus/stimulus.hpp"

namespace ttsim::impl::sim {

namespace {

constexpr std::size_t encoding = 2;  ///< index of the operand with the encoding

/// Reads the first entry from the inputs folder. Missing or invalid files are reported later, when the inputs are
/// loaded.
std::optional<Tensor> loaded(const Queue& queue, const std::string& folder, const Manifest& manifest) {
    const auto item = std::find_if(manifest.inputs.begin(), manifest.inputs.end(),
                                   [&](const ManifestEntry& m) { return m.queue == queue.name; });
    if (item == manifest.inputs.end()) return {};
    QueueArray array = read_npy(folder + "/" + item->file, is_raw(queue.df));
    if (array.entries.empty()) return {};
    return std::move(array.entries.front());
}

std::optional<SparseCounts> count(const Op& op, const Queue& queue, const FirstEntry& first_entry) {
    const std::optional<Tensor> entry = first_entry(queue);
    if (!entry || entry->z < 1) return {};
    const SparseLayout layout = sparse_layout(op.cfg);
    const OpDef* def = find_op(op.cfg.type);
    std::optional<SparseCounts> most;
    for (std::int64_t r = 0; r < op.cfg.out.grid_r; ++r)
        for (std::int64_t c = 0; c < op.cfg.out.grid_c; ++c) {
            const TileRect rect = def->use(op.cfg, encoding, r, c).rects.at(0);
            const std::int64_t h = queue.tile.h, w = queue.tile.w;
            if ((rect.r0 + rect.nr) * h > entry->rows || (rect.c0 + rect.nc) * w > entry->cols) return {};
            const auto words =
                flatten_encoding(entry->slice(0).sub(rect.r0 * h, rect.c0 * w, rect.nr * h, rect.nc * w));
            const SparseCounts counts = count_sparse(words, layout);
            if (!most || counts.tiles > most->tiles) most = counts;
        }
    return most;
}

}  // namespace

std::map<const Op*, SparseCounts> sparse_counts(const Netlist& netlist, const FirstEntry& first_entry) {
    std::map<const Op*, SparseCounts> known;
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops) {
            if (!op.cfg.attr.identity || op.inputs.size() <= encoding) continue;
            const Queue* queue = netlist.find_queue(op.inputs[encoding]);
            if (!queue || !queue->host_fed()) continue;
            try {
                if (const auto counts = count(op, *queue, first_entry)) known[&op] = *counts;
            } catch (const Error& error) {  // an invalid encoding is reported by the op that uses it
                if (error.fault() != Fault::Input) throw;
            }
        }
    return known;
}

std::map<const Op*, SparseCounts> known_sparse_counts(const Netlist& netlist, const Forecast& forecast,
                                                      const RunOptions& options, const Manifest* manifest) {
    if (!manifest && !options.host_values && options.stimulus == StimulusOrder::TestOp) return {};
    std::unique_ptr<StimulusSource> source;
    std::map<const Queue*, std::optional<Tensor>> generated;
    return sparse_counts(netlist, [&](const Queue& queue) -> std::optional<Tensor> {
        const auto pushed = forecast.queues.find(&queue);
        if (pushed == forecast.queues.end() || pushed->second.host.empty()) return {};
        if (options.host_values)
            if (const auto given = options.host_values->find(queue.name);
                given != options.host_values->end() && !given->second.empty())
                return given->second.front();
        if (manifest) return loaded(queue, options.inputs_dir, *manifest);
        if (options.host_values) return {};
        if (!source) {
            std::map<std::string, std::int64_t> entries;
            for (const auto& [other, per] : forecast.queues)
                if (!per.host.empty()) entries[other->name] = static_cast<std::int64_t>(per.host.size());
            source = make_stimulus(netlist, entries, options.seed, options.stimulus);
        }
        auto& entry = generated[&queue];
        if (!entry) entry = source->next(queue.name);
        return entry;
    });
}

}  // namespace ttsim::impl::sim
