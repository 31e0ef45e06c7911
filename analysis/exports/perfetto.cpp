#include "analysis/exports/perfetto.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/exports/perfetto_events.hpp"
#include "base/error.hpp"

namespace ttsim::impl::trace {

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::vector<std::vector<std::int64_t>> number_rows(const Database& database, const std::string& text) {
    const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
    std::vector<std::vector<std::int64_t>> rows;
    bool right = list.is_array();
    if (right)
        for (const auto& row : list) {
            right = right && row.is_array() && std::all_of(row.begin(), row.end(), [](const auto& n) {
                        return n.is_number_integer() && n.template get<std::int64_t>() <= Statement::largest &&
                               n.template get<std::int64_t>() >= -Statement::largest;
                    });
            if (right) rows.push_back(row.template get<std::vector<std::int64_t>>());
        }
    if (!right) fail_input({database.shown(), 0, 0}, "contains an invalid list of events");
    return rows;
}

namespace {

/// Assigns tracks: epochs of a chip may overlap when they use different cores; each then needs its own track.
class Lanes {
public:
    std::int64_t lane(std::int64_t start, std::int64_t end) {
        const auto free = std::find_if(ends_.begin(), ends_.end(), [&](std::int64_t e) { return e <= start; });
        const auto at = free - ends_.begin();
        if (free == ends_.end())
            ends_.push_back(end);
        else
            *free = end;
        return at;
    }

private:
    std::vector<std::int64_t> ends_;
};

void add_epochs(Reader& trace, PerfettoWriter& out) {
    out.name_process(epochs_process, "epochs");
    Statement query(trace.database(),
                    "SELECT e.id, e.graphs, e.start, e.cycles, e.inputs, c.value FROM epoch e JOIN "
                    "json_each(e.chips) c ORDER BY e.start, e.id, c.value");
    std::map<std::int64_t, Lanes> lanes;
    std::map<std::int64_t, bool> named;
    while (query.step()) {
        const std::int64_t chip = query.integer(5, 1 << 16), start = query.integer(2), end = start + query.integer(3);
        if (!out.shows(start)) continue;
        const std::int64_t lane = lanes[chip].lane(start, end), track = chip * 100 + lane + 1;
        if (!named[track])
            out.name_track(epochs_process, track,
                           lane == 0 ? fmt::format("chip {}", chip) : fmt::format("chip {} ({})", chip, lane + 1));
        named[track] = true;
        out.slice(fmt::format("epoch {}: {}", query.integer(0), query.text(1)), "epoch", epochs_process, track, start,
                  end, fmt::format(R"("inputs":{},"cycles":{})", query.integer(4), query.integer(3)));
    }
}

PerfettoPart part_of(const std::string& kind, std::int64_t noc) {
    if (kind == "dram") return PerfettoPart::Dram;
    if (kind == "pcie") return PerfettoPart::Host;
    if (kind == "ethernet") return PerfettoPart::Ethernet;
    return noc == 0 ? PerfettoPart::Noc0 : PerfettoPart::Noc1;
}

const char* part_name(PerfettoPart part) {
    static constexpr std::array names{"cores", "NoC 0", "NoC 1", "DRAM", "queues", "host", "Ethernet"};
    return names[static_cast<std::size_t>(part)];
}

/// SQL condition that excludes links that are never busy enough.
std::string resources_where(const PerfettoOptions& options) {
    return fmt::format(
        "r.transfers > 0 AND (r.kind != 'noc' OR (SELECT max(b.value) FROM json_each(r.buckets) b) >= {} "
        "* (SELECT bucket_cycles FROM run) / 100.0)",
        options.least_percent);
}

void add_processes(Reader& trace, PerfettoWriter& out) {
    Statement chips(trace.database(), "SELECT id, arch FROM chip ORDER BY id");
    while (chips.step()) {
        const std::int64_t chip = chips.integer(0, 1 << 16);
        out.name_process(process_of(chip, PerfettoPart::Cores), fmt::format("chip {} cores ({})", chip, chips.text(1)));
        if (trace.run().level >= 2)
            out.name_process(process_of(chip, PerfettoPart::Queues), fmt::format("chip {} queues", chip));
    }
    Statement parts(trace.database(), "SELECT DISTINCT r.chip, r.kind, coalesce(r.noc, 0) FROM resource r WHERE " +
                                          resources_where(out.options()) + " ORDER BY 1, 2, 3");
    while (parts.step()) {
        const std::int64_t chip = parts.integer(0, 1 << 16);
        const PerfettoPart part = part_of(parts.text(1), parts.integer(2));
        out.name_process(process_of(chip, part), fmt::format("chip {} {}", chip, part_name(part)));
    }
}

void add_loads(Reader& trace, PerfettoWriter& out) {
    Statement query(
        trace.database(),
        "SELECT r.chip, r.kind, coalesce(r.noc, 0), r.name, l.start, 100.0 * l.utilization FROM load l JOIN "
        "resource r ON r.id = l.resource WHERE " +
            resources_where(out.options()) + " ORDER BY r.id, l.bucket");
    std::string name;
    double before = 0;
    while (query.step()) {
        if (!out.shows(query.integer(4))) continue;
        const double percent = query.real(5);
        const bool same = query.text(3) == name && percent == before;
        name = query.text(3);
        before = percent;
        if (same) continue;  // a counter keeps its value until the next event
        out.counter(name, process_of(query.integer(0, 1 << 16), part_of(query.text(1), query.integer(2))),
                    query.integer(4), "percent", percent);
    }
}

}  // namespace

void export_perfetto(Reader& trace, const PerfettoOptions& options, const std::function<void(std::string_view)>& sink) {
    const std::unique_ptr<PerfettoWriter> writer =
        options.protobuf ? perfetto_protobuf(trace, options, sink) : perfetto_json(trace, options, sink);
    PerfettoWriter& out = *writer;
    out.begin(fmt::format(R"("netlist":{},"command":{},"clock_mhz":{})", quoted(trace.run().netlist),
                          quoted(trace.run().command), trace.run().clock_mhz));
    add_epochs(trace, out);
    add_processes(trace, out);
    add_cores(trace, out);
    if (trace.run().level >= 2) {
        add_arrows(trace, out);
        add_queues(trace, out);
    }
    add_loads(trace, out);
    out.end();
}

}  // namespace ttsim::impl::trace
