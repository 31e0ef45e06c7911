#include <nlohmann/json.hpp>

#include "analysis/report/training_report.hpp"
#include "analysis/trace_report/csv.hpp"
#include "analysis/trace_report/trace_report.hpp"
#include "base/json_text.hpp"
#include "isa/arch.hpp"
#include "isa/uncertainty.hpp"

namespace ttsim::impl::report {

using Json = nlohmann::ordered_json;
using trace::EpochUse;
using trace::OpUse;
using trace::ResourceUse;
using trace::RunInfo;

namespace {

/// null when the figure is unknown (0).
Json known(double figure) { return figure > 0 ? Json(figure) : Json(nullptr); }

Json run_json(const RunInfo& run) {
    return {{"netlist", run.netlist},
            {"arch", run.arch},
            {"validated", is_validated(run.arch)},
            {"device", run.device},
            {"mode", run.mode},
            {"command", run.command},
            {"ttsim", run.ttsim},
            {"seed", run.seed},
            {"inputs_count", run.inputs_count ? Json(*run.inputs_count) : Json(nullptr)},
            {"clock_mhz", run.clock_mhz},
            {"level", run.level},
            {"status", run.status},
            {"message", run.message},
            {"cycles", run.cycles},
            {"end_to_end_per_second", known(run.end_to_end_per_second)},
            {"inputs_per_second", known(run.inputs_per_second)}};
}

Json epoch_json(const EpochUse& e) {
    return {{"epoch", e.id},
            {"graphs", e.graphs},
            {"epoch_type", e.epoch_type.empty() ? Json(nullptr) : Json(e.epoch_type)},
            {"chips", e.chips},
            {"status", e.status},
            {"inputs", e.inputs},
            {"start", e.start_cycle},
            {"cycles", e.cycles},
            {"inputs_per_second", known(e.inputs_per_second)},
            {"speed_per_second", known(e.speed_per_second)},
            {"cores", e.cores},
            {"utilization", e.utilization},
            {"math_utilization", e.math_utilization},
            {"matmul_cores", e.matmul_cores},
            {"matmul_utilization", e.matmul_utilization},
            {"limiting_op", e.limiting_op},
            {"limit", to_string(e.limit)}};
}
const std::vector<std::string> epoch_titles{"epoch",
                                            "graphs",
                                            "epoch_type",
                                            "chips",
                                            "status",
                                            "inputs",
                                            "start",
                                            "cycles",
                                            "inputs_per_second",
                                            "speed_per_second",
                                            "cores",
                                            "utilization",
                                            "math_utilization",
                                            "matmul_cores",
                                            "matmul_utilization",
                                            "limiting_op",
                                            "limit"};

Json op_json(const OpUse& op, const std::optional<Uncertainty>& errors) {
    return {{"op", op.name},
            {"type", op.type},
            {"measured", errors ? Json(errors->measured(op.type)) : Json(nullptr)},
            {"graph", op.graph},
            {"chip", op.chip},
            {"grid_r", op.grid_r},
            {"grid_c", op.grid_c},
            {"inputs", op.inputs},
            {"tiles", op.tiles},
            {"est", op.est_cycles},
            {"kernel", op.kernel_cycles},
            {"bw_kernel", op.bw_kernel_cycles},
            {"cycles", op.cycles},
            {"limit", to_string(op.limit)},
            {"wait_source", op.wait_source_cycles},
            {"wait_room", op.wait_room_cycles},
            {"wait_source_share", op.wait_source_share()},
            {"wait_room_share", op.wait_room_share()},
            {"math_utilization", op.math_utilization},
            {"in_bytes_per_cycle_needed", op.in_bytes_per_cycle_needed()},
            {"in_bytes_per_cycle_got", op.in_bytes_per_cycle_got()},
            {"out_bytes_per_cycle_needed", op.out_bytes_per_cycle_needed()},
            {"out_bytes_per_cycle_got", op.out_bytes_per_cycle_got()}};
}
const std::vector<std::string> op_titles{"op",
                                         "type",
                                         "measured",
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
                                         "wait_source_share",
                                         "wait_room_share",
                                         "math_utilization",
                                         "in_bytes_per_cycle_needed",
                                         "in_bytes_per_cycle_got",
                                         "out_bytes_per_cycle_needed",
                                         "out_bytes_per_cycle_got"};

Json wait_json(const trace::OutputStreamingWait& wait) {
    return {{"source", wait.source},
            {"reader", wait.reader},
            {"operand", wait.operand},
            {"wait_block", wait.block_cycles},
            {"wait_lockstep", wait.lockstep_cycles}};
}

Json resource_json(const ResourceUse& r) {
    return {{"kind", r.kind},
            {"name", r.name},
            {"bytes_per_cycle", r.bytes_per_cycle},
            {"transfers", r.transfers},
            {"bytes", r.bytes},
            {"busy", r.busy_cycles},
            {"queueing", r.queueing_cycles},
            {"utilization", r.utilization},
            {"peak_utilization", r.peak_utilization}};
}
const std::vector<std::string> resource_titles{"kind", "name",     "bytes_per_cycle", "transfers",       "bytes",
                                               "busy", "queueing", "utilization",     "peak_utilization"};

template <class Row, class ToJson>
Json json_rows(const std::vector<Row>& rows, ToJson to_json) {
    Json all = Json::array();
    for (const Row& row : rows) all.push_back(to_json(row));
    return all;
}

Json op_rows(const TraceReport& report) {
    const std::optional<Uncertainty> errors = uncertainty_of(report.run.arch);
    return json_rows(report.ops, [&](const OpUse& op) { return op_json(op, errors); });
}

}  // namespace

std::string json(const TraceReport& report) {
    Json all{{"run", run_json(report.run)}};
    if (report.epochs) {
        all["epochs"] = json_rows(*report.epochs, epoch_json);
        all["training"] = training_json(trace::training_use(report.run, *report.epochs));
    }
    if (report.epoch) {
        all["epoch"] = epoch_json(*report.epoch);
        all["ops"] = op_rows(report);
        all["output_streaming_waits"] = json_rows(report.waits, wait_json);
    }
    if (report.resources) all["resources"] = json_rows(*report.resources, resource_json);
    return json_document(all);
}

std::string csv(const TraceReport& report) {
    std::string text;
    if (report.epochs) text += csv_rows(json_rows(*report.epochs, epoch_json), epoch_titles);
    if (report.epoch) text += csv_rows(op_rows(report), op_titles);
    if (report.resources) text += csv_rows(json_rows(*report.resources, resource_json), resource_titles);
    return text;
}

}  // namespace ttsim::impl::report
