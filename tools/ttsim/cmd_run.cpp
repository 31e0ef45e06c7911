// ttsim run: simulates a netlist, checks its outputs and reports its cycles.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/report/run_report.hpp"
#include "analysis/smi/telemetry_file.hpp"
#include "base/text.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/common/stop_signals.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/model.hpp"
#include "tools/ttsim/progress.hpp"

namespace ttsim::impl::cli {

namespace {

/// How the matrix unit computes.
enum class MathMode : std::uint8_t { Fast, Exact };

struct RunCommandFlags {
    RunFlags netlist;
    MathMode math = MathMode::Fast;
    ModelFlags model;
    std::string json, telemetry;
    bool no_check = false, check_perf = false, progress = false;
    const CLI::App* command = nullptr;
};

/// The command recorded in the trace: only options that affect the result, without folders, so that equal runs have
/// equal traces.
std::string command_text(const CLI::App& command) {
    std::string text = "ttsim run";
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name();
        const bool no_effect = name == "--threads" || name == "--json" || name == "--trace" || name == "--dump-io" ||
                               name == "--progress" || name == "--telemetry" || name == "--color" || name == "--force";
        if (option->count() == 0 || no_effect) continue;
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
    const SourceLoc file{flags.netlist.options.netlist, 0, 0};
    const auto judged = [](const sim::PerformanceFigure& f) { return f.judged(); };
    if (flags.check_perf && std::none_of(report.performance.begin(), report.performance.end(), judged))
        problems.error(file, "--check-perf: nothing was compared: {}",
                       report.performance.empty() ? "no entry of a performance-check section applies to this run"
                                                  : "the performance-check section has no target");
    if (flags.netlist.options.strict && report.verdict() == sim::Verdict::NothingCompared)
        problems.error(
            file, "--strict: nothing was compared: no output that is judged got an entry with a number of golden's");
    const auto right = [](const sim::OpCheckReport& o) { return o.verdict() == sim::Verdict::Pass; };
    if (flags.netlist.options.check_ops && std::none_of(report.ops.begin(), report.ops.end(), right))
        problems.error(file, "--check ops: nothing was compared: no op that can be compared was run");
    problems.throw_if_any();
}

/// Adds a note if the netlist belongs to a compiled model, which is rarely meant to run on its own.
void suggest_folder(const sim::RunOptions& options, sim::RunReport& report) {
    const std::filesystem::path folder = std::filesystem::path(options.netlist).parent_path();
    if (!options.inputs_dir.empty() || kind_of(folder.empty() ? "." : folder.string()) != InputKind::CompiledModel)
        return;
    report.notes.push_back(
        fmt::format("this is the netlist of a compiled model, run with generated inputs and weights; 'ttsim run {}' "
                    "runs the model with its own",
                    folder.empty() ? "." : folder.string()));
}

int run(RunCommandFlags& flags) {
    finish_netlist_flags(flags.netlist);
    sim::RunOptions& options = flags.netlist.options;
    options.check = !flags.no_check;
    if (flags.math == MathMode::Exact) {
        if (options.numerics == Numerics::Float32)
            throw CLI::ValidationError("--math", "exact uses the chip's number formats; omit --numerics float32");
        options.numerics = Numerics::Exact;
    }
    if (flags.check_perf && (options.mode == sim::Mode::Functional || !options.perf_op.empty()))
        throw CLI::ValidationError("--check-perf",
                                   options.perf_op.empty()
                                       ? "functional mode has no clock, so no performance target can be checked"
                                       : "performance targets are for the whole netlist, and --perf-op runs one op");
    if (options.check_ops && (options.mode == sim::Mode::Timing || !options.perf_op.empty()))
        throw CLI::ValidationError("--check", "timing mode computes no values, so no op can be compared");
    if (options.strict && options.mode == sim::Mode::Timing)
        throw CLI::ValidationError("--strict", "timing mode computes no values, so no output can be compared");
    std::optional<OutputFile> json;
    if (!flags.json.empty()) json.emplace(flags.json, FileKind::Json);
    const InputKind kind = kind_of(options.netlist);
    const bool compiled = kind == InputKind::CompiledModel || kind == InputKind::Image;
    if (!compiled) {
        require_kind(InputKind::Netlist, options.netlist, "ttsim run");
        refuse_model_flags(flags.model);
    }

    Progress progress(flags.progress);
    options.progress = progress.callback();
    std::optional<StopSignals> signals;  // a signal ends a traced run in order
    if (!options.trace.file.empty()) options.stop = signals.emplace().caught();
    options.trace.version = TTSIM_VERSION;
    std::optional<smi::TelemetryFile> telemetry;
    if (!flags.telemetry.empty()) {
        telemetry.emplace(flags.telemetry, command_text(*flags.command));
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
        const report::ModelReport report = run_compiled(flags.model, options);
        progress.clear();
        at_end.status = "complete";
        if (!json || !json->is_stdout()) print_report(report::text(report, report_width()));
        if (json) json->write(report::json(report));
        if (!report.pass()) return 1;
        refuse_empty_checks(flags, report.device);
        return report.device.fast_enough() || !flags.check_perf ? 0 : 1;
    }
    sim::RunReport report = sim::run(options);
    at_end.status = "complete";
    progress.clear();
    suggest_folder(options, report);

    if (!json || !json->is_stdout()) print_report(report::text(report, report_width()));
    if (json) json->write(report::json(report));
    if (report.trace_failure) throw *report.trace_failure;
    if (!report.pass()) return 1;
    refuse_empty_checks(flags, report);
    return report.fast_enough() || !flags.check_perf ? 0 : 1;
}

/// Adds an option with a word for each value.
template <class T>
void add_choice(CLI::App& command, const std::string& name, T& value, std::vector<std::pair<std::string, T>> choices,
                const std::string& help) {
    std::vector<std::string> words;
    for (const auto& [word, unused] : choices) words.push_back(word);
    const std::string list = fmt::format("{}", fmt::join(words, "|"));
    const auto set = [&value, name, words, choices = std::move(choices)](const std::string& given) {
        for (const auto& [word, meant] : choices) {
            if (word != given) continue;
            value = meant;
            return;
        }
        throw CLI::ValidationError(name, none_of(given, words));
    };
    command.add_option_function<std::string>(name, set, help)->type_name(list);
}

void add_value_flags(CLI::App& command, sim::RunOptions& o, Outputs& outputs) {
    command.add_option("--seed", o.seed, "Seed of the generated inputs. Default: 0")->type_name("N");
    add_choice<StimulusOrder>(command, "--stimulus", o.stimulus,
                              {{"per_queue", StimulusOrder::PerQueue}, {"test_op", StimulusOrder::TestOp}},
                              "Random generators of inputs: one for each host queue (default), or one for all, as in "
                              "the vendor's op test");
    command
        .add_option("--inputs", o.inputs_dir,
                    "Folder with manifest.json and the .npy file of every host queue, as written by --dump-io; its "
                    "programs, parameters and inputs_count are used. For a compiled model: folder with NAME.npy of its "
                    "inputs")
        ->check(existing_folder())
        ->type_name("DIR");
    outputs.folder(
        "--dump-io", o.dump_dir, dump_folder(),
        "Folder to write inputs and outputs to, as .npy files with a manifest.json; an earlier dump is replaced");
}

void disable_mechanisms(sim::PipeMechanisms& pipes, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (name == "blocks") pipes.blocks = false;
        if (name == "lockstep") pipes.lockstep = false;
        if (name == "firmware") pipes.firmware = false;
        if (name == "credits") pipes.credits = false;
        if (name == "kernels") pipes.kernels = false;
    }
}

void add_machine_flags(CLI::App& command, sim::RunOptions& o, MathMode& math) {
    add_choice<sim::Mode>(
        command, "--mode", o.mode,
        {{"full", sim::Mode::Full}, {"timing", sim::Mode::Timing}, {"functional", sim::Mode::Functional}},
        "full: values and time (default); timing: time only, without tensor values; functional: values only, without "
        "clock and with unbounded buffers");
    add_choice<Numerics>(command, "--numerics", o.numerics, {{"real", Numerics::Real}, {"float32", Numerics::Float32}},
                         "real: the chip's number formats (default); float32: no rounding; outputs must agree with "
                         "golden to 1e-4");
    command
        .add_option("--perf-op", o.perf_op,
                    "Time this op alone, with inputs and output buffers always available, as single-op sweeps measure. "
                    "Implies --mode timing")
        ->type_name("OP");
    command.add_flag(
        "!--no-extrapolate", o.extrapolate,
        "Timing mode: simulate every input. By default, once the state of the whole machine recurs, inputs that "
        "repeat exactly are added without simulation; the report is the same");
    command
        .add_option_function<std::vector<std::string>>(
            "--without", [&o](const std::vector<std::string>& names) { disable_mechanisms(o.pipes, names); },
            "For studies: time without these mechanisms of pipes: blocks, lockstep, firmware, credits, kernels "
            "(docs/modelling.md, Pipes); values do not change")
        ->delimiter(',')
        ->check(quiet(CLI::IsMember({"blocks", "lockstep", "firmware", "credits", "kernels"})))
        ->type_name("NAME,...");
    command
        .add_option_function<std::vector<std::string>>(
            "--free",
            [&o](const std::vector<std::string>& words) { o.idealized = sim::parse_idealized_resources(words); },
            "For studies: idealized resources, which take no time: noc, eth, host, load, dram, dram:CHANNEL, op:NAME, "
            "pipes:NAME (input pipes of an op), sends:NAME (its output pipes), room:NAME (larger buffers around an "
            "op); values do not change")
        ->delimiter(',')
        ->type_name("PART,...");
    add_choice<MathMode>(
        command, "--math", math, {{"fast", MathMode::Fast}, {"exact", MathMode::Exact}},
        "fast: products are added in float32 and rounded once per k-block (default); exact: bit-true FPU, "
        "unpacker and packer (see docs/modelling.md)");
    command
        .add_option("--threads", o.threads, "Worker threads; they do not affect the result. Default: one per processor")
        ->check(in_range(1, 256))
        ->type_name("N");
}

}  // namespace

void add_run(CLI::App& app, int& exit_status) {
    auto flags = std::make_shared<RunCommandFlags>();
    CLI::App* command = app.add_subcommand("run", "Simulate a netlist, check its outputs and report its cycles");
    flags->command = command;
    sim::RunOptions& options = flags->netlist.options;
    add_netlist_flags(*command, flags->netlist, true);
    auto outputs = std::make_shared<Outputs>(*command);
    add_model_flags(*command, flags->model, *outputs);
    add_value_flags(*command, options, *outputs);
    add_machine_flags(*command, options, flags->math);
    CLI::Option* no_check = command->add_flag("--no-check", flags->no_check, "Do not compare outputs with golden");
    add_choice<bool>(*command, "--check", options.check_ops, {{"outputs", false}, {"ops", true}},
                     "outputs: compare the netlist's outputs with golden (default); ops: also compare every op with "
                     "golden on the operands that it got in the run, to find the first wrong op");
    command->get_option("--check")->excludes(no_check);
    command->add_flag("--check-perf", flags->check_perf,
                      "Exit with 1 if a target of the netlist's performance-check section is missed");
    command
        ->add_flag("--strict", options.strict,
                   "Also require PCC 0.999 of Float32 outputs, and 0.99 of 16-bit and Bfp8 outputs at HiFi3 and up")
        ->excludes(no_check);
    outputs->file("--json", flags->json, FileKind::Json,
                  "Write the report as JSON; '-' = standard output, without tables");
    command->add_flag("--progress", flags->progress, "Print progress on standard error even if it is not a terminal");
    CLI::Option* trace =
        outputs->file("--trace", options.trace.file, FileKind::Trace,
                      "Write a trace of every core, pipe, link and memory channel, for ttperf (format: docs/trace.md)");
    command
        ->add_option("--trace-level", options.trace.level,
                     "1: sums per core and input (default); 2: also every step and transfer")
        ->check(in_range(1, 2))
        ->needs(trace)
        ->type_name("N");
    outputs
        ->file("--telemetry", flags->telemetry, FileKind::Json,
               "Keep a file with the progress of the run and the state of its chips, for tt-smi")
        ->excludes(trace);
    command->footer(
        "Exits with 1 if an output differs from golden, or from the values of --expect.\n\n"
        "Examples:\n"
        "  ttsim run examples/bert_encoder.yaml\n"
        "  ttsim run encoder.yaml --arch wormhole_b0 --param p_loop_count=2 --json report.json\n"
        "  ttsim run encoder.yaml --mode timing --inputs-count 8\n"
        "  ttsim run encoder.yaml --mode functional --math exact\n"
        "  ttsim run encoder.yaml --dump-io io && ttsim run encoder.yaml --inputs io\n"
        "  ttsim run encoder.yaml --mode timing --trace encoder.ttperf && ttperf encoder.ttperf\n"
        "  ttsim compile model.onnx -o out && ttsim run out --input x=x.npy --outputs y --mode functional");
    command->callback([flags, outputs, &exit_status] {
        outputs->claim();
        exit_status = run(*flags);
    });
}

}  // namespace ttsim::impl::cli
