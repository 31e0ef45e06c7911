// ttsim compile: compiles a model into a netlist and its weights.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/exports/reportify.hpp"
#include "analysis/report/compile_report.hpp"
#include "base/new_file.hpp"
#include "base/phase_times.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "compiler/files/result_folder.hpp"
#include "compiler/formats/format_units.hpp"
#include "compiler/options/resolve_request.hpp"
#include "generated/compile_flags.hpp"
#include "runtime/image/image.hpp"
#include "runtime/measured_values.hpp"
#include "runtime/model.hpp"
#include "runtime/simulated_run.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/compile_groups.hpp"
#include "tools/ttsim/converted_model.hpp"
#include "tools/ttsim/page_of_run.hpp"
#include "tools/ttsim/progress.hpp"
#include "tools/ttsim/search_progress.hpp"

namespace ttsim::impl::cli {

namespace {

struct CompileFlags {
    ir::CompileRequest request;  ///< options of the schema
    CompileRequestFiles yaml;
    ir::ModelFiles files;
    std::vector<std::string> inputs, constants, shapes, overrides;
    std::string rules_file, explain_op, json, tti_format, reportify, page, signature;
    std::vector<std::string> output_names;
    bool keep_passes = false, explain = false, trials_given = false, time_passes = false;
    image::ImageOptions image{image::TensorFormat::Backend, TTSIM_VERSION, image::tilizer_of_environment()};
};

ir::Dims dims_of(const std::string& text) {
    ir::Dims dims;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        std::int64_t d = 0;
        const auto [next, error] = std::from_chars(at, end, d);
        if (error != std::errc() || d < 1 || (next != end && *next != ',') || next + 1 == end)
            throw CLI::ValidationError("--shape", fmt::format("'{}' must be sizes such as 1,128,768", text));
        dims.push_back(d);
        at = next == end ? end : next + 1;
    }
    return dims;
}

/// Splits several names, such as batch=1,seq=128: a comma starts a new name if a '=' follows before the next comma.
std::vector<std::string> shapes_of(const std::string& text) {
    std::vector<std::string> shapes;
    std::size_t begin = 0;
    for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
        const std::size_t next = text.find(',', at + 1);
        if (text.substr(at + 1, next == std::string::npos ? next : next - at - 1).find('=') == std::string::npos)
            continue;
        shapes.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    shapes.push_back(text.substr(begin));
    return shapes;
}

/// The text of a YAML file of options; "" if there is none.
std::string yaml_text(const std::string& file) {
    constexpr std::uint64_t max_bytes = 64 << 20;
    return file.empty() ? "" : read_file(file, max_bytes);
}

/// The command line with the options that affect the result, for the first line of the netlist.
std::string command_of(const CompileFlags& flags, const ir::CompileOptions& options) {
    ir::CompileRequest shown = flags.request;
    shown.device = ir::device_name(options.device);
    shown.format = to_string(options.default_df);
    std::string text = "ttsim compile " + ir::last_part(flags.files.model) + ir::command_line(shown);
    if (!flags.yaml.format_rules.empty()) text += " --format-rules " + ir::last_part(flags.yaml.format_rules);
    if (!flags.yaml.overrides.empty()) text += " --overrides " + ir::last_part(flags.yaml.overrides);
    for (const std::string& one : flags.overrides) text += " --override " + one;
    return text;
}

void check_combinations(const CompileFlags& flags) {
    if (!flags.tti_format.empty() && !image::is_image_name(flags.files.out))
        throw CLI::ValidationError("--tti-format", "it applies to device images only: name the result NAME.tti");
    if (flags.keep_passes && image::is_image_name(flags.files.out))
        throw CLI::ValidationError("--keep-passes", "a device image cannot hold them: compile into a folder");
    if (flags.request.target_pcc != 0 && (flags.request.amp != 0 || flags.request.amp_light != 0))
        throw CLI::ValidationError("--target-pcc", "it chooses formats op by op; omit --amp and --amp-light");
    if (flags.request.target_pcc == 0 && (flags.trials_given || !flags.rules_file.empty()))
        throw CLI::ValidationError(flags.trials_given ? "--trials" : "--write-format-rules", "it needs --target-pcc");
}

/// Sets the files and the image's format in `flags`; returns the compiler's options.
ir::CompileOptions finish(CompileFlags& flags) {
    check_combinations(flags);
    for (const std::string& text : flags.inputs) flags.files.inputs.insert(name_and_value("--input", text));
    for (const std::string& text : flags.constants) flags.files.constants.insert(name_and_value("--constant", text));
    for (const std::string& text : flags.shapes)
        for (const std::string& one : shapes_of(text)) {
            const auto [name, value] = name_and_value("--shape", one);
            flags.files.shapes[name] = dims_of(value);
        }
    if (flags.tti_format == "tilized") flags.image.format = image::TensorFormat::Tilized;
    flags.files.threads = flags.request.threads;
    flags.request.format_rules = yaml_text(flags.yaml.format_rules);
    flags.request.overrides = yaml_text(flags.yaml.overrides);
    ir::CompileOptions options = ir::resolve_request(flags.request, {flags.yaml.format_rules, flags.yaml.overrides});
    for (const std::string& one : flags.overrides) ir::parse_override(one, options.overrides);
    options.keep_passes = flags.keep_passes || !flags.reportify.empty();
    options.schedule.explain = flags.explain || !flags.explain_op.empty();
    flags.files.command = command_of(flags, options);
    return options;
}

/// Replaces an earlier report of the same name, as the vendor's compiler does.
void write_reportify_folder(const CompileFlags& flags, const ir::CompiledModel& model) {
    const Machine machine = runtime::machine_of(model);
    const std::filesystem::path place = std::filesystem::absolute(flags.reportify).lexically_normal();
    const std::string test = place.has_filename() ? place.filename().string() : place.parent_path().filename().string();
    NewFolder folder(flags.reportify, reportify_folder());
    report::write_reportify(model, machine, test, folder.temporary(), place.string());
    folder.commit();
}

/// Converts a model of another framework. Shapes by the names of inputs are applied by the converter.
void convert(CompileFlags& flags, Progress& progress) {
    const std::string framework = framework_of(flags.files.model);
    if (framework.empty()) {
        if (!flags.signature.empty())
            throw CLI::ValidationError("--signature", "it applies to SavedModel folders and .tflite files");
        if (!flags.output_names.empty())
            throw CLI::ValidationError("--output-names", "it applies to GraphDefs (.pb) and .tflite files");
        return;
    }
    if (const auto show = progress.callback()) show({.stage = "converting from " + framework, .share = 0, .next = ""});
    // a .pt2 file has names of dimensions, which the reader of ONNX takes
    const bool by_converter = framework != "torch.export";
    flags.files.onnx =
        convert_to_onnx({flags.files.model, by_converter ? flags.files.shapes : decltype(flags.files.shapes){},
                         flags.signature, flags.output_names});
    if (by_converter) flags.files.shapes.clear();
}

void write_result(const CompileFlags& flags, const ir::CompiledModel& model) {
    const TimedPhase timed("write");
    if (image::is_image_name(flags.files.out))
        image::write_image(model, flags.files.out, flags.image);
    else
        write_folder(model, flags.files.out, flags.files.threads);
}

void run(CompileFlags& flags) {
    require_kind(InputKind::Model, flags.files.model, "ttsim compile");
    std::optional<PhaseTimes> times;
    if (flags.time_passes) times.emplace("ttsim compile");
    ir::CompileOptions options = finish(flags);
    options.simulate = runtime::simulated_run;
    SearchProgress search;
    options.on_simulation = search.callback();
    Progress progress(false);
    convert(flags, progress);
    if (options.target) {
        options.target->measure = runtime::measured_values;
        options.target->cycles = runtime::measured_cycles;
        if (const auto show = progress.callback())
            options.target->progress = [show](const std::string& stage, double share) {
                show({.stage = stage, .share = share, .next = ""});
            };
    }
    std::optional<OutputFile> page;
    if (!flags.page.empty()) {
        page.emplace(flags.page, FileKind::Report);
        (void)report::page_template();  // a missing template is reported before any work
    }
    const std::optional<OutputFile> json =
        flags.json.empty() ? std::nullopt : std::optional<OutputFile>(std::in_place, flags.json, FileKind::Json);
    ir::CompiledModel model = ir::compile_model(flags.files, options);
    progress.clear();
    if (!flags.reportify.empty()) write_reportify_folder(flags, model);
    if (!flags.keep_passes) model.passes.clear();
    if (!flags.rules_file.empty())
        OutputFile(flags.rules_file, FileKind::Json).write(ir::rules_text(model.report.formats->rules));
    if (image::is_image_name(flags.files.out) && ir::is_trained(model))
        fail_unsupported({flags.files.out, 0, 0}, "device images hold forward programs only; name a folder with -o");
    write_result(flags, model);
    if (page) write_model_page(*page, flags.files.out);
    report::CompileReport report = report::compile_report(flags.files, options, std::move(model.report));
    report::keep_decisions(report, flags.explain_op);
    if (times) report.times = times->end();
    constexpr double least_share = 0.005;  // others are in --json
    if (report.times) std::fputs(phase_table(*report.times, least_share).c_str(), stderr);
    if (json) json->write(report::json(report));
    if (json && json->is_stdout()) return;
    print_text(report::text(report));
}

}  // namespace

void add_compile(CLI::App& app) {
    auto flags = std::make_shared<CompileFlags>();
    CLI::App* command = app.add_subcommand("compile", "Compile a model into a netlist and its weights");
    command
        ->add_option("model", flags->files.model,
                     "Model: ONNX (.onnx), graph in text form, or a file that the Python package ttsim converts: "
                     "TensorFlow Lite "
                     "(.tflite), Keras (.keras), frozen GraphDef of TensorFlow (.pb), SavedModel folder, torch.export "
                     "(.pt2)")
        ->required()
        ->check(existing_path())
        ->type_name("FILE");
    auto outputs = std::make_shared<Outputs>(*command);
    outputs
        ->folder_or_file("-o,--output", flags->files.out, compiled_folder(), FileKind::Image, image::image_extension,
                         "Folder for the result, or device image NAME.tti; an earlier result is replaced")
        ->required();
    command->add_flag("--keep-passes", flags->keep_passes,
                      "Also write the graph after every pass that changed it, for 'ttsim report'");
    outputs->folder("--reportify", flags->reportify, reportify_folder(),
                    "Also write a folder for Reportify: graphs of the passes, placement, memory; an earlier folder is "
                    "replaced. Reportify reads testify/ll-sw/ in the home folder");
    command->add_flag("--time-passes", flags->time_passes,
                      "Print seconds and memory of each pass and phase to standard error, and into --json");
    command
        ->add_option(
            "--tti-format", flags->tti_format,
            "Layout of tensors in a device image: backend, as in host memory (default), or tilized, as in the device's "
            "queues")
        ->check(quiet(CLI::IsMember({"backend", "tilized"}, CLI::ignore_case)))
        ->type_name("backend|tilized");
    command
        ->add_option("--input", flags->inputs,
                     "Values of an input, .npy or .pb; repeatable. Other inputs are generated")
        ->allow_extra_args(false)
        ->type_name("NAME=FILE");
    command
        ->add_option(
            "--constant", flags->constants,
            "Compile an input in as a constant: a file of its values, or one number for all elements; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME=FILE|NUMBER");
    command
        ->add_option(
            "--shape", flags->shapes,
            "Shape of an input with symbolic dimensions, such as input=1,128,768, or sizes of the dimensions by name, "
            "such as batch=1,seq=128; repeatable. Default: the shape of its --input")
        ->allow_extra_args(false)
        ->type_name("NAME=N,...");
    command
        ->add_option("--signature", flags->signature,
                     "Signature of a SavedModel or .tflite file. Default: serving_default; of .tflite the first graph")
        ->type_name("NAME");
    command
        ->add_option(
            "--output-names", flags->output_names,
            "Outputs of a .tflite file or GraphDef, by names of tensors or nodes. Default: those of the file; of a "
            "GraphDef results that no node reads")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,...");
    add_compile_options(*command, flags->request, flags->yaml);
    command->add_option("--override", flags->overrides, "Override of one op, NAME:size=2x4,place=0x0,t=4; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME:KEY=VALUE,...");
    command->add_flag(
        "--explain", flags->explain,
        "Print for each op every grid with its blocks, L1 and cycles, why it was chosen or rejected, and how its "
        "operands reach it");
    command->add_option("--explain-op", flags->explain_op, "The same only for ops whose full name matches")
        ->type_name("REGEX");
    outputs->file("--write-format-rules", flags->rules_file, FileKind::Json,
                  "Write the formats that --target-pcc chose, to reuse with --format-rules without a search");
    outputs->file("--json", flags->json, FileKind::Json, "Write the report as JSON; - is stdout");
    outputs->file("--report", flags->page, FileKind::Report,
                  "Write an HTML page of the placement, the memory and, with --keep-passes, the graphs of all passes");
    command->footer(
        "Exits with 2 for an invalid model, and with 4 for a model that cannot be compiled.\n\n"
        "Examples:\n"
        "  ttsim compile model.onnx -o out && ttsim run out\n"
        "  ttsim compile model.onnx --device wh_n150 -o model.tti && ttsim run model.tti\n"
        "  ttsim compile model.onnx -o out --explain-op 'matmul_.*'\n"
        "  ttsim compile model.onnx -o out --microbatch 32 --effort 2\n"
        "  ttsim compile model.onnx -o out --optimize latency --effort 2 --explain\n"
        "  ttsim compile model.tflite --device wh_n150 -o out\n"
        "  ttsim compile model.onnx --device gs_e150 --shape input=1,3,224,224 --input input=cat.npy -o out");
    add_options_file(*command, compile_option_table());
    group_compile_options(*command);
    command->callback([flags, outputs, command] {
        flags->trials_given = command->count("--trials") > 0;
        outputs->claim();
        run(*flags);
    });
}

}  // namespace ttsim::impl::cli
