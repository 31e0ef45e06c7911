#include <ttsim/report.hpp>

#include "analysis/exports/visualizer_tables.hpp"
#include "analysis/report/run_report.hpp"
#include "api/library/internal.hpp"

namespace ttsim {

namespace {

Verdict public_verdict(impl::sim::Verdict verdict) {
    switch (verdict) {
        case impl::sim::Verdict::Pass:
            return Verdict::Pass;
        case impl::sim::Verdict::Mismatch:
            return Verdict::Mismatch;
        case impl::sim::Verdict::IllConditioned:
            return Verdict::IllConditioned;
        case impl::sim::Verdict::NothingCompared:
            return Verdict::NothingCompared;
        case impl::sim::Verdict::NotChecked:
            return Verdict::NotChecked;
    }
    return Verdict::NotChecked;
}

std::vector<EpochTypeTime> public_training(const impl::TrainingUse& use) {
    std::vector<EpochTypeTime> all;
    const auto add = [&](std::string_view type, const impl::EpochTypeUse& part, double share) {
        all.push_back(
            {std::string(type), part.epochs, part.cycles, share, part.utilization(), part.math_utilization()});
    };
    for (const impl::EpochType type : impl::epoch_types) add(to_string(type), use.of(type), use.step_share(type));
    add("step", use.step(), 1);
    return all;
}

GraphTime public_graph(const impl::sim::GraphReport& g) {
    GraphTime graph{g.name, g.device, g.executes, g.inputs, g.cycles, g.inputs_per_second, {}, ""};
    for (const impl::sim::OpReport& op : g.ops)
        graph.ops.push_back({op.name, op.type, op.grid_r, op.grid_c, op.tiles, op.first_cycle, op.last_cycle,
                             op.busy_cycles, g.busy_share(op)});
    if (g.epoch_type) graph.epoch_type = to_string(*g.epoch_type);
    return graph;
}

}  // namespace

struct RunReport::Source {
    impl::report::RunReport report;
};

std::string RunReport::text() const {
    return guarded([&] { return source ? impl::report::text(source->report) : ""; });
}

std::string RunReport::json() const {
    return guarded([&] { return source ? impl::report::json(source->report) : ""; });
}

RunReport public_report(const impl::sim::RunReport& r) {
    RunReport out;
    out.chip = r.arch;
    out.validated = r.validated;
    out.device = r.device;
    out.clock_mhz = r.clock_mhz;
    out.cycles = r.cycles;
    out.load_cycles = r.load_cycles;
    out.latency_cycles = r.latency_cycles;
    out.inputs_per_second = r.inputs_per_second;
    out.end_to_end_per_second = r.end_to_end_per_second;
    for (const impl::sim::GraphReport& graph : r.graphs) out.graphs.push_back(public_graph(graph));
    if (r.training) {
        out.training = public_training(*r.training);
        out.saved_bytes = r.training->saved_bytes;
    }
    for (const impl::sim::OutputReport& o : r.outputs)
        out.outputs.push_back(
            {o.queue, o.result.entries, o.result.pcc, o.result.max_error, public_verdict(o.verdict())});
    out.notes = r.notes;
    out.source = std::make_shared<const RunReport::Source>(RunReport::Source{r});
    out.verdict = r.checked ? public_verdict(r.verdict()) : Verdict::NotChecked;
    return out;
}

void write_visualizer_report(const std::string& folder, const std::string& report) {
    guarded([&] {
        const auto json = nlohmann::ordered_json::parse(report, nullptr, false);
        if (!json.is_object() || !json.contains("config") || !json.contains("tables") || !json["tables"].is_object())
            impl::fail_input({}, "a report for ttnn-visualizer is an object with 'config' and 'tables'");
        impl::report::write_visualizer(folder, json);
    });
}

}  // namespace ttsim
