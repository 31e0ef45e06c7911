// perf_results/: the folder that the original's backend writes and its analyzer reads.
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/exports/exports.hpp"
#include "analysis/exports/perf_parts.hpp"
#include "analysis/exports/text_files.hpp"
#include "base/utf8.hpp"

namespace ttsim::impl::report {

namespace {

struct Call {
    std::string program;
    std::int64_t id = 0, local = 0;  ///< id of the program, and index of the launch in it
};

/// The program call that launched each epoch. Launches are in the order of the programs.
std::vector<Call> calls_of(const ExportSource& source) {
    std::vector<Call> calls;
    const sim::RunState& state = *source.setup().state;
    for (std::size_t n = 0; n < state.calls.size(); ++n) {
        EpochStream stream(source.netlist(), {state.calls[n]}, state.settings.inputs_count);
        EpochCommand command;
        std::int64_t local = 0;
        while (stream.next(command))
            if (std::holds_alternative<EpochLaunch>(command))
                calls.push_back({state.calls[n].program->name, static_cast<std::int64_t>(n), local++});
    }
    return calls;
}

std::vector<GraphRun> graph_runs(const EpochMeasure& epoch, const Call& call, std::int64_t mhz) {
    std::vector<GraphRun> runs;
    for (const OpMeasure& op : epoch.ops) {
        auto run = std::find_if(runs.begin(), runs.end(), [&](const GraphRun& r) { return r.graph == op.use.graph; });
        if (run == runs.end()) {
            GraphRun fresh;
            fresh.graph = op.use.graph;
            fresh.program = call.program;
            fresh.epoch = epoch.use.id;
            fresh.program_id = call.id;
            fresh.local_id = call.local;
            fresh.chip = op.use.chip;
            fresh.mhz = mhz;
            runs.push_back(std::move(fresh));
            run = runs.end() - 1;
        }
        if (!op.cores.empty()) run->ops.push_back(&op);
    }
    std::erase_if(runs, [](const GraphRun& run) { return run.ops.empty(); });
    return runs;
}

const std::vector<std::string>& info_titles() {
    static const std::vector<std::string> titles{"program-name",
                                                 "graph-name",
                                                 "aiclk",
                                                 "device-id",
                                                 "input-count",
                                                 "first-to-last-inputs",
                                                 "num-cycles-per-tensor-all-inputs",
                                                 "num-tensors-per-second-all-inputs",
                                                 "num-cycles-all-inputs",
                                                 "largest-wait-for-epoch-binary"};
    return titles;
}

std::vector<std::string> info_row(const GraphRun& run, const GraphTimes& times) {
    return {run.program,
            run.graph,
            fmt::format("{}", run.mhz),
            fmt::format("{}", run.chip),
            fmt::format("{}", times.last_input - times.first_input + 1),
            fmt::format("{}->{}", times.first_input, times.last_input),
            two_digits(known_or_not(times.cycles_per_input)),
            two_digits(known_or_not(per_second(times.cycles_per_input, run.mhz))),
            fmt::format("{}", times.total_runtime()),
            two_digits(not_known())};
}

std::string quoted_yaml(const std::string& text) {
    // single quotes do not support escapes
    if (text.find('\n') != std::string::npos || printable(text) != text) return yaml_text(text);
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + "'";
}

/// The runs of a program must be consecutive.
std::string info_yaml(const std::vector<GraphRun>& runs, const std::string& folder) {
    std::string text, program;
    for (const GraphRun& run : runs) {
        const auto times = graph_times(run);
        const std::string name = fmt::format("{}-{}", run.program_id, run.program);
        if (name != program) text += quoted_yaml(name) + ":\n";
        program = name;
        text += fmt::format("  {}:\n    aiclk: {}\n    device_id: {}\n    global_epoch_id: {}\n",
                            quoted_yaml(fmt::format("{}-{}", run.local_id, run.graph)), run.mhz, run.chip, run.epoch);
        text += fmt::format("    output_directory: {}\n", quoted_yaml(fmt::format("{}/{}/", folder, run.folder())));
        text += fmt::format("    num_cycles_per_tensor_all_inputs: {}\n    num_tensors_per_second_all_inputs: {}\n",
                            two_digits(known_or_not(times->cycles_per_input)),
                            two_digits(known_or_not(per_second(times->cycles_per_input, run.mhz))));
        text += fmt::format("    num_cycles_all_inputs: {}\n    largest_wait_for_epoch_binary: N/A\n",
                            times->total_runtime());
    }
    return text + "global-events:\n  samples-per-second-excluding-last-epoch-of-each-program: N/A\n  host-name: N/A\n";
}

void write_info(const std::vector<GraphRun>& runs, const std::string& folder, const std::string& shown) {
    std::vector<std::vector<std::string>> rows;
    rows.reserve(runs.size());
    for (const GraphRun& run : runs) rows.push_back(info_row(run, *graph_times(run)));
    std::string csv = outer_comma_line(info_titles());
    for (const auto& row : rows) csv += outer_comma_line(row);
    write_text(folder, "perf_info_all_epochs.csv", csv);
    write_text(folder, "perf_info_all_epochs.yaml", info_yaml(runs, shown));
}

void write_host(ExportSource& source, const std::string& folder) {
    std::int64_t inputs = 0;
    trace::Statement sum(source.trace().database(), "SELECT coalesce(sum(inputs), 0) FROM epoch");
    if (sum.step()) inputs = sum.integer(0);
    sum.run();
    write_json(folder, "host/host_summary_report.json",
               {{"global-events", {{"total-input-count", inputs}, {"samples-per-second", not_known()}}}});
}

}  // namespace

void write_perf_results(ExportSource& source, const std::string& folder, const std::string& shown) {
    const std::vector<Call> calls = calls_of(source);
    std::vector<EpochMeasure> epochs;
    for (const std::int64_t id : own_epochs(source.trace())) epochs.push_back(measure(source, id));
    std::vector<GraphRun> runs;
    for (const EpochMeasure& epoch : epochs) {
        const auto at = static_cast<std::size_t>(epoch.use.id);
        const Call call = at < calls.size() ? calls[at] : Call{"N/A", 0, epoch.use.id};
        for (GraphRun& run : graph_runs(epoch, call, source.trace().run().clock_mhz)) runs.push_back(std::move(run));
    }
    if (runs.empty()) fail_input({source.path(), 0, 0}, "contains no epoch in which a core ran");
    for (const GraphRun& run : runs) {
        const std::string place = folder + "/" + run.folder();
        write_runtime_tables(run, place);
        write_events(run, place);
        write_text(place, "perf_model.log", "");
    }
    write_text(folder, "device/decouple_info.txt", "");
    write_analyzer_results(runs, folder);
    write_descriptors(source, folder);
    write_info(runs, folder, shown);
    write_host(source, folder);
}

}  // namespace ttsim::impl::report
