#include <nlohmann/json.hpp>

#include "analysis/report/compile_report.hpp"
#include "base/json_text.hpp"

namespace ttsim::impl::report {

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
                    {"filling_cycles", c.filling_cycles},
                    {"pipe_cycles", c.pipe_cycles},
                    {"limited_by", c.limited_by()}});
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
            {"target_cycles", d.target_cycles},
            {"busiest_link_cycles", d.link_cycles},
            {"usable_l1_bytes", d.usable_l1_bytes},
            {"why", d.why},
            {"candidates", std::move(candidates)},
            {"edges", std::move(edges)}};
}

Json formats_json(const ir::FormatSearch& found) {
    Json ops = Json::array();
    for (const ir::OpFormat& op : found.ops) {
        Json item{{"op", op.op}, {"type", op.type}, {"output", to_string(op.output)}};
        if (op.weights) item["weights"] = to_string(*op.weights);
        if (op.fidelity) item["math_fidelity"] = to_string(*op.fidelity);
        item["share_of_losses"] = op.share;
        item["core_cycles"] = op.cycles;
        item["most_core_cycles"] = op.most_cycles;
        ops.push_back(std::move(item));
    }
    Json out{{"target_pcc", found.target}, {"pcc", found.pcc},
             {"reached", found.reached()}, {"default_df", to_string(*found.rules.default_df)},
             {"samples", found.samples},   {"trials", found.trials},
             {"steps", found.steps}};
    if (!found.first_below.empty()) out["first_below"] = found.first_below;
    out["ops"] = std::move(ops);
    return out;
}

Json searches_json(const CompileReport& report) {
    Json searches = Json::array();
    for (std::size_t k = 0; k < ir::search_count; ++k) {
        const ir::SearchUse& use = report.searches[k];
        if (use.budget == 0) continue;
        const ir::SearchLimit& limit = ir::search_limits[k];
        Json one{{"search", limit.name},
                 {"unit", ir::search_unit},
                 {"budget", use.budget},
                 {"used", use.used},
                 {"exhausted", use.exhausted}};
        if (use.exhausted) {
            one["simpler"] = limit.simpler;
            one["raised_by"] = ir::raising_option(report.effort);
        }
        searches.push_back(std::move(one));
    }
    return searches;
}

Json times_json(const PhaseTime& phase) {
    Json phases = Json::array();
    for (const PhaseTime& one : phase.phases) phases.push_back(times_json(one));
    return {{"phase", phase.name},        {"calls", phase.calls},
            {"seconds", phase.seconds},   {"processor_seconds", phase.processor_seconds},
            {"peak_bytes", phase.peak},   {"growth_bytes", phase.growth},
            {"phases", std::move(phases)}};
}

}  // namespace

std::string json(const CompileReport& report) {
    Json out{{"model", report.model},
             {"device", report.device},
             {"arch", report.arch},
             {"validated", report.validated},
             {"policy", report.policy},
             {"self_cut", report.self_cut},
             {"ops", report.ops},
             {"epochs", report.epochs},
             {"constants", report.constants},
             {"estimated_cycles", report.estimated_cycles},
             {"multiply_adds", {{"all", report.work.all}, {"host", report.work.host}}},
             {"notes", report.notes},
             {"host_steps", report.host_steps},
             {"searches", searches_json(report)},
             {"output", report.output}};
    if (report.training) out["saved_bytes"] = report.saved_bytes;
    if (!report.variant.empty()) {
        out["variant"] = report.variant;
        out["steps"] = report.steps;
    }
    if (report.formats) out["formats"] = formats_json(*report.formats);
    if (report.times) out["times"] = times_json(*report.times);
    if (report.explained) {
        Json list = Json::array();
        for (const ir::Decision& d : report.decisions) list.push_back(decision_json(d));
        out["decisions"] = std::move(list);
    }
    return json_document(out);
}

}  // namespace ttsim::impl::report
