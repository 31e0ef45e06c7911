// What the ops of a trace move and compute, the routes of their pipes, and the advice.
#include "analysis/advice/measure.hpp"
#include "analysis/page/page_parts.hpp"

namespace ttsim::impl::report {

namespace {

constexpr std::size_t page_causes = 3;

/// Bytes over the flows of each op and epoch, then the math of its cores; a row exists for each op that ran.
constexpr const char* work_query = R"(
WITH moved AS (
  SELECT l.epoch, f.op,
         sum(CASE WHEN f.place = 'dram' THEN l.bytes ELSE 0 END) AS dram,
         sum(CASE WHEN f.kind <> 'writer' THEN l.bytes ELSE 0 END) AS came,
         sum(CASE WHEN f.kind = 'writer' THEN l.bytes ELSE 0 END) AS left
  FROM flow_load l JOIN flow f ON f.id = l.flow GROUP BY l.epoch, f.op),
done AS (
  SELECT l.epoch, c.op, sum(l.math) AS math, min(l.start) AS first, max(l.end) AS last, sum(l.inputs) AS inputs
  FROM core_load l JOIN core c ON c.id = l.core GROUP BY l.epoch, c.op)
SELECT d.epoch, o.name, d.math, coalesce(m.dram, 0), coalesce(m.came, 0),
       d.inputs * o.out_bytes, d.first, d.last
FROM done d JOIN op o ON o.id = d.op LEFT JOIN moved m ON m.epoch = d.epoch AND m.op = d.op
ORDER BY d.epoch, d.first, o.id)";

constexpr const char* route_query = R"(
SELECT o.name, f.operand, p.name, q.name, r.chip, r.noc, r.links, sum(w.bytes * w.times)
FROM flow_route w JOIN flow f ON f.id = w.flow JOIN route r ON r.id = w.route JOIN op o ON o.id = f.op
LEFT JOIN op p ON p.id = f.from_op LEFT JOIN queue q ON q.id = f.queue
GROUP BY o.name, f.operand, f.kind, r.id ORDER BY f.id, r.id)";

}  // namespace

Json page_work(trace::Database& database) {
    trace::Statement query(database, work_query);
    Json rows = Json::array();
    while (query.step()) {
        Json row = Json::array({query.integer(0), query.text(1)});
        for (int column = 2; column < 8; ++column) row.push_back(query.integer(column));
        rows.push_back(std::move(row));
    }
    return rows;
}

Json page_routes(trace::Database& database) {
    trace::Statement query(database, route_query);
    Json rows = Json::array();
    while (query.step()) {
        Json links = Json::parse(query.text(6), nullptr, false);
        if (!links.is_array()) fail_input({database.shown(), 0, 0}, "the links of a route are not a list");
        rows.push_back({{"op", query.text(0)},
                        {"operand", query.integer(1)},
                        {"from", query.text(2)},
                        {"queue", query.text(3)},
                        {"chip", query.integer(4)},
                        {"noc", query.integer(5)},
                        {"links", std::move(links)},
                        {"bytes", query.integer(7)}});
    }
    return rows;
}

Json page_advice(trace::Reader& trace, bool measure) {
    AdviceReport report = advice_report(trace, page_causes);
    if (measure) {
        advice::WhatIf what_if(trace, "");
        advice::measure(report, what_if);
    }
    return Json::parse(json(report));
}

}  // namespace ttsim::impl::report
