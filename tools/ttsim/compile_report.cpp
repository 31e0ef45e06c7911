#include "tools/ttsim/compile_report.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/name_pattern.hpp"

namespace tt::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_name(ir::EdgeReport::Kind kind) {
    using Kind = ir::EdgeReport::Kind;
    switch (kind) {
        case Kind::Direct:
            return "direct";
        case Kind::ThroughDram:
            return "through_dram";
        case Kind::BetweenEpochs:
            break;
    }
    return "between_epochs";
}

std::string limited_by(const ir::CandidateReport& c) { return c.dram_cycles > c.kernel_cycles ? "DRAM" : "kernel"; }

std::string inner(std::int64_t n) { return n == 0 ? "-" : std::to_string(n); }  // ops without an inner dimension

std::string candidate_line(const ir::CandidateReport& c) {
    const std::string grid = fmt::format("{}x{}", c.grid_r, c.grid_c);
    if (!c.fits) return fmt::format("    {:>6}  {}\n", grid, c.verdict);
    return fmt::format("  {} {:>6} {:>4} {:>7} {:>7} {:>5} {:>5} {:>9} {:>10.0f} {:<6} {}\n", c.chosen ? '*' : ' ',
                       grid, c.t, fmt::format("{}x{}", c.ublock_rt, c.ublock_ct),
                       fmt::format("{}x{}", c.mblock_m, c.mblock_n), inner(c.u_kt), inner(c.m_k), c.l1_bytes,
                       std::max(c.kernel_cycles, c.dram_cycles), limited_by(c), c.verdict);
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

Json candidate_json(const ir::CandidateReport& c) {
    Json out{{"grid", {c.grid_r, c.grid_c}}, {"fits", c.fits}};
    if (c.fits)
        out.update({{"chosen", c.chosen},
                    {"t", c.t},
                    {"ublock", {c.ublock_rt, c.ublock_ct}},
                    {"mblock", {c.mblock_m, c.mblock_n}},
                    {"u_kt", c.u_kt},
                    {"m_k", c.m_k},
                    {"l1_bytes", c.l1_bytes},
                    {"kernel_cycles", c.kernel_cycles},
                    {"dram_cycles", c.dram_cycles},
                    {"limited_by", limited_by(c)}});
    out["verdict"] = c.verdict;
    return out;
}

Json edge_json(const ir::EdgeReport& e) {
    Json out{{"operand", e.operand}, {"producer", e.producer}, {"kind", kind_name(e.kind)}};
    if (e.kind == ir::EdgeReport::Kind::Direct)
        out.update({{"streams", e.streams}, {"producer_phases", e.producer_phases}});
    else
        out["dram_buffers"] = e.dram_buffers;
    out["consumer_phases"] = e.consumer_phases;
    if (!e.why.empty()) out["why"] = e.why;
    return out;
}

Json decision_json(const ir::Decision& d) {
    Json candidates = Json::array(), edges = Json::array();
    for (const ir::CandidateReport& c : d.candidates) candidates.push_back(candidate_json(c));
    for (const ir::EdgeReport& e : d.edges) edges.push_back(edge_json(e));
    return {{"op", d.op},
            {"type", d.type},
            {"epoch", d.epoch},
            {"begins_epoch", d.begins},
            {"target_cycles", d.target},
            {"busiest_link_cycles", d.link_cycles},
            {"usable_l1_bytes", d.usable_bytes},
            {"why", d.why},
            {"candidates", std::move(candidates)},
            {"edges", std::move(edges)}};
}

}  // namespace

std::vector<ir::Decision> chosen_decisions(const std::vector<ir::Decision>& all, const std::string& pattern) {
    if (pattern.empty()) return all;
    std::vector<ir::Decision> some;
    const NamePattern wanted(pattern, {}, "--explain-op");
    for (const ir::Decision& d : all)
        if (wanted.matches(d.op)) some.push_back(d);
    if (some.empty()) fail_input({}, "--explain-op '{}' matches none of the {} ops", pattern, all.size());
    return some;
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

std::string compile_json(const ir::ModelFiles& files, const ir::CompileOptions& options,
                         const ir::CompileReport& report, const std::vector<ir::Decision>& decisions) {
    Json out{{"model", files.model},
             {"device", options.device},
             {"arch", report.arch},
             {"policy", ir::to_string(options.schedule.policy)},
             {"self_cut", ir::to_string(options.schedule.self_cut)},
             {"ops", report.ops},
             {"epochs", report.epochs},
             {"constants", report.constants},
             {"estimated_cycles", report.estimated_cycles},
             {"host_steps", report.host_steps},
             {"output", files.out}};
    if (!report.variant.empty()) out["variant"] = report.variant;
    if (options.schedule.explain) {
        Json list = Json::array();
        for (const ir::Decision& d : decisions) list.push_back(decision_json(d));
        out["decisions"] = std::move(list);
    }
    return out.dump(2) + "\n";
}

}  // namespace tt::cli
