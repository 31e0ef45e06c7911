// analyzer_results/: the slowest core of every op, at kernel speed and with the achieved bandwidths of its pipes.
#include <algorithm>

#include "analysis/exports/perf_parts.hpp"
#include "analysis/exports/text_files.hpp"

namespace ttsim::impl::report {

namespace {

constexpr std::size_t report_operands = 8;

/// Data of one op of a graph that all reports contain.
struct OpReportRow {
    const GraphRun* run = nullptr;
    const OpMeasure* op = nullptr;
    const CoreMeasure* core = nullptr;
    std::int64_t inputs = 0;
    double kernel_total() const { return op->use.kernel_cycles * as_real(inputs); }
    double bw_total() const { return std::max(op->use.kernel_cycles, op->use.bw_kernel_cycles) * as_real(inputs); }
    double factor() const { return kernel_total() > 0 ? bw_total() / kernel_total() : 1; }
    std::optional<double> kernel_utilization() const {
        if (kernel_total() <= 0 || core->inputs == 0) return std::nullopt;
        return 100 * (as_real(core->math) / as_real(core->inputs)) / op->use.kernel_cycles;
    }
    std::optional<double> model_utilization() const {
        if (op->use.est_cycles <= 0 || core->inputs == 0) return std::nullopt;
        return 100 * (as_real(core->math) / as_real(core->inputs)) / op->use.est_cycles;
    }
    std::optional<double> bw_utilization() const {
        const auto kernel = kernel_utilization();
        if (!kernel) return std::nullopt;
        return *kernel / factor();
    }
};

const PipeMeasure* output_of(const OpMeasure& op) { return op.outputs.empty() ? nullptr : &op.outputs.front(); }

std::string warnings(const OpMeasure& op) {
    std::string text;
    const auto add = [&](const std::string& one) { text += (text.empty() ? "" : "; ") + one; };
    for (const PipeMeasure& pipe : op.operands)
        if (pipe.operand >= 0 && !pipe.resident && !pipe.got) add(fmt::format("input-{} not measured", pipe.operand));
    if (op.operands.size() > report_operands) add("more than 8 operands");
    return text;
}

/// "input-queue-pipe", "output-op-pipe", "output-queue/op-pipe", "no-op-output-pipe".
std::string pipe_type(const OpMeasure& op, const PipeMeasure* pipe) {
    if (pipe && pipe->operand >= 0) return pipe->queue ? "input-queue-pipe" : "input-op-pipe";
    const bool queue = std::any_of(op.outputs.begin(), op.outputs.end(), [](const auto& p) { return p.queue; });
    const bool reader = std::any_of(op.outputs.begin(), op.outputs.end(), [](const auto& p) { return !p.queue; });
    if (queue && reader) return "output-queue/op-pipe";
    return queue ? "output-queue-pipe" : reader ? "output-op-pipe" : "no-op-output-pipe";
}

std::vector<std::string> common_titles(bool core) {
    std::vector<std::string> titles{"global_epoch_ids", "program_names", "graph_name", "warnings"};
    if (core) titles.emplace_back("core_coord");
    titles.insert(titles.end(), {"op_name", "first_to_last_input", "grid_size"});
    return titles;
}

std::vector<std::string> common_cells(const OpReportRow& row, bool core) {
    std::vector<std::string> cells{fmt::format("{}", row.run->epoch), row.run->program, row.run->graph,
                                   warnings(*row.op)};
    if (core) cells.push_back(core_name(*row.core));
    cells.push_back(row.op->use.name);
    cells.push_back(fmt::format("{}->{}", row.core->recorded.front().input, row.core->recorded.back().input));
    cells.push_back(fmt::format("[{}, {}]", row.op->use.grid_r, row.op->use.grid_c));
    return cells;
}

void add_kernel_cells(const OpReportRow& row, std::vector<std::string>& cells) {
    for (const Json& value : {Json(row.kernel_total()), Json(row.op->use.kernel_cycles), Json(row.op->use.est_cycles),
                              known_or_not(row.kernel_utilization()), known_or_not(row.model_utilization())})
        cells.push_back(two_digits(value));
}

const std::vector<std::string>& kernel_titles() {
    static const std::vector<std::string> titles{"kernel_total_runtime", "kernel_runtime_per_input",
                                                 "model_runtime_per_input", "kernel_math_utilization",
                                                 "model_math_utilization"};
    return titles;
}

std::string slowest_operand(const OpMeasure& op) {
    const PipeMeasure* pipe = op.slowest_pipe();
    if (!pipe) return not_known().get<std::string>();
    return pipe->operand < 0 ? "output" : fmt::format("input-{}", pipe->operand);
}

void write_kernel_report(std::vector<OpReportRow> rows, const std::string& folder) {
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return a.kernel_total() > b.kernel_total(); });
    std::vector<std::string> titles = common_titles(true);
    titles.insert(titles.end(), kernel_titles().begin(), kernel_titles().end());
    std::vector<std::vector<std::string>> lines;
    for (const OpReportRow& row : rows) {
        lines.push_back(common_cells(row, true));
        add_kernel_cells(row, lines.back());
    }
    write_table(folder, "kernel_perf_report", titles, lines, false);
}

void write_pipe_report(const std::vector<OpReportRow>& rows, const std::string& folder) {
    std::vector<std::string> titles = common_titles(true);
    titles.insert(titles.end(),
                  {"operand", "source/dest", "pipe_type", "required_kernel_bw", "pipe_bw", "percentage_of_difference"});
    std::vector<std::pair<double, std::vector<std::string>>> lines;
    for (const OpReportRow& row : rows)
        for (const auto* pipes : {&row.op->operands, &row.op->outputs})
            for (const PipeMeasure& pipe : *pipes) {
                if (pipe.other.empty() || pipe.resident) continue;
                const auto asked = gigabytes(pipe.asked, row.run->mhz), got = gigabytes(pipe.got, row.run->mhz);
                std::optional<double> difference;
                if (asked && got && *asked > 0) difference = 100 * (*got - *asked) / *asked;
                std::vector<std::string> cells = common_cells(row, true);
                cells.push_back(pipe.operand < 0 ? "output" : fmt::format("input-{}", pipe.operand));
                cells.push_back(pipe.other);
                cells.push_back(pipe_type(*row.op, &pipe));
                for (const auto& value : {asked, got, difference}) cells.push_back(two_digits(known_or_not(value)));
                lines.emplace_back(difference.value_or(1e300), std::move(cells));
            }
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::vector<std::string>> sorted;
    for (auto& [difference, cells] : lines) sorted.push_back(std::move(cells));
    write_table(folder, "pipe_perf_report", titles, sorted, false);
}

/// Adds cells up to the last operand.
void add_pipe_cells(const OpReportRow& row, std::vector<std::string>& cells) {
    const auto add = [&](const std::optional<double>& rate) {
        cells.push_back(two_digits(known_or_not(gigabytes(rate, row.run->mhz))));
    };
    const PipeMeasure* output = output_of(*row.op);
    add(output ? output->got : std::nullopt);
    add(output ? output->asked : std::nullopt);
    for (std::size_t k = 0; k < std::min(report_operands, row.op->operands.size()); ++k) {
        add(row.op->operands[k].got);
        add(row.op->operands[k].asked);
    }
}

void write_graph_report(std::vector<OpReportRow> rows, const std::string& folder) {
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.bw_total() > b.bw_total(); });
    std::vector<std::string> titles = common_titles(true);
    titles.insert(titles.end(), kernel_titles().begin(), kernel_titles().end());
    titles.insert(titles.end(),
                  {"bw_limited_factor", "slowest_operand", "bw_bound_total_runtime", "bw_bound_runtime_per_input",
                   "bw_bound_math_utilization", "output_pipe_bw_0", "required_output_pipe_bw_0"});
    for (std::size_t k = 0; k < report_operands; ++k) {
        titles.push_back(fmt::format("input_pipe_bw_{}", k));
        titles.push_back(fmt::format("required_input_bw_{}", k));
    }
    std::vector<std::vector<std::string>> lines;
    for (const OpReportRow& row : rows) {
        std::vector<std::string> cells = common_cells(row, true);
        add_kernel_cells(row, cells);
        cells.push_back(fmt::format("{:.4f}", row.factor()));
        cells.push_back(slowest_operand(*row.op));
        for (const Json& value : {Json(row.bw_total()), Json(row.bw_total() / std::max(1.0, as_real(row.inputs))),
                                  known_or_not(row.bw_utilization())})
            cells.push_back(two_digits(value));
        add_pipe_cells(row, cells);
        lines.push_back(std::move(cells));
    }
    write_table(folder, "graph_perf_report", titles, lines, false);
}

Json op_attributes(const OpMeasure& op) {
    const Blocking& out = op.op->cfg.out;
    Json json{{"op-type", op.use.type},
              {"grid-size", {out.grid_r, out.grid_c}},
              {"mblock", {out.mblock_m, out.mblock_n}},
              {"ublock", {out.ublock_rt, out.ublock_ct}},
              {"t", out.t},
              {"inputs", op.op->inputs}};
    if (op.op->cfg.attr.m_k > 0) json["m_k"] = op.op->cfg.attr.m_k;
    if (op.op->cfg.attr.u_kt > 0) json["u_kt"] = op.op->cfg.attr.u_kt;
    return json;
}

void write_per_op(const std::vector<OpReportRow>& rows, const std::string& folder) {
    Json all = Json::object();
    for (const OpReportRow& row : rows) {
        Json cores = Json::object();
        for (const CoreMeasure& core : row.op->cores)
            cores[core_name(core)] = {{"total-runtime", core.total_runtime()},
                                      {"inputs", core.inputs},
                                      {"math-activity", core.math},
                                      {"num-cycles-per-tensor", known_or_not(cycles_per_input(core))}};
        all[row.op->use.name] = {{"op-attributes", op_attributes(*row.op)},
                                 {"op-measurements",
                                  {{"kernel_runtime_per_input", row.op->use.kernel_cycles},
                                   {"model_runtime_per_input", row.op->use.est_cycles},
                                   {"bw_bound_runtime_per_input", row.bw_total() / std::max(1.0, as_real(row.inputs))},
                                   {"bw_limited_factor", row.factor()},
                                   {"slowest_operand", slowest_operand(*row.op)}}},
                                 {"core-measurements", std::move(cores)}};
    }
    write_json(folder, "graph_perf_report_per_op.json", all);
}

std::vector<OpReportRow> report_rows(const GraphRun& run) {
    std::vector<OpReportRow> rows;
    for (const OpMeasure* op : run.ops) {
        const CoreMeasure* core = op->slowest_core();
        if (!core) continue;
        rows.push_back({&run, op, core, core->recorded.back().input - core->recorded.front().input + 1});
    }
    return rows;
}

/// The slowest ops of a graph with their limits.
void add_summary(std::vector<OpReportRow> rows, std::vector<std::vector<std::string>>& lines) {
    constexpr std::size_t most = 3;
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.bw_total() > b.bw_total(); });
    rows.resize(std::min(most, rows.size()));
    for (const OpReportRow& row : rows) {
        const PipeMeasure* pipe = row.op->slowest_pipe();
        std::vector<std::string> cells = common_cells(row, false);
        cells.push_back(pipe ? slowest_operand(*row.op) : "kernel");
        cells.push_back(fmt::format("{:.4f}", row.factor()));
        const auto rate = [&](const std::optional<double>& value) {
            return known_or_not(gigabytes(value, row.run->mhz));
        };
        for (const Json& value :
             {pipe ? rate(pipe->asked) : not_known(), pipe ? rate(pipe->got) : not_known(),
              known_or_not(row.kernel_utilization()), known_or_not(row.bw_utilization()),
              Json(row.op->use.kernel_cycles), Json(row.bw_total() / std::max(1.0, as_real(row.inputs)))})
            cells.push_back(two_digits(value));
        lines.push_back(std::move(cells));
    }
}

}  // namespace

/// For a graph with different launches, the first is used.
void write_analyzer_results(const std::vector<GraphRun>& runs, const std::string& folder) {
    std::vector<std::string> titles = common_titles(false);
    titles.insert(titles.end(),
                  {"bottleneck", "bw_limited_factor", "required_bw", "pipe_bw", "kernel_math_utilization",
                   "bw_bound_math_utilization", "kernel_runtime_per_input", "bw_bound_runtime_per_input"});
    std::vector<std::vector<std::string>> summary;
    std::map<std::string, bool> written;
    for (const GraphRun& run : runs) {
        if (written[run.graph]) continue;
        written[run.graph] = true;
        const std::vector<OpReportRow> rows = report_rows(run);
        const std::string place = fmt::format("{}/analyzer_results/{}", folder, file_name(run.graph));
        write_kernel_report(rows, place);
        write_pipe_report(rows, place);
        write_graph_report(rows, place);
        write_per_op(rows, place);
        add_summary(rows, summary);
    }
    write_table(folder + "/analyzer_results", "analyzer_summary", titles, summary, false);
}

}  // namespace ttsim::impl::report
