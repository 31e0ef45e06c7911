#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analysis/report/compile_report.hpp"
#include "analysis/report/table.hpp"

namespace ttsim::impl::report {

namespace {

std::string inner(std::int64_t n) { return n == 0 ? "-" : std::to_string(n); }  // ops without an inner dimension

std::string candidate_line(const ir::CandidateReport& c) {
    const std::string grid = fmt::format("{}x{}", c.grid_r, c.grid_c);
    if (!c.fits) return fmt::format("    {:>6}  {}\n", grid, c.verdict);
    return fmt::format("  {} {:>6} {:>4} {:>7} {:>7} {:>5} {:>5} {:>9} {:>10.0f} {:<6} {}\n", c.chosen ? '*' : ' ',
                       grid, c.t, fmt::format("{}x{}", c.ublock_rt, c.ublock_ct),
                       fmt::format("{}x{}", c.mblock_m, c.mblock_n), inner(c.u_kt), inner(c.m_k), c.l1_bytes,
                       c.cycles(), c.limited_by(), c.verdict);
}

std::string edge_line(const ir::EdgeReport& e) {
    using Kind = ir::EdgeReport::Kind;
    std::string text = fmt::format("    operand {} from {}: ", e.operand, e.producer);
    if (e.kind == Kind::Direct)
        return text + fmt::format("direct, {} streams from a core, {} phases out, {} in\n", e.streams,
                                  e.producer_phases, e.consumer_phases);
    text += fmt::format("{}, {} buffers and {} phases for a core",
                        e.kind == Kind::ThroughDram ? "through DRAM" : "a queue between epochs", e.dram_buffers,
                        e.consumer_phases);
    return text + (e.why.empty() ? "\n" : ": " + e.why + "\n");
}

std::string decisions_text(const std::vector<ir::Decision>& decisions) {
    std::string text;
    for (const ir::Decision& d : decisions) {
        if (d.begins) text += fmt::format("epoch {}: {:.0f} cycles on its busiest NoC link\n", d.epoch, d.link_cycles);
        text += fmt::format("{} ({}, epoch {}): {}\n", d.op, d.type, d.epoch, d.why);
        text += fmt::format("    {:>6} {:>4} {:>7} {:>7} {:>5} {:>5} {:>9} {:>10} {:<6} {}\n", "grid", "t", "ublock",
                            "mblock", "u_kt", "m_k", "L1 B", "cycles", "by", "why");
        for (const ir::CandidateReport& c : d.candidates) text += candidate_line(c);
        for (const ir::EdgeReport& e : d.edges) text += edge_line(e);
    }
    return text;
}

std::string formats_of(const ir::OpFormat& op) {
    std::string text(to_string(op.output));
    if (op.fidelity) text += fmt::format(" {}", to_string(*op.fidelity));
    if (op.weights) text += fmt::format(", weights {}", to_string(*op.weights));
    return text;
}

/// "3 Float16_b, 12 Bfp8_b", most first.
template <class Of>
std::string counted(const std::vector<ir::OpFormat>& ops, Of of) {
    std::map<std::string, int> counts;
    for (const ir::OpFormat& op : ops)
        if (const std::string what = of(op); !what.empty()) ++counts[what];
    std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> words;
    for (const auto& [what, n] : sorted) words.push_back(fmt::format("{} {}", n, what));
    return fmt::format("{}", fmt::join(words, ", "));
}

/// The ops with the largest losses.
std::string largest_losses(const ir::FormatSearch& found) {
    std::vector<const ir::OpFormat*> ops;
    for (const ir::OpFormat& op : found.ops) ops.push_back(&op);
    std::stable_sort(ops.begin(), ops.end(), [](const auto* a, const auto* b) { return a->share > b->share; });
    constexpr std::size_t most = 3;
    std::vector<std::string> words;
    for (const ir::OpFormat* op : ops)
        if (words.size() < most && op->share > 0)
            words.push_back(
                fmt::format("{:.0f} % by '{}' ({}, {})", 100 * op->share, op->op, op->type, formats_of(*op)));
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string formats_text(const ir::FormatSearch& found, bool explained) {
    const std::string over =
        fmt::format("{} sample{}, {} simulations", found.samples, found.samples == 1 ? "" : "s", found.trials);
    std::string text =
        found.reached() ? fmt::format("formats: PCC {:.5f} where {} was asked ({})\n", found.pcc, found.target, over)
                        : fmt::format("warning: no formats reach a PCC of {}: the most accurate give {:.5f} ({}){}\n",
                                      found.target, found.pcc, over,
                                      found.first_below.empty()
                                          ? ""
                                          : fmt::format("; results of '{}' are the first below it", found.first_below));
    text += fmt::format("  results: {}\n",
                        counted(found.ops, [](const auto& op) { return std::string(to_string(op.output)); }));
    text += fmt::format("  products with constants: {}\n", counted(found.ops, [](const auto& op) {
                            return op.weights ? fmt::format("{} x {}", op.fidelity ? to_string(*op.fidelity) : "",
                                                            to_string(*op.weights))
                                              : "";
                        }));
    if (const std::string most = largest_losses(found); !most.empty())
        text += fmt::format("  largest losses: {}\n", most);
    if (!explained) return text;
    for (const std::string& step : found.steps) text += fmt::format("  tried: {}\n", step);
    for (const ir::OpFormat& op : found.ops)
        text += fmt::format("  {} ({}): {}; {:.0f} core cycles of up to {:.0f}, {:.1f} % of the losses\n", op.op,
                            op.type, formats_of(op), op.cycles, op.most_cycles, 100 * op.share);
    return text;
}

/// The line with names and numbers removed, to compare lines with the same wording.
std::string template_of(const std::string& line) {
    std::string like;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (const std::size_t end = c == '\'' ? line.find('\'', i + 1) : std::string::npos; end != std::string::npos) {
            like += "''";
            i = end;
        } else if (c < '0' || c > '9') {
            like += c;
        }
    }
    return like;
}

/// Of lines that differ in names and numbers only, prints the first few and the number of the others.
std::string grouped(const std::vector<std::string>& lines, const std::string& prefix) {
    constexpr std::size_t most = 12, shown = 4;
    std::map<std::string, std::size_t> counts, seen;
    for (const std::string& line : lines) ++counts[template_of(line)];
    std::string text;
    for (const std::string& line : lines) {
        const std::string like = template_of(line);
        const std::size_t count = counts[like], nth = ++seen[like];
        if (count <= most || nth <= shown) text += prefix + line + "\n";
        if (count > most && nth == shown)
            text += fmt::format("{}... and {} more like these (--json has them)\n", prefix, count - shown);
    }
    return text;
}

/// What the searches spent: those that left something untried, or all if decisions are asked for.
std::string searches_text(const CompileReport& report) {
    std::string text;
    for (std::size_t k = 0; k < ir::search_count; ++k) {
        const ir::SearchUse& use = report.searches[k];
        const ir::SearchLimit& limit = ir::search_limits[k];
        if (use.budget == 0 || (!use.exhausted && !report.explained)) continue;
        text += fmt::format("search: {}: {} of {} {}", limit.name, report::grouped(use.used),
                            report::grouped(use.budget), ir::search_unit);
        if (use.exhausted) {
            const std::string option = ir::raising_option(report.effort);
            text += fmt::format("; exhausted, so {}{}", limit.simpler,
                                option.empty() ? "" : fmt::format(" ({} raises it)", option));
        }
        text += "\n";
    }
    return text;
}

std::string work_line(const ir::ModelWork& work) {
    constexpr double million = 1e6;
    if (work.all <= 0) return "";
    return fmt::format("work: {:.4g} million multiply-adds per input, {:.3g} % of them on the host\n",
                       work.all / million, 100 * work.host / work.all);
}

}  // namespace

std::string text(const CompileReport& report) {
    std::string text =
        fmt::format("{}: {} ops in {} epochs on {} ({}), {} constants, about {:.0f} cycles per input\n", report.model,
                    report.ops, report.epochs, report.device, report.arch, report.constants, report.estimated_cycles);
    text += work_line(report.work);
    if (report.training)
        text +=
            fmt::format("saved for the backward program: {:.1f} KiB\n", static_cast<double>(report.saved_bytes) / 1024);
    text += grouped(report.notes, "");
    text += grouped(report.host_steps, "host: ");
    if (!report.variant.empty()) text += "quickest: " + report.variant + "\n";
    if (report.explained)
        for (const std::string& line : report.steps) text += "    " + line + "\n";
    text += searches_text(report);
    if (report.formats) text += formats_text(*report.formats, report.explained);
    text += decisions_text(report.decisions);
    std::string run = report.training ? fmt::format("{0}/netlist.yaml --inputs {0}", report.output) : report.output;
    if (!report.chip_path.empty()) run += " --device " + report.chip_path;
    return text + fmt::format("wrote {}: run it with 'ttsim run {}'\n", report.output, run);
}

}  // namespace ttsim::impl::report
