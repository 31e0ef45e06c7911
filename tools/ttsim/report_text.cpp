#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/common/table.hpp"
#include "tools/ttsim/report.hpp"

namespace tt::cli {

namespace {

std::string rate(double per_second) {
    if (per_second >= 1000 && per_second < 1e15) return grouped(static_cast<std::uint64_t>(std::llround(per_second)));
    return fmt::format("{:.4g}", per_second);
}

std::string plural(std::int64_t n, const std::string& what) {
    return fmt::format("{} {}{}", grouped(n), what, n == 1 ? "" : "s");
}

std::string op_table(const sim::GraphReport& graph, bool timed) {
    std::vector<Table::Column> columns{{"op", false}, {"type", false}, {"grid"}, {"tiles"}};
    if (timed) columns.insert(columns.end(), {{"first"}, {"last"}, {"busy"}, {"share"}});
    Table table(columns);
    for (const sim::OpReport& op : graph.ops) {
        std::vector<std::string> row{op.name, op.type, fmt::format("{}x{}", op.grid_r, op.grid_c), grouped(op.tiles)};
        if (timed) {
            const double share =
                graph.cycles == 0 ? 0 : static_cast<double>(op.busy_cycles) / static_cast<double>(graph.cycles);
            row.insert(row.end(),
                       {grouped(op.first_cycle), grouped(op.last_cycle), grouped(op.busy_cycles), percent(share)});
        }
        table.add(std::move(row));
    }
    return table.text();
}

std::string graph_text(const sim::GraphReport& graph, bool timed) {
    std::string out = fmt::format("\ngraph {} on chip {}: {} in {}", graph.name, graph.device,
                                  plural(graph.inputs, "input"), plural(graph.executes, "execute"));
    if (timed) out += fmt::format(", {} cycles, {} inputs/s", grouped(graph.cycles), rate(graph.inputs_per_second));
    out += "\n";
    if (!graph.ops.empty()) out += op_table(graph, timed);
    return out;
}

std::string output_verdict(const QueueComparison::Result& r) {
    if (!r.judged) return "not judged";
    if (r.pass) return "pass";
    return "MISMATCH" + (r.first_failure.empty() ? "" : ": " + r.first_failure);
}

std::string outputs_text(const sim::RunReport& report) {
    if (report.outputs.empty()) return "";
    Table table({{"output", false}, {"entries"}, {"PCC"}, {"max error"}, {"within"}, {"verdict", false}});
    for (const sim::OutputReport& output : report.outputs) {
        const QueueComparison::Result& r = output.result;
        table.add({output.queue, grouped(r.entries), fmt::format("{:.6f}", r.pcc), fmt::format("{:.3g}", r.max_error),
                   percent(r.share_within), output_verdict(r)});
    }
    return "\n" + table.text();
}

/// A negative atol counts in units of golden's RMS (netlist/compare.hpp).
std::string tolerance_line(const sim::OutputReport& output) {
    const Comparison& c = output.comparison;
    if (c.type == Comparison::Type::Exact) return fmt::format("tolerance: exact ({})\n", output.rule);
    return fmt::format("tolerance: atol {}{}, rtol {}, {} within, PCC {} ({})\n", std::abs(c.atol),
                       c.atol < 0 ? " x RMS" : "", c.rtol, percent(c.check_pct), c.check_pcc, output.rule);
}

std::string tolerances_text(const sim::RunReport& report) {
    std::vector<std::string> seen;  // one line per rule, however many queues share it
    for (const sim::OutputReport& output : report.outputs) {
        std::string line = tolerance_line(output);
        if (std::find(seen.begin(), seen.end(), line) == seen.end()) seen.push_back(std::move(line));
    }
    return fmt::format("{}", fmt::join(seen, ""));
}

std::string unit(const sim::PerformanceFigure& figure) { return figure.metric == "math-utilization" ? " %" : ""; }

std::string bounds(const sim::PerformanceFigure& figure) {
    if (!figure.judged()) return "unset";
    std::string text;
    if (figure.expected != 0) text = fmt::format("{:g}{} +- {}", figure.expected, unit(figure), percent(figure.rtol));
    if (figure.min_bound != 0)
        text += fmt::format("{}>= {:g}{}", text.empty() ? "" : ", ", figure.min_bound, unit(figure));
    return text;
}

std::string performance_text(const sim::RunReport& report) {
    if (report.performance.empty()) return "";
    Table table({{"performance-check", false}, {"figure", false}, {"expected"}, {"measured"}, {"verdict", false}});
    for (const sim::PerformanceFigure& figure : report.performance)
        table.add({figure.check, figure.metric, bounds(figure), fmt::format("{:.6g}{}", figure.measured, unit(figure)),
                   !figure.judged() ? "not judged"
                   : figure.met()   ? "met"
                                    : "MISSED"});
    return "\n" + table.text();
}

/// The first input waits for nothing but itself; a full pipeline gives one after the other; over the whole run all
/// that is not steady counts too.
std::string rates_text(const sim::RunReport& report) {
    if (report.end_to_end_per_second <= 0) return "";
    std::string out = fmt::format("end to end: {} inputs/s", rate(report.end_to_end_per_second));
    if (report.inputs_per_second > 0) out += fmt::format(", steady: {} inputs/s", rate(report.inputs_per_second));
    if (report.latency_cycles > 0)
        out += fmt::format("\nlatency of the first input: {} cycles, kernels loaded", grouped(report.latency_cycles));
    return out + fmt::format("; loading: {} cycles\n", grouped(report.load_cycles));
}

std::string total_text(const sim::RunReport& report, bool timed) {
    std::string out = "\n";
    if (timed) {
        const double ms = report.clock_mhz == 0
                              ? 0
                              : static_cast<double>(report.cycles) / (1000.0 * static_cast<double>(report.clock_mhz));
        if (report.inputs_skipped > 0)
            out += fmt::format("{} repeat others exactly and were added without being simulated\n",
                               plural(report.inputs_skipped, "input"));
        out += fmt::format("total: {} cycles, {:.4g} ms at {} MHz\n", grouped(report.cycles), ms, report.clock_mhz);
        out += rates_text(report);
    }
    return out + fmt::format("verdict: {}\n", verdict(report));
}

std::string head_text(const sim::RunReport& report) {
    std::string out = fmt::format("{} on {} ({}), {} mode, {} numerics{}\n", report.netlist, report.device, report.arch,
                                  mode_name(report.mode), numerics_name(report.numerics),
                                  report.numerics == Numerics::Exact ? ", exact math" : "");
    if (!report.programs.empty()) out += fmt::format("programs: {}\n", fmt::join(report.programs, ", "));
    for (const ChosenParameter& p : report.params)
        out += fmt::format("parameter {} = {} ({})\n", p.name, p.value, p.why);
    for (const std::string& note : report.notes) out += fmt::format("note: {}\n", note);
    return out;
}

}  // namespace

std::string report_text(const sim::RunReport& report) {
    const bool timed = report.mode != sim::Mode::Functional;
    std::string out = head_text(report);
    for (const sim::GraphReport& graph : report.graphs) out += graph_text(graph, timed);
    out += performance_text(report) + outputs_text(report) + tolerances_text(report);
    return out + total_text(report, timed);
}

}  // namespace tt::cli
