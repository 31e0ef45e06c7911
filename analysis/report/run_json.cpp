#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/report/run_report.hpp"
#include "analysis/report/run_uncertainty.hpp"
#include "analysis/report/training_report.hpp"
#include "base/json_text.hpp"

namespace ttsim::impl::report {

using Json = nlohmann::ordered_json;

std::string mode_name(sim::Mode mode) {
    switch (mode) {
        case sim::Mode::Full:
            return "full";
        case sim::Mode::Timing:
            return "timing";
        case sim::Mode::Functional:
            return "functional";
    }
    return "";
}

std::string numerics_name(Numerics numerics) { return numerics == Numerics::Float32 ? "float32" : "real"; }

namespace {

std::string math_name(Numerics numerics) { return numerics == Numerics::Exact ? "exact" : "fast"; }

std::string base_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// null when the figure is unknown (0).
Json positive(double value) { return value > 0 ? number(value) : Json(nullptr); }

std::string type_name(Comparison::Type type) {
    switch (type) {
        case Comparison::Type::Exact:
            return "Exact";
        case Comparison::Type::AllClose:
            return "AllClose";
        case Comparison::Type::AllCloseHw:
            return "AllCloseHw";
    }
    return "";
}

Json op_json(const sim::GraphReport& graph, const sim::OpReport& op) {
    return {{"name", op.name},
            {"type", op.type},
            {"grid", {op.grid_r, op.grid_c}},
            {"device", op.device},
            {"tiles", op.tiles},
            {"first_cycle", op.first_cycle},
            {"last_cycle", op.last_cycle},
            {"busy_cycles", op.busy_cycles},
            {"busy_share", graph.busy_share(op)},
            {"l1_bytes", op.l1_bytes}};
}

Json share(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json graph_json(const sim::GraphReport& graph, const std::optional<Uncertainty>& errors) {
    Json ops = Json::array();
    for (const sim::OpReport& op : graph.ops) ops.push_back(op_json(graph, op));
    return {{"name", graph.name},
            {"device", graph.device},
            {"executes", graph.executes},
            {"inputs", graph.inputs},
            {"cycles", graph.cycles},
            {"uncertainty", share(graph_uncertainty(errors, graph))},
            {"inputs_per_second", positive(graph.inputs_per_second)},
            {"math_utilization", graph.core_cycles == 0 ? Json(nullptr) : number(graph.math_utilization())},
            {"epoch_type", graph.epoch_type ? Json(to_string(*graph.epoch_type)) : Json(nullptr)},
            {"ops", std::move(ops)}};
}

Json memory_json(const RunReport& report) {
    const sim::MemoryUse& memory = report.memory;
    const bool timed = report.mode != sim::Mode::Functional;
    return {{"l1_bytes", memory.l1_bytes},
            {"l1_share", number(memory.l1_share)},
            {"dram_bytes", memory.dram_bytes},
            {"dram_share", number(memory.dram_share)},
            {"dram_busy_share", timed ? number(report.dram_busy_share()) : Json(nullptr)}};
}

Json figure_json(const sim::PerformanceFigure& figure) {
    return {{"check", figure.check},
            {"metric", figure.metric},
            {"expected", figure.expected == 0 ? Json(nullptr) : number(figure.expected)},
            {"rtol", number(figure.rtol)},
            {"min_bound", figure.min_bound == 0 ? Json(nullptr) : number(figure.min_bound)},
            {"measured", number(figure.measured)},
            {"judged", figure.judged()},
            {"met", figure.met()}};
}

/// Position of the first NaN or infinity; null when there is none.
Json non_finite_json(const sim::NonFinite& found) {
    if (found.count == 0) return nullptr;
    const char* value = std::isnan(found.value) ? "nan" : found.value > 0 ? "inf" : "-inf";
    return {{"count", found.count}, {"value", value},   {"entry", found.entry}, {"index", found.index},
            {"z", found.z},         {"row", found.row}, {"column", found.col}};
}

Json output_json(const sim::OutputReport& output) {
    const QueueComparison::Result& r = output.result;
    const Comparison& rule = output.comparison;
    return {{"queue", output.queue},
            {"judged", r.judged},
            {"verdict", sim::to_string(output.verdict())},
            {"pass", output.verdict() == sim::Verdict::Pass},
            {"strict_pass", r.strict_pass && output.verdict() == sim::Verdict::Pass},
            {"pcc", number(r.pcc)},
            {"tile_pcc", r.vendor_tiles == 0 ? Json(nullptr) : number(r.vendor_pcc)},
            {"max_error", number(r.max_error)},
            {"max_rel_error", number(r.max_rel_error)},
            {"share_within", number(r.share_within)},
            {"entries", r.entries},
            {"missing_entries", output.missing},
            {"unexpected_entries", output.unexpected},
            {"perturbed_move", output.ill_conditioned ? number(output.moved) : Json(nullptr)},
            {"non_finite", non_finite_json(output.non_finite)},
            {"rule", output.rule},
            {"tolerance",
             {{"type", type_name(rule.type)},
              {"atol", number(std::abs(rule.atol))},
              {"atol_unit", rule.atol < 0 ? "rms" : "absolute"},  // see netlist/compare/compare.hpp
              {"rtol", number(rule.rtol)},
              {"check_pct", number(rule.check_pct)},
              {"check_pcc", number(rule.check_pcc)}}},
            {"why", output.why},
            {"first_failure", r.first_failure}};
}

Json op_side_json(const QueueComparison::Result& r) {
    return {{"pass", r.pass},
            {"strict_pass", r.strict_pass},
            {"pcc", number(r.pcc)},
            {"tile_pcc", r.vendor_tiles == 0 ? Json(nullptr) : number(r.vendor_pcc)},
            {"max_error", number(r.max_error)},
            {"share_within", number(r.share_within)},
            {"first_failure", r.first_failure}};
}

Json op_check_json(const RunReport& report) {
    if (!report.ops_checked) return nullptr;
    const auto name = [](const sim::OpCheckReport* op) { return op ? Json(op->op) : Json(nullptr); };
    Json ops = Json::array();
    for (const sim::OpCheckReport& op : report.ops)
        ops.push_back({{"op", op.op},
                       {"type", op.type},
                       {"graph", op.graph},
                       {"verdict", sim::to_string(op.verdict())},
                       {"results", op.local.entries},
                       {"missing_results", op.missing},
                       {"rule", op.rule},
                       {"why", op.why},
                       {"local", op_side_json(op.local)},
                       {"accumulated", op_side_json(op.accumulated)}});
    return {{"first_wrong", name(report.first_wrong_op())},
            {"amplified_from", name(report.amplified_from())},
            {"ops", std::move(ops)}};
}

}  // namespace

std::string json(const RunReport& report) {
    Json params = Json::object();
    for (const ChosenParameter& p : report.params) params[p.name] = p.value;
    Json graphs = Json::array();
    const bool timed = report.mode != sim::Mode::Functional;
    const std::optional<Uncertainty> errors = timed ? uncertainty_of(report.arch) : std::nullopt;
    for (const sim::GraphReport& graph : report.graphs) graphs.push_back(graph_json(graph, errors));
    Json outputs = Json::array();
    for (const sim::OutputReport& output : report.outputs) outputs.push_back(output_json(output));
    Json performance = Json::array();
    for (const sim::PerformanceFigure& figure : report.performance) performance.push_back(figure_json(figure));
    const Json all{
        {"ttsim", TTSIM_VERSION},
        {"netlist", base_name(report.netlist)},
        {"arch", report.arch},
        {"validated", report.validated},
        {"device", base_name(report.device)},
        {"programs", report.programs},
        {"params", std::move(params)},
        {"mode", mode_name(report.mode)},
        {"numerics", numerics_name(report.numerics)},
        {"math", math_name(report.numerics)},
        {"seed", report.seed},
        {"inputs_count", report.inputs_count},
        {"clock_mhz", report.clock_mhz},
        {"cycles", report.cycles},
        {"uncertainty", share(run_uncertainty(errors, report))},
        {"inputs_per_second", positive(report.inputs_per_second)},
        {"end_to_end_per_second", positive(report.end_to_end_per_second)},
        {"push_to_pop_cycles", report.push_to_pop_cycles() == 0 ? Json(nullptr) : Json(report.push_to_pop_cycles())},
        {"push_to_pop_per_second", positive(report.push_to_pop_per_second)},
        {"latency_cycles", report.latency_cycles == 0 ? Json(nullptr) : Json(report.latency_cycles)},
        {"load_cycles", timed ? Json(report.load_cycles) : Json(nullptr)},
        {"memory", memory_json(report)},
        {"math_utilization", timed ? number(report.math_utilization()) : Json(nullptr)},
        {"verdict", sim::to_string(report.verdict())},
        {"training", training_json(report.training)},
        {"graphs", std::move(graphs)},
        {"outputs", std::move(outputs)},
        {"op_check", op_check_json(report)},
        {"performance", std::move(performance)},
        {"notes", report.notes}};
    return json_document(all);
}

}  // namespace ttsim::impl::report
