#include <algorithm>

#include "report/compile_report.hpp"

namespace tt::report {

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

}  // namespace

std::string text(const CompileReport& report) {
    std::string text =
        fmt::format("{}: {} ops in {} epochs on {} ({}), {} constants, about {:.0f} cycles an input\n", report.model,
                    report.ops, report.epochs, report.device, report.arch, report.constants, report.estimated_cycles);
    for (const std::string& line : report.notes) text += line + "\n";
    for (const std::string& line : report.host_steps) text += "host: " + line + "\n";
    if (!report.variant.empty()) text += "quickest: " + report.variant + "\n";
    if (report.explained)
        for (const std::string& line : report.steps) text += "    " + line + "\n";
    text += decisions_text(report.decisions);
    return text + fmt::format("wrote {}: run it with 'ttsim run {}'\n", report.output, report.output);
}

}  // namespace tt::report
