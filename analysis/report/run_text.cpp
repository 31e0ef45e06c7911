#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/report/run_report.hpp"
#include "analysis/report/run_uncertainty.hpp"
#include "analysis/report/table.hpp"
#include "analysis/report/training_report.hpp"
#include "base/figures.hpp"

namespace ttsim::impl::report {

namespace {

std::string plural(std::int64_t n, const std::string& what) {
    const std::string many = what.ends_with("y") ? what.substr(0, what.size() - 1) + "ies" : what + "s";
    return fmt::format("{} {}", grouped(n), n == 1 ? what : many);
}

using Width = std::optional<std::size_t>;

std::string op_table(const sim::GraphReport& graph, bool timed, Width width) {
    std::vector<Table::Column> columns{{"op", false}, {"type", false}, {"grid"}, {"tiles"}};
    if (timed) columns.insert(columns.end(), {{"first"}, {"last"}, {"busy"}, {"share"}});
    Table table(columns);
    for (const sim::OpReport& op : graph.ops) {
        std::vector<std::string> row{op.name, op.type, fmt::format("{}x{}", op.grid_r, op.grid_c), grouped(op.tiles)};
        if (timed) {
            const double share = graph.busy_share(op);
            row.insert(row.end(),
                       {grouped(op.first_cycle), grouped(op.last_cycle), grouped(op.busy_cycles), percent(share)});
        }
        table.add(std::move(row));
    }
    return table.text(width);
}

std::string graph_text(const sim::GraphReport& graph, const std::optional<Uncertainty>& errors, bool timed,
                       Width width) {
    std::string out = fmt::format("\ngraph {} on chip {}: {} in {}", graph.name, graph.device,
                                  plural(graph.inputs, "input"), plural(graph.executes, "execute"));
    if (timed)
        out += fmt::format(", {} cycles{}, {} inputs/s", grouped(graph.cycles),
                           plus_minus(graph_uncertainty(errors, graph)), rate_text(graph.inputs_per_second));
    out += "\n";
    if (!graph.ops.empty()) out += op_table(graph, timed, width);
    return out;
}

std::string output_verdict(const sim::OutputReport& output) {
    const QueueComparison::Result& r = output.result;
    switch (output.verdict()) {
        case sim::Verdict::NotChecked:
            return output.why.empty() ? "not judged" : "not judged: " + output.why;
        case sim::Verdict::NothingCompared:
            return "nothing was compared: " + (r.entries == 0 ? "no entry was written" : output.why);
        case sim::Verdict::Pass:
            if (r.strict_pass) return "pass";
            return "pass with the vendor's comparison; over all values: " + r.first_failure;
        case sim::Verdict::IllConditioned:
            return fmt::format("ill-conditioned: golden changes by {:.3g} when its inputs change by 1e-6",
                               output.moved);
        case sim::Verdict::Mismatch:
            break;
    }
    if (output.missing > 0)
        return fmt::format("MISMATCH: {} missing, the first is entry {}", plural(output.missing, "expected entry"),
                           output.first_missing);
    if (output.unexpected > 0)
        return fmt::format("MISMATCH: {} not in golden, the first is entry {}", plural(output.unexpected, "entry"),
                           output.first_unexpected);
    return "MISMATCH" + (r.first_failure.empty() ? "" : ": " + r.first_failure);
}

std::string outputs_text(const RunReport& report, Width width) {
    if (report.outputs.empty()) return "";
    const bool tiled = std::any_of(report.outputs.begin(), report.outputs.end(),
                                   [](const sim::OutputReport& o) { return o.result.vendor_tiles > 0; });
    std::vector<Table::Column> columns{{"output", false}, {"entries"}, {"PCC"}};
    if (tiled) columns.push_back({"tile PCC"});
    columns.insert(columns.end(), {{"max error"}, {"within"}, {"verdict", false}});
    Table table(columns);
    for (const sim::OutputReport& output : report.outputs) {
        const QueueComparison::Result& r = output.result;
        const bool any = r.entries > 0;
        std::vector<std::string> row{output.queue, grouped(r.entries), any ? fmt::format("{:.6f}", r.pcc) : "-"};
        if (tiled) row.push_back(r.vendor_tiles > 0 ? fmt::format("{:.6f}", r.vendor_pcc) : "-");
        row.push_back(any ? fmt::format("{:.3g}", r.max_error) : "-");
        row.push_back(any ? percent(r.share_within) : "-");
        row.push_back(output_verdict(output));
        table.add(std::move(row));
    }
    return "\n" + table.text(width);
}

/// A negative atol is in units of golden's RMS (netlist/compare/compare.hpp).
std::string tolerance_line(const sim::OutputReport& output) {
    const Comparison& c = output.comparison;
    if (c.type == Comparison::Type::Exact) return fmt::format("tolerance: exact ({})\n", output.rule);
    return fmt::format("tolerance: atol {}{}, rtol {}, {} within, PCC {} ({})\n", std::abs(c.atol),
                       c.atol < 0 ? " x RMS" : "", c.rtol, percent(c.check_pct), c.check_pcc, output.rule);
}

std::string tolerances_text(const RunReport& report) {
    std::vector<std::string> seen;  // one line per rule, which several queues may share
    for (const sim::OutputReport& output : report.outputs) {
        std::string line = tolerance_line(output);
        if (std::find(seen.begin(), seen.end(), line) == seen.end()) seen.push_back(std::move(line));
    }
    return fmt::format("{}", fmt::join(seen, ""));
}

std::string op_check_verdict(const sim::OpCheckReport& op) {
    switch (op.verdict()) {
        case sim::Verdict::NotChecked:
            return "not judged: " + op.why;
        case sim::Verdict::NothingCompared:
            return op.local.entries == 0 ? "nothing was compared" : "nothing was compared: golden has no finite value";
        case sim::Verdict::Mismatch:
            if (op.missing > 0) return fmt::format("WRONG: {} missing", plural(op.missing, "result"));
            return "WRONG: " + op.local.first_failure;
        case sim::Verdict::Pass:
        case sim::Verdict::IllConditioned:
            break;
    }
    return op.accumulated.pass ? "right" : "right, on operands that differ from golden";
}

/// One sentence that names the op to inspect.
std::string op_check_finding(const RunReport& report) {
    const auto judged = [](const sim::OpCheckReport& o) { return o.verdict() == sim::Verdict::Pass; };
    if (const sim::OpCheckReport* op = report.first_wrong_op())
        return fmt::format("first wrong op: {} ({}) of graph {}", op->op, op->type, op->graph);
    if (std::none_of(report.ops.begin(), report.ops.end(), judged)) return "ops: nothing was compared";
    if (const sim::OpCheckReport* op = report.amplified_from())
        return fmt::format("no op is wrong; rounding is amplified from {} ({}) of graph {} on", op->op, op->type,
                           op->graph);
    return "no op is wrong";
}

std::string op_check_text(const RunReport& report, Width width) {
    if (!report.ops_checked) return "";
    Table table({{"op", false},
                 {"type", false},
                 {"results"},
                 {"PCC alone"},
                 {"max error"},
                 {"within"},
                 {"PCC so far"},
                 {"verdict", false}});
    for (const sim::OpCheckReport& op : report.ops)
        table.add({op.op, op.type, grouped(op.local.entries), fmt::format("{:.6f}", op.local.pcc),
                   fmt::format("{:.3g}", op.local.max_error), percent(op.local.share_within),
                   fmt::format("{:.6f}", op.accumulated.pcc), op_check_verdict(op)});
    return "\n" + table.text(width) + op_check_finding(report) + "\n";
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

std::string performance_text(const RunReport& report, Width width) {
    if (report.performance.empty()) return "";
    Table table({{"performance-check", false}, {"figure", false}, {"expected"}, {"measured"}, {"verdict", false}});
    for (const sim::PerformanceFigure& figure : report.performance)
        table.add({figure.check, figure.metric, bounds(figure), fmt::format("{:.6g}{}", figure.measured, unit(figure)),
                   !figure.judged() ? "not judged"
                   : figure.met()   ? "met"
                                    : "MISSED"});
    return "\n" + table.text(width);
}

/// Latency of the first input, steady rate with a full pipeline, and end-to-end rate, which includes everything that is
/// not steady.
std::string rates_text(const RunReport& report) {
    if (report.end_to_end_per_second <= 0) return "";
    if (report.all_on_host)
        return fmt::format("end to end: {} inputs/s, all on the host; the chips computed nothing\n",
                           rate_text(report.end_to_end_per_second));
    std::string out = rates_line(report.end_to_end_per_second, report.inputs_per_second, report.rate_of_loop);
    if (report.latency_cycles > 0)
        out += fmt::format("latency of the first input: {} cycles, kernels loaded; ", grouped(report.latency_cycles));
    out += fmt::format("loading: {} cycles\n", grouped(report.load_cycles));
    if (report.push_to_pop_cycles() > 0)
        out += fmt::format("first push to last pop: {} cycles, {} inputs/s\n", grouped(report.push_to_pop_cycles()),
                           rate_text(report.push_to_pop_per_second));
    return out;
}

std::string total_text(const RunReport& report, const std::optional<Uncertainty>& errors, bool timed) {
    std::string out = "\n";
    if (timed) {
        if (report.inputs_skipped > 0)
            out +=
                fmt::format("{} repeat others exactly and were extrapolated\n", plural(report.inputs_skipped, "input"));
        out += fmt::format("total: {} cycles{}, {:.4g} ms at {} MHz\n", grouped(report.cycles),
                           plus_minus(run_uncertainty(errors, report)),
                           milliseconds_of(report.cycles, report.clock_mhz), report.clock_mhz);
        out += rates_text(report);
    }
    return out + fmt::format("verdict: {}\n", sim::to_string(report.verdict()));
}

std::string head_text(const RunReport& report) {
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

std::string text(const RunReport& report, std::optional<std::size_t> width) {
    const bool timed = report.mode != sim::Mode::Functional;
    const std::optional<Uncertainty> errors = timed ? uncertainty_of(report.arch) : std::nullopt;
    std::string out = head_text(report);
    for (const sim::GraphReport& graph : report.graphs) out += graph_text(graph, errors, timed, width);
    if (report.training) out += training_text(*report.training, width);
    out += performance_text(report, width) + op_check_text(report, width) + outputs_text(report, width) +
           tolerances_text(report);
    return out + total_text(report, errors, timed);
}

}  // namespace ttsim::impl::report
