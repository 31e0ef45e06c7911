// The trace part of a page: ttperf's tables and the data of the timelines. As in the trace, epochs that repeat an
// earlier one have no rows.
#include <cmath>

#include "analysis/page/page_parts.hpp"
#include "analysis/trace_report/trace_report.hpp"

namespace ttsim::impl::report {

double page_rounded(double value) { return std::round(value * 1000) / 1000; }

namespace {

void round_numbers(Json& json) {
    if (json.is_number_float())
        json = page_rounded(json.get<double>());
    else if (json.is_structured())
        for (Json& part : json) round_numbers(part);
}

Json rounded_json(const TraceReport& report) {
    Json json = Json::parse(report::json(report));
    round_numbers(json);
    return json;
}

/// [epoch, op, x, y, start, end, busy, the waits, math] of each core.
Json core_rows(trace::Database& database) {
    trace::Statement query(
        database,
        "SELECT c.epoch, o.name, k.x, k.y, c.start, c.end, c.busy, c.wait_source, c.wait_noc, c.wait_dram, "
        "c.wait_room, "
        "c.wait_output, c.wait_dst, c.wait_pack, c.drain, l.math FROM op_core c JOIN core k ON k.id = c.core JOIN op o "
        "ON o.id = c.op JOIN core_load l ON l.epoch = c.epoch AND l.core = c.core");
    Json rows = Json::array();
    while (query.step()) {
        Json row = Json::array({query.integer(0), query.text(1)});
        for (int column = 2; column < 16; ++column) row.push_back(query.integer(column));
        rows.push_back(std::move(row));
    }
    return rows;
}

/// The inputs of each core (core_load.series in trace.md). `slowest`: the core of an op with the most own cycles.
Json core_series(trace::Database& database) {
    trace::Statement query(database,
                           "SELECT l.epoch, o.id, o.name, o.chip, c.x, c.y, l.start, l.end, l.series, l.math_bound + "
                           "l.unpack_bound + l.wait_noc + l.wait_dram + l.wait_output + l.wait_dst + l.wait_pack + "
                           "l.drain FROM core_load l JOIN core c ON c.id = l.core JOIN op o ON o.id = c.op ORDER BY "
                           "l.epoch, min(l.start) OVER (PARTITION BY l.epoch, o.id), o.id, c.id");
    Json rows = Json::array();
    std::pair<std::int64_t, std::int64_t> op{-1, -1};
    std::size_t slowest = 0;
    std::int64_t most = 0;
    const auto mark = [&] {
        if (!rows.empty()) rows[slowest]["slowest"] = true;
    };
    while (query.step()) {
        Json series = Json::parse(query.text(8), nullptr, false);
        if (!series.is_array()) fail_input({database.shown(), 0, 0}, "the series of a core is not a list");
        const std::pair of{query.integer(0), query.integer(1)};
        const std::int64_t own = query.integer(9);
        if (of != op) mark();
        if (of != op || own > most) {
            slowest = rows.size();
            most = own;
        }
        op = of;
        rows.push_back({{"epoch", of.first},
                        {"op", query.text(2)},
                        {"chip", query.integer(3)},
                        {"x", query.integer(4)},
                        {"y", query.integer(5)},
                        {"start", query.integer(6)},
                        {"end", query.integer(7)},
                        {"series", std::move(series)}});
    }
    mark();
    return rows;
}

/// Busy cycles per time bucket and resource, without unused resources.
Json load_rows(trace::Database& database) {
    trace::Statement query(database,
                           "SELECT name, kind, chip, buckets, bytes, bytes_per_cycle, noc, x, y, direction, channel, "
                           "to_chip FROM resource WHERE transfers > 0 ORDER BY busy DESC");
    Json rows = Json::array();
    while (query.step()) {
        const Json buckets = Json::parse(query.text(3), nullptr, false);
        if (!buckets.is_array()) fail_input({database.shown(), 0, 0}, "the buckets of a resource are not a list");
        Json row{{"name", query.text(0)},     {"kind", query.text(1)},
                 {"chip", query.integer(2)},  {"busy", buckets},
                 {"bytes", query.integer(4)}, {"bytes_per_cycle", page_rounded(query.real(5))}};
        if (query.text(1) == "noc") {
            row["noc"] = query.integer(6);
            row["at"] = {query.integer(7), query.integer(8)};
            row["direction"] = query.text(9);
        }
        if (query.text(1) == "dram") row["channel"] = query.integer(10);
        if (query.text(1) == "ethernet") row["to_chip"] = query.integer(11);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

Json page_trace(trace::Reader& trace) {
    const std::vector<trace::EpochOps> all = trace::epochs_with_ops(trace);
    std::vector<trace::EpochUse> epochs;
    for (const trace::EpochOps& each : all) epochs.push_back(each.epoch);
    Json json = rounded_json({trace.run(), std::move(epochs), {}, {}, {}, {}});
    json["bucket_cycles"] = trace.run().bucket_cycles;
    Json ops = Json::array();
    std::size_t at = 0;
    trace::Statement same(trace.database(), "SELECT id, coalesce(same_as, -1) FROM epoch ORDER BY id");
    while (same.step()) {
        const std::int64_t id = same.integer(0), as = same.integer(1);
        const trace::EpochOps& use = all.at(at);
        Json& epoch = json.at("epochs").at(at++);
        if (as >= 0) {
            epoch["same_as"] = as;
            continue;
        }
        Json one = rounded_json({trace.run(), {}, use.epoch, *use.ops, {}, {}});
        for (Json& op : one.at("ops")) {
            op["epoch"] = id;
            ops.push_back(std::move(op));
        }
    }
    json["ops"] = std::move(ops);
    json["resources"] = std::move(rounded_json(resources_report(trace)).at("resources"));
    json["cores"] = core_rows(trace.database());
    json["series"] = core_series(trace.database());
    json["loads"] = load_rows(trace.database());
    json["work"] = page_work(trace.database());
    if (trace.run().level >= 2) json["routes"] = page_routes(trace.database());
    return json;
}

}  // namespace ttsim::impl::report
