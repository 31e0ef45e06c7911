// Views of single transfers: arrows from the packing to the receiving core, and numbers of entries in queues.
#include <algorithm>
#include <map>

#include "analysis/exports/perfetto_events.hpp"

namespace ttsim::impl::trace {

namespace {

struct Place {
    std::int64_t chip = 0, x = 0, y = 0;
    auto operator<=>(const Place&) const = default;
};

/// Slices of cores; arrows must begin and end in a slice.
class SliceTable {
public:
    SliceTable(Reader& trace, const PerfettoWriter& out) {
        Statement query(trace.database(),
                        "SELECT o.chip, c.x, c.y, r.times, r.shift, r.start, r.length FROM core_run r JOIN core c ON "
                        "c.id = r.core JOIN op o ON o.id = c.op");
        const std::int64_t most = trace.most_repeats();
        while (query.step()) {
            auto& spans = spans_[{query.integer(0), query.integer(1), query.integer(2)}];
            for (std::int64_t n = 0, times = query.integer(3, most); n < times; ++n) {
                const std::int64_t start = query.integer(5) + n * query.integer(4, Statement::largest >> 8),
                                   end = start + query.integer(6);
                if (out.shows(start) && end > start) spans.emplace_back(start, end);
            }
        }
        for (auto& [place, spans] : spans_) std::sort(spans.begin(), spans.end());
    }
    /// The cycle, or the last earlier cycle within a slice; -1: none.
    std::int64_t last_in_slice(const Place& place, std::int64_t cycle) const {
        const auto spans = spans_.find(place);
        if (spans == spans_.end()) return -1;
        const auto after = std::upper_bound(spans->second.begin(), spans->second.end(), std::pair(cycle, INT64_MAX));
        if (after == spans->second.begin()) return -1;
        return std::min(cycle, (after - 1)->second - 1);
    }
    /// The cycle, or the first later cycle within a slice; -1: none.
    std::int64_t first_in_slice(const Place& place, std::int64_t cycle) const {
        const auto spans = spans_.find(place);
        if (spans == spans_.end()) return -1;
        const auto after = std::upper_bound(spans->second.begin(), spans->second.end(), std::pair(cycle, INT64_MAX));
        if (after != spans->second.begin() && cycle < (after - 1)->second) return cycle;
        return after == spans->second.end() ? -1 : after->first;
    }

private:
    std::map<Place, std::vector<std::pair<std::int64_t, std::int64_t>>> spans_;
};

/// A flow between ops: source of each chunk of an input, and its first receiving core.
struct FlowEnds {
    Place to;
    std::vector<Place> from;
};

constexpr std::int64_t max_chunks = 1 << 20;  // per input

std::map<std::int64_t, FlowEnds> ways(Reader& trace) {
    std::map<std::int64_t, FlowEnds> all;
    Statement receivers(trace.database(),
                        "SELECT f.id, o.chip, c.x, c.y, f.chunks FROM flow f JOIN core c ON c.id = "
                        "json_extract(f.cores, '$[0]') JOIN op o ON o.id = c.op WHERE f.kind = 'operand' AND f.from_op "
                        "IS NOT NULL");
    while (receivers.step())
        all[receivers.integer(0)] = {{receivers.integer(1), receivers.integer(2), receivers.integer(3)}, {}};
    Statement sources(trace.database(),
                      "SELECT p.flow, p.chunk, p.times, r.chip, r.from_x, r.from_y FROM flow_route p JOIN route r "
                      "ON r.id = p.route WHERE p.leg = 0 ORDER BY p.flow, p.chunk");
    while (sources.step()) {
        const auto way = all.find(sources.integer(0));
        if (way == all.end()) continue;
        if (sources.integer(1, max_chunks) < 0 || sources.integer(2, max_chunks) < 0) continue;
        const Place from{sources.integer(3), sources.integer(4), sources.integer(5)};
        const auto end = static_cast<std::size_t>(sources.integer(1, max_chunks) + sources.integer(2, max_chunks));
        if (way->second.from.size() < end) way->second.from.resize(end, from);
    }
    return all;
}

/// SQL: rows of flow_run per epoch with their transfers.
constexpr const char* flow_runs =
    "SELECT e.id, r.flow, r.input, r.times, r.every, r.shift, e.start + r.start, p.events FROM epoch e JOIN flow_run r "
    "ON r.epoch = coalesce(e.same_as, e.id) JOIN pattern p ON p.id = r.pattern";

/// Times at which a queue gains and loses an entry.
class Entries {
public:
    void arrived(std::int64_t epoch, std::int64_t input, std::int64_t cycle) { latest(written_, epoch, input, cycle); }
    void taken(std::int64_t epoch, std::int64_t input, std::int64_t cycle) { latest(read_, epoch, input, cycle); }
    bool written() const { return !written_.empty(); }
    bool read() const { return !read_.empty(); }
    std::map<std::int64_t, std::int64_t> changes() const {
        std::map<std::int64_t, std::int64_t> by_cycle;
        for (const auto& [input, cycle] : written_) ++by_cycle[cycle];
        for (const auto& [input, cycle] : read_) --by_cycle[cycle];
        return by_cycle;
    }

private:
    using Moments = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;
    static void latest(Moments& moments, std::int64_t epoch, std::int64_t input, std::int64_t cycle) {
        std::int64_t& known = moments[{epoch, input}];
        known = std::max(known, cycle);
    }
    Moments written_, read_;  // over all cores of the op
};

struct QueueEnd {
    std::int64_t queue = 0;
    bool writes = false;
};

std::map<std::int64_t, QueueEnd> queue_ends(Reader& trace) {
    Statement query(
        trace.database(),
        "SELECT f.id, f.queue, f.kind = 'writer' FROM flow f JOIN queue q ON q.id = f.queue WHERE f.kind IN "
        "('operand', 'writer') AND q.type = 'queue'");
    std::map<std::int64_t, QueueEnd> ends;
    while (query.step()) ends[query.integer(0)] = {query.integer(1), query.integer(2) != 0};
    return ends;
}

}  // namespace

void add_arrows(Reader& trace, PerfettoWriter& out) {
    const std::map<std::int64_t, FlowEnds> all = ways(trace);
    const SliceTable slices(trace, out);
    const std::int64_t most = trace.most_repeats();
    Statement query(trace.database(), flow_runs);
    while (query.step()) {
        const auto way = all.find(query.integer(1));
        if (way == all.end()) continue;
        const auto events = number_rows(trace.database(), query.text(7));
        for (std::int64_t n = 0, times = query.integer(3, most); n < times; ++n)
            for (std::size_t chunk = 0; chunk < std::min(events.size(), way->second.from.size()); ++chunk) {
                const std::int64_t start = query.integer(6) + n * query.integer(5, Statement::largest >> 8);
                if (events[chunk].size() < 2 || !out.shows(start + events[chunk][0])) continue;
                const Place &from = way->second.from[chunk], &to = way->second.to;
                const std::int64_t sent = slices.last_in_slice(from, start + events[chunk][0]);
                const std::int64_t arrived = slices.first_in_slice(to, start + events[chunk][1]);
                if (sent < 0 || arrived < 0) continue;
                out.arrow(process_of(from.chip, PerfettoPart::Cores), track_of(from.x, from.y), sent,
                          process_of(to.chip, PerfettoPart::Cores), track_of(to.x, to.y), arrived);
            }
    }
}

void add_queues(Reader& trace, PerfettoWriter& out) {
    const std::map<std::int64_t, QueueEnd> ends = queue_ends(trace);
    std::map<std::int64_t, Entries> queues;
    const std::int64_t most = trace.most_repeats();
    Statement query(trace.database(), flow_runs);
    while (query.step()) {
        const auto end = ends.find(query.integer(1));
        if (end == ends.end()) continue;
        const auto events = number_rows(trace.database(), query.text(7));
        if (events.empty() || events.back().size() < 2) continue;
        Entries& entries = queues[end->second.queue];
        for (std::int64_t n = 0, times = query.integer(3, most); n < times; ++n) {
            const std::int64_t input = query.integer(2) + n * query.integer(4, Statement::largest >> 8);
            const std::int64_t cycle =
                query.integer(6) + n * query.integer(5, Statement::largest >> 8) + events.back()[1];
            if (end->second.writes)
                entries.arrived(query.integer(0), input, cycle);
            else
                entries.taken(query.integer(0), input, cycle);
        }
    }
    Statement names(trace.database(), "SELECT id, name, chip FROM queue ORDER BY id");
    while (names.step()) {
        const auto found = queues.find(names.integer(0));
        // pushes of the host are not in a trace
        if (found == queues.end() || !found->second.written()) continue;
        const std::string name = names.text(1) + (found->second.read() ? " entries" : " entries written");
        std::int64_t fill = 0;
        for (const auto& [cycle, change] : found->second.changes()) {
            fill += change;
            if (out.shows(cycle))
                out.counter(name, process_of(names.integer(2, 1 << 16), PerfettoPart::Queues), cycle, "entries",
                            static_cast<double>(fill));
        }
    }
}

}  // namespace ttsim::impl::trace
