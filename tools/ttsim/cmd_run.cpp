// ttsim run: simulates a netlist, checks its outputs and reports its cycles.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/report/run_report.hpp"
#include "analysis/smi/telemetry_file.hpp"
#include "base/text.hpp"
#include "generated/run_flags.hpp"
#include "netlist/files/manifest.hpp"
#include "sim/systemc/systemc_functions.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/common/stop_signals.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/beyond_netlists.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/preloaded_netlists.hpp"
#include "tools/ttsim/progress.hpp"
#include "tools/ttsim/temporary_folder.hpp"

namespace ttsim::impl::cli {

namespace {

struct RunCommandFlags {
    sim::RunOptions options;
    ir::ModelRunValues model;
    RunCommandValues values;
    const CLI::App* command = nullptr;
    const BeyondNetlists* beyond = nullptr;
};

/// The command recorded in the trace: only options that affect the result, without folders, so that equal runs have
/// equal traces.
std::string command_text(const CLI::App& command) {
    std::string text = "ttsim run";
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name();
        if (option->count() == 0 || changes_no_result(run_option_table(), name)) continue;
        if (option->get_positional()) {
            text += " " + std::filesystem::path(option->as<std::string>()).filename().string();
            continue;
        }
        if (option->get_expected_max() == 0) {
            text += " " + name;
            continue;
        }
        for (const std::string& value : option->results())
            text += fmt::format(" {} {}", name, std::filesystem::path(value).filename().string());
    }
    return text;
}

/// A requested check that compared nothing has not passed.
void refuse_empty_checks(const RunCommandFlags& flags, const sim::RunReport& report) {
    Diagnostics problems;
    const SourceLoc file{flags.options.netlist, 0, 0};
    const auto judged = [](const sim::PerformanceFigure& f) { return f.judged(); };
    if (flags.values.check_perf && std::none_of(report.performance.begin(), report.performance.end(), judged))
        problems.error(file, "--check-perf: nothing was compared: {}",
                       report.performance.empty() ? "no entry of a performance-check section applies to this run"
                                                  : "the performance-check section has no target");
    if (flags.options.strict && report.verdict() == sim::Verdict::NothingCompared)
        problems.error(
            file, "--strict: nothing was compared: no output that is judged got an entry with a number of golden's");
    const auto right = [](const sim::OpCheckReport& o) { return o.verdict() == sim::Verdict::Pass; };
    if (flags.options.check_ops && std::none_of(report.ops.begin(), report.ops.end(), right))
        problems.error(file, "--check ops: nothing was compared: no op that can be compared was run");
    problems.throw_if_any();
}

/// Adds a note if the netlist belongs to a compiled model, which is rarely meant to run on its own.
void suggest_folder(const sim::RunOptions& options, sim::RunReport& report) {
    const std::filesystem::path folder = std::filesystem::path(options.netlist).parent_path();
    if (!options.inputs_dir.empty() || kind_of(folder.empty() ? "." : folder.string()) != InputKind::CompiledModel)
        return;
    const std::string place = folder.empty() ? "." : folder.string();
    const std::string remedy = is_of_training(read_manifest(place))
                                   ? fmt::format("'--inputs {}' runs a step of training with its own", place)
                                   : fmt::format("'ttsim run {}' runs the model with its own", place);
    report.notes.push_back("this is the netlist of a compiled model, run with generated inputs and weights; " + remedy);
}

/// Switches off the mechanisms of --without, whose names the option has checked.
void disable_mechanisms(sim::PipeMechanisms& pipes, const std::vector<std::string>& names) {
    using sim::PipeMechanisms;
    static const std::map<std::string, bool PipeMechanisms::*> switches{
        {"blocks", &PipeMechanisms::blocks},     {"lockstep", &PipeMechanisms::lockstep},
        {"firmware", &PipeMechanisms::firmware}, {"credits", &PipeMechanisms::credits},
        {"kernels", &PipeMechanisms::kernels},   {"nocs", &PipeMechanisms::nocs},
        {"relays", &PipeMechanisms::relays},     {"strips", &PipeMechanisms::strips},
        {"parts", &PipeMechanisms::parts},       {"pieces", &PipeMechanisms::pieces},
        {"beside", &PipeMechanisms::beside}};
    for (const std::string& name : names) pipes.*switches.at(name) = false;
}

/// Sets what other options than those of the simulator mean, and refuses options that exclude each other.
void finish(RunCommandFlags& flags) {
    sim::RunOptions& options = flags.options;
    options.check_ops = flags.values.compare == "ops";
    disable_mechanisms(options.pipes, flags.values.without);
    options.idealized = sim::parse_idealized_resources(flags.values.free);
    if (flags.values.math == "exact") {
        if (options.numerics == Numerics::Float32)
            throw CLI::ValidationError("--math", "exact uses the chip's number formats; omit --numerics float32");
        options.numerics = Numerics::Exact;
    }
    if (flags.values.check_perf && (options.mode == sim::Mode::Functional || !options.perf_op.empty()))
        throw CLI::ValidationError("--check-perf",
                                   options.perf_op.empty()
                                       ? "functional mode has no clock, so no performance target can be checked"
                                       : "performance targets are for the whole netlist, and --perf-op runs one op");
    if (!flags.values.report.empty() && options.mode == sim::Mode::Functional)
        throw CLI::ValidationError("--report", "functional mode has no clock, so the page would show no time");
    if (options.check_ops && (options.mode == sim::Mode::Timing || !options.perf_op.empty()))
        throw CLI::ValidationError("--check", "timing mode computes no values, so no op can be compared");
    if (options.strict && options.mode == sim::Mode::Timing)
        throw CLI::ValidationError("--strict", "timing mode computes no values, so no output can be compared");
}

/// Options that apply to compiled models only.
void refuse_model_options(const ir::ModelRunValues& options) {
    const auto refuse = [](const char* name) {
        throw CLI::ValidationError(name, "it applies to compiled models only, and a netlist is given");
    };
    if (!options.inputs.empty()) refuse("--input");
    if (options.loops != 1) refuse("--loops");
    if (!options.feed_back.empty()) refuse("--feed-back");
    if (!options.outputs_dir.empty()) refuse("--outputs");
    if (!options.expect_dir.empty()) refuse("--expect");
}

/// What a program without compiler cannot do.
void refuse_beyond_netlists(const RunCommandFlags& flags, InputKind kind) {
    const std::string& file = flags.options.netlist;
    const std::string remedy = fmt::format("'ttsim run {}' does; 'scripts/build release ttsim' builds it", file);
    if (kind == InputKind::CompiledModel || kind == InputKind::Image)
        fail_input({file, 0, 0}, "is a compiled model, which this program does not run; {}", remedy);
    if (!flags.values.report.empty()) throw CLI::ValidationError("--report", "this program writes no pages; " + remedy);
}

int run(RunCommandFlags& flags) {
    finish(flags);
    sim::RunOptions& options = flags.options;
    std::optional<sim::SystemcLoading> loading;
    if (options.mode != sim::Mode::Functional) loading.emplace();
    std::optional<OutputFile> json;
    if (!flags.values.json.empty()) json.emplace(flags.values.json, FileKind::Json);
    const InputKind kind = kind_of(options.netlist);
    const bool compiled = kind == InputKind::CompiledModel || kind == InputKind::Image;
    if (!flags.beyond) refuse_beyond_netlists(flags, kind);
    if (!compiled) {
        require_kind(InputKind::Netlist, options.netlist, "ttsim run");
        refuse_model_options(flags.model);
    }

    std::optional<OutputFile> page;
    std::optional<TemporaryFolder> temporary;  // of the trace, unless --trace names a file
    if (!flags.values.report.empty()) {
        page.emplace(flags.values.report, FileKind::Report);
        flags.beyond->check_page();  // a missing template is reported before the run
        if (options.trace.file.empty()) options.trace.file = temporary.emplace().file("run.ttperf");
    }
    const auto write_page = [&](const auto& report) {  // `report` returns its JSON
        if (page) flags.beyond->write_page(*page, {options.trace.file, options.netlist, report()});
    };

    Progress progress(flags.values.progress);
    options.progress = progress.callback();
    std::optional<StopSignals> signals;  // a signal ends a traced run in order
    if (!options.trace.file.empty()) options.stop = signals.emplace().caught();
    options.trace.version = TTSIM_VERSION;
    std::optional<smi::TelemetryFile> telemetry;
    if (!flags.values.telemetry.empty()) {
        telemetry.emplace(flags.values.telemetry, command_text(*flags.command));
        options.telemetry = [&telemetry](const sim::MachineView& view) { telemetry->write(view, "running"); };
    }
    // updates the telemetry file at the end of the run, also on an exception
    struct AtEnd {
        std::optional<smi::TelemetryFile>& file;
        const char* status = "failed";
        ~AtEnd() {
            try {
                if (file) file->end(status);
            } catch (const Error&) {  // such as a full disk: the result of the run has priority
            }
        }
    } at_end{telemetry};
    options.trace.command = command_text(*flags.command);
    if (compiled) {
        const std::unique_ptr<ModelResult> result = flags.beyond->run_model(flags.model, options);
        progress.clear();
        at_end.status = "complete";
        if (!json || !json->is_stdout()) print_report(result->text(report_width()));
        if (json) json->write(result->json());
        write_page([&] { return result->json(); });
        if (!result->pass()) return 1;
        refuse_empty_checks(flags, result->device());
        return result->device().fast_enough() || !flags.values.check_perf ? 0 : 1;
    }
    options.value = preloaded_netlist(options.netlist);
    sim::RunReport report = sim::run(options);
    at_end.status = "complete";
    progress.clear();
    suggest_folder(options, report);

    if (!json || !json->is_stdout()) print_report(report::text(report, report_width()));
    if (json) json->write(report::json(report));
    if (report.trace_failure) throw *report.trace_failure;
    write_page([&] { return report::json(report); });
    if (!report.pass()) return 1;
    refuse_empty_checks(flags, report);
    return report.fast_enough() || !flags.values.check_perf ? 0 : 1;
}

}  // namespace

void add_run(CLI::App& app, int& exit_status, const BeyondNetlists* beyond) {
    auto flags = std::make_shared<RunCommandFlags>();
    flags->beyond = beyond;
    CLI::App* command = app.add_subcommand("run", "Simulate a netlist, check its outputs and report its cycles");
    flags->command = command;
    add_netlist(*command, flags->options.netlist, true);
    auto outputs = std::make_shared<Outputs>(*command);
    add_run_options(*command, {flags->options, flags->model, flags->values, *outputs});
    add_options_file(*command, run_option_table());
    command->footer(
        "Exits with 1 if an output differs from golden, or from the values of --expect.\n\n"
        "Examples:\n"
        "  ttsim run examples/bert_encoder.yaml\n"
        "  ttsim run encoder.yaml --arch wormhole_b0 --param p_loop_count=2 --json report.json\n"
        "  ttsim run encoder.yaml --mode timing --inputs-count 8\n"
        "  ttsim run encoder.yaml --mode functional --math exact\n"
        "  ttsim run encoder.yaml --report encoder.html\n"
        "  ttsim run encoder.yaml --dump-io io && ttsim run encoder.yaml --inputs io\n"
        "  ttsim run encoder.yaml --mode timing --trace encoder.ttperf && ttperf encoder.ttperf\n"
        "  ttsim compile model.onnx -o out && ttsim run out --input x=x.npy --outputs y --mode functional");
    command->callback([flags, outputs, &exit_status] {
        outputs->claim();
        exit_status = run(*flags);
    });
}

}  // namespace ttsim::impl::cli
