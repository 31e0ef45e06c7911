#include "tools/ttperf/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/common/output.hpp"
#include "tools/common/table.hpp"

namespace tt::cli {

using Json = nlohmann::ordered_json;
using trace::EpochUse;
using trace::OpUse;
using trace::ResourceUse;
using trace::RunInfo;

namespace {

std::string whole(double number) { return grouped(static_cast<std::int64_t>(std::llround(number))); }
std::string bytes_rate(double number) { return fmt::format("{:.1f}", number); }

/// Rows of JSON objects as CSV, with the keys of the first row as titles.
std::string csv(const Json& rows, const std::vector<std::string>& titles) {
    std::string text = fmt::format("{}\n", fmt::join(titles, ","));
    for (const Json& row : rows) {
        std::string line;
        for (const std::string& title : titles) {
            if (!line.empty() || title != titles.front()) line += ',';
            const Json& cell = row.at(title);
            if (!cell.is_string()) {
                line += cell.is_null() ? "" : cell.dump();
                continue;
            }
            std::string words = cell.get<std::string>();
            if (words.find_first_of(",\"\n") != std::string::npos) {
                for (std::size_t at = 0; (at = words.find('"', at)) != std::string::npos; at += 2)
                    words.insert(at, "\"");
                words = '"' + words + '"';
            }
            line += words;
        }
        text += line + "\n";
    }
    return text;
}

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json run_json(const RunInfo& run) {
    return {{"netlist", run.netlist},     {"arch", run.arch},
            {"device", run.device},       {"mode", run.mode},
            {"command", run.command},     {"ttsim", run.ttsim},
            {"seed", run.seed},           {"inputs_count", run.inputs_count ? Json(*run.inputs_count) : Json(nullptr)},
            {"clock_mhz", run.clock_mhz}, {"level", run.level},
            {"status", run.status},       {"message", run.message},
            {"cycles", run.cycles}};
}

Json epoch_json(const EpochUse& e) {
    return {{"epoch", e.id},
            {"graphs", e.graphs},
            {"chips", e.chips},
            {"status", e.status},
            {"inputs", e.inputs},
            {"start", e.start},
            {"cycles", e.cycles},
            {"inputs_per_second", e.inputs_per_second},
            {"cores", e.cores},
            {"utilization", e.utilization},
            {"matmul_cores", e.matmul_cores},
            {"matmul_utilization", e.matmul_utilization},
            {"limiting_op", e.limiting_op},
            {"limit", to_string(e.limit)}};
}
const std::vector<std::string> epoch_titles{"epoch",       "graphs",      "chips",        "status",
                                            "inputs",      "start",       "cycles",       "inputs_per_second",
                                            "cores",       "utilization", "matmul_cores", "matmul_utilization",
                                            "limiting_op", "limit"};

Json op_json(const OpUse& op) {
    return {{"op", op.name},
            {"type", op.type},
            {"graph", op.graph},
            {"chip", op.chip},
            {"grid_r", op.grid_r},
            {"grid_c", op.grid_c},
            {"inputs", op.inputs},
            {"tiles", op.tiles},
            {"est", op.est},
            {"kernel", op.kernel},
            {"bw_kernel", op.bw_kernel},
            {"cycles", op.cycles},
            {"limit", to_string(op.limit)},
            {"wait_source", op.wait_source},
            {"wait_room", op.wait_room},
            {"math_utilization", op.math_utilization},
            {"in_bytes_per_cycle_needed", op.in_needed()},
            {"in_bytes_per_cycle_got", op.in_got()},
            {"out_bytes_per_cycle_needed", op.out_needed()},
            {"out_bytes_per_cycle_got", op.out_got()}};
}
const std::vector<std::string> op_titles{"op",
                                         "type",
                                         "graph",
                                         "chip",
                                         "grid_r",
                                         "grid_c",
                                         "inputs",
                                         "tiles",
                                         "est",
                                         "kernel",
                                         "bw_kernel",
                                         "cycles",
                                         "limit",
                                         "wait_source",
                                         "wait_room",
                                         "math_utilization",
                                         "in_bytes_per_cycle_needed",
                                         "in_bytes_per_cycle_got",
                                         "out_bytes_per_cycle_needed",
                                         "out_bytes_per_cycle_got"};

Json resource_json(const ResourceUse& r) {
    return {{"kind", r.kind},
            {"name", r.name},
            {"bytes_per_cycle", r.bytes_per_cycle},
            {"transfers", r.transfers},
            {"bytes", r.bytes},
            {"busy", r.busy},
            {"queueing", r.queueing},
            {"utilization", r.utilization},
            {"peak_utilization", r.peak}};
}
const std::vector<std::string> resource_titles{"kind", "name",     "bytes_per_cycle", "transfers",       "bytes",
                                               "busy", "queueing", "utilization",     "peak_utilization"};

std::string head(const RunInfo& run) {
    std::string text = fmt::format("{} on {} ({}), {} mode: {} cycles", run.netlist, run.device, run.arch, run.mode,
                                   grouped(run.cycles));
    if (run.clock_mhz > 0)
        text +=
            fmt::format(", {:.4g} ms at {} MHz",
                        static_cast<double>(run.cycles) / (1000.0 * static_cast<double>(run.clock_mhz)), run.clock_mhz);
    text += "\n";
    if (run.status != "complete") text += fmt::format("note: the run ended early ({}): {}\n", run.status, run.message);
    return text;
}

std::string inputs_rate(double rate) {
    if (rate >= 1000) return whole(rate);
    return fmt::format("{:.4g}", rate);
}

std::string epochs_text(const RunInfo& run, const std::vector<EpochUse>& epochs) {
    Table table({{"epoch"},
                 {"graphs", false},
                 {"inputs"},
                 {"cycles"},
                 {"inputs/s"},
                 {"cores"},
                 {"util"},
                 {"matmul cores"},
                 {"matmul util"},
                 {"limiting op", false},
                 {"by", false}});
    for (const EpochUse& e : epochs)
        table.add({grouped(e.id), e.graphs, grouped(e.inputs), grouped(e.cycles), inputs_rate(e.inputs_per_second),
                   grouped(e.cores), percent(e.utilization), grouped(e.matmul_cores), percent(e.matmul_utilization),
                   e.limiting_op.empty() ? "-" : e.limiting_op, to_string(e.limit)});
    return head(run) + "\n" + table.text(report_width());
}

std::string ops_text(const RunInfo& run, const EpochUse& epoch, const std::vector<OpUse>& ops) {
    Table table({{"op", false},
                 {"type", false},
                 {"grid"},
                 {"est"},
                 {"kernel"},
                 {"bw_kernel"},
                 {"cycles"},
                 {"limits", false},
                 {"for input"},
                 {"for room"},
                 {"math"},
                 {"in need"},
                 {"in got"},
                 {"out need"},
                 {"out got"}});
    for (const OpUse& op : ops) {
        const auto part = [&](double wait) { return percent(op.cycles > 0 ? wait / op.cycles : 0); };
        table.add({op.name, op.type, fmt::format("{}x{}", op.grid_r, op.grid_c), whole(op.est), whole(op.kernel),
                   whole(op.bw_kernel), whole(op.cycles), to_string(op.limit), part(op.wait_source), part(op.wait_room),
                   percent(op.math_utilization), bytes_rate(op.in_needed()), bytes_rate(op.in_got()),
                   bytes_rate(op.out_needed()), bytes_rate(op.out_got())});
    }
    return head(run) +
           fmt::format("\nepoch {}: {} on chips {}, {} inputs, {} cycles from cycle {}, {} inputs/s\n", epoch.id,
                       epoch.graphs, epoch.chips, grouped(epoch.inputs), grouped(epoch.cycles), grouped(epoch.start),
                       inputs_rate(epoch.inputs_per_second)) +
           table.text(report_width()) +
           "\ncycles are per input, of the op's slowest core; need and got are bytes per cycle\n";
}

std::string resources_text(const RunInfo& run, const std::vector<ResourceUse>& resources) {
    Table table(
        {{"resource", false}, {"B/cycle"}, {"transfers"}, {"bytes"}, {"busy"}, {"util"}, {"peak"}, {"queueing"}});
    for (const ResourceUse& r : resources)
        table.add({r.name, fmt::format("{:g}", r.bytes_per_cycle), grouped(r.transfers), grouped(r.bytes),
                   grouped(r.busy), percent(r.utilization), percent(r.peak), grouped(r.queueing)});
    return head(run) + "\n" + table.text(report_width());
}

template <class Row, class ToJson>
Json json_rows(const std::vector<Row>& rows, ToJson to_json) {
    Json all = Json::array();
    for (const Row& row : rows) all.push_back(to_json(row));
    return all;
}

}  // namespace

std::string epochs_report(const RunInfo& run, const std::vector<EpochUse>& epochs, Form form) {
    if (form == Form::Text) return epochs_text(run, epochs);
    Json rows = json_rows(epochs, epoch_json);
    if (form == Form::Csv) return csv(rows, epoch_titles);
    return json_text({{"run", run_json(run)}, {"epochs", std::move(rows)}});
}

std::string ops_report(const RunInfo& run, const EpochUse& epoch, const std::vector<OpUse>& ops, Form form) {
    if (form == Form::Text) return ops_text(run, epoch, ops);
    Json rows = json_rows(ops, op_json);
    if (form == Form::Csv) return csv(rows, op_titles);
    return json_text({{"run", run_json(run)}, {"epoch", epoch_json(epoch)}, {"ops", std::move(rows)}});
}

std::string resources_report(const RunInfo& run, const std::vector<ResourceUse>& resources, Form form) {
    if (form == Form::Text) return resources_text(run, resources);
    Json rows = json_rows(resources, resource_json);
    if (form == Form::Csv) return csv(rows, resource_titles);
    return json_text({{"run", run_json(run)}, {"resources", std::move(rows)}});
}

}  // namespace tt::cli
