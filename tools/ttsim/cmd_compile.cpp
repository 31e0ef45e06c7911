// ttsim compile: compiles a model into a netlist and its weights.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/exports/reportify.hpp"
#include "analysis/report/compile_report.hpp"
#include "base/new_file.hpp"
#include "base/text.hpp"
#include "compiler/files/result_folder.hpp"
#include "compiler/formats/format_units.hpp"
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
#include "tools/ttsim/progress.hpp"
#include "tools/ttsim/search_progress.hpp"

namespace ttsim::impl::cli {

namespace {

struct CompileFlags {
    ir::CompileOptions options;
    ir::ModelFiles files;
    std::vector<std::string> inputs, constants, shapes;
    std::string df, accumulate_df, format_rules, fidelity = "HiFi4", policy = "balanced", placement = "least_traffic",
                                                 overrides_file;
    int amp = 0, amp_light = 0;
    std::optional<double> target_pcc;
    std::optional<std::int64_t> trials;
    std::string rules_file;
    std::vector<std::string> overrides;
    std::string self_cut, explain_op, json, optimize = "throughput";
    std::string tti_format, reportify;
    bool keep_passes = false;
    image::ImageOptions image{image::TensorFormat::Backend, TTSIM_VERSION, image::tilizer_of_environment()};
    bool no_t_streaming = false, no_auto_fusing = false, no_balance = false, no_column_order = false;
    std::optional<bool> fuse_gelu;  ///< nullopt: if the estimate favours it
    std::string loops;              ///< "": decided by the size of the unrolled loop
    bool explain = false, no_stable_softmax = false, no_host_fallback = false;
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

DataFormat float_format(const std::string& flag, const std::string& name) {
    const auto df = parse_format(name);
    if (!df || is_integer(*df) || is_raw(*df))
        throw CLI::ValidationError(flag, "'" + name + "' is not a float format" +
                                             did_you_mean(name, {"Float32", "Float16", "Float16_b", "Bfp8", "Bfp8_b",
                                                                 "Bfp4", "Bfp4_b", "Bfp2", "Bfp2_b"}));
    return *df;
}

void finish_formats(CompileFlags& flags) {
    ir::CompileOptions& o = flags.options;
    std::optional<DataFormat> given;
    if (!flags.df.empty()) given = float_format("--default-df", flags.df);
    ir::FormatRules read;
    if (!flags.format_rules.empty()) read = ir::read_format_rules(flags.format_rules);
    if (!given) given = read.default_df;
    o.default_df = given.value_or(flags.amp == 2 ? DataFormat::Float16 : DataFormat::Float16_b);
    if (!flags.accumulate_df.empty()) o.accumulate_df = float_format("--accumulate-df", flags.accumulate_df);
    const auto add = [&](std::vector<ir::FormatRule> rules) {
        o.rules.insert(o.rules.end(), rules.begin(), rules.end());
    };
    add(ir::amp_rules(flags.amp, given));
    add(ir::light_amp_rules(flags.amp_light));
    add(std::move(read.rules));
    if (flags.target_pcc) {
        if (flags.amp != 0 || flags.amp_light != 0)
            throw CLI::ValidationError("--target-pcc", "it chooses formats op by op; omit --amp and --amp-light");
        o.target.emplace().pcc = *flags.target_pcc;
        if (flags.trials) o.target->trials = *flags.trials;
        o.target->any_family = !given;
    } else if (flags.trials || !flags.rules_file.empty()) {
        throw CLI::ValidationError(flags.trials ? "--trials" : "--write-format-rules", "it needs --target-pcc");
    }
}

/// The last part of a path: results must not depend on the folders of files.
std::string file_name(const std::string& path) {
    return std::filesystem::path(path).lexically_normal().filename().string();
}

/// The command line with the flags that affect the result, for the first line of the netlist.
std::string command_of(const CompileFlags& flags) {
    const ir::CompileOptions& o = flags.options;
    std::string text = fmt::format("ttsim compile {} --device {} --default-df {} --math-fidelity {} --policy {}",
                                   file_name(flags.files.model), file_name(ir::device_name(o.device)),
                                   to_string(o.default_df), flags.fidelity, flags.policy);
    if (o.effort != 1) text += fmt::format(" --effort {}", o.effort);
    if (o.schedule.aim != ir::Aim::Throughput) text += fmt::format(" --optimize {}", to_string(o.schedule.aim));
    if (o.accumulate_df) text += fmt::format(" --accumulate-df {}", to_string(*o.accumulate_df));
    if (flags.amp != 0) text += fmt::format(" --amp {}", flags.amp);
    if (flags.target_pcc) text += fmt::format(" --target-pcc {}", *flags.target_pcc);
    if (flags.trials) text += fmt::format(" --trials {}", *flags.trials);
    if (flags.amp_light != 0) text += fmt::format(" --amp-light {}", flags.amp_light);
    if (o.microbatch > 1) text += fmt::format(" --microbatch {}", o.microbatch);
    if (!o.auto_fusing) text += " --no-auto-fusing";
    if (!o.bias_correction) text += " --no-bias-correction";
    if (!o.t_streaming) text += " --no-t-streaming";
    if (!o.prestride) text += " --no-prestride";
    for (const auto& [queue, channel] : o.emit.channels) text += fmt::format(" --queue-channel {}={}", queue, channel);
    if (o.emit.host_inputs) text += " --host-inputs";
    if (o.emit.host_outputs) text += " --host-outputs";
    if (o.keep_names) text += " --keep-names";
    if (flags.no_column_order) text += " --no-column-order";
    if (!flags.self_cut.empty()) text += " --self-cut " + flags.self_cut;
    if (o.conv_fracture) text += fmt::format(" --conv-fracture {}", *o.conv_fracture);
    if (flags.fuse_gelu) text += *flags.fuse_gelu ? " --fuse-gelu" : " --no-fuse-gelu";
    if (!flags.loops.empty()) text += " --loops " + flags.loops;
    if (o.emit.chips > 1) text += fmt::format(" --num-chips {}", o.emit.chips);
    if (o.emit.dynamic_queues) text += " --dynamic-queues";
    if (flags.placement != ir::placement_names().front()) text += " --dram-placement " + flags.placement;
    if (!flags.overrides_file.empty()) text += " --overrides " + file_name(flags.overrides_file);
    for (const std::string& one : flags.overrides) text += " --override " + one;
    for (const std::string& op : o.intermediates) text += " --intermediates " + op;
    if (!o.cluster.empty()) text += " --cluster " + file_name(o.cluster);
    for (const int row : o.harvested_rows) text += fmt::format(" --harvested-rows {}", row);
    if (!flags.format_rules.empty()) text += " --format-rules " + file_name(flags.format_rules);
    if (o.microbatch > 1) text += fmt::format(" --microbatch {}", o.microbatch);
    return text;
}

void finish(CompileFlags& flags) {
    ir::CompileOptions& o = flags.options;
    for (const std::string& text : flags.inputs) flags.files.inputs.insert(name_and_value("--input", text));
    for (const std::string& text : flags.constants) flags.files.constants.insert(name_and_value("--constant", text));
    for (const std::string& text : flags.shapes)
        for (const std::string& one : shapes_of(text)) {
            const auto [name, value] = name_and_value("--shape", one);
            flags.files.shapes[name] = dims_of(value);
        }
    if (!flags.tti_format.empty() && !image::is_image_name(flags.files.out))
        throw CLI::ValidationError("--tti-format", "it applies to device images only: name the result NAME.tti");
    if (flags.tti_format == "tilized") flags.image.format = image::TensorFormat::Tilized;
    o.wide_results = true;
    o.keep_passes = flags.keep_passes || !flags.reportify.empty();
    if (flags.keep_passes && image::is_image_name(flags.files.out))
        throw CLI::ValidationError("--keep-passes", "a device image cannot hold them: compile into a folder");
    finish_formats(flags);
    const auto fidelity = parse_fidelity(flags.fidelity);
    if (!fidelity)
        throw CLI::ValidationError("--math-fidelity",
                                   none_of(flags.fidelity, {"LoFi", "HiFi2", "HiFi2_A", "HiFi2_B", "HiFi3", "HiFi4"}));
    o.fidelity = *fidelity;
    const auto policy = ir::parse_policy(flags.policy);
    if (!policy)
        throw CLI::ValidationError("--policy", fmt::format("'{}' is not a policy{}; choose one of {}", flags.policy,
                                                           did_you_mean(flags.policy, ir::policy_names()),
                                                           fmt::join(ir::policy_names(), ", ")));
    o.schedule.policy = *policy;
    o.schedule.aim = flags.optimize == "latency" ? ir::Aim::Latency : ir::Aim::Throughput;
    const auto placement = ir::parse_placement(flags.placement);
    if (!placement)
        throw CLI::ValidationError(
            "--dram-placement",
            fmt::format("'{}' is not a placement{}; choose one of {}", flags.placement,
                        did_you_mean(flags.placement, ir::placement_names()), fmt::join(ir::placement_names(), ", ")));
    o.emit.placement = *placement;
    o.t_streaming = !flags.no_t_streaming;
    o.auto_fusing = !flags.no_auto_fusing;
    o.bias_correction = !flags.no_balance;
    o.schedule.column_order = !flags.no_column_order;
    if (!flags.loops.empty()) o.loops = ir::parse_loops(flags.loops).value_or(ir::Loops::IfProfitable);
    if (flags.fuse_gelu) o.fuse_gelu = *flags.fuse_gelu ? ir::Fusing::Always : ir::Fusing::Never;
    if (!flags.overrides_file.empty()) ir::read_overrides(flags.overrides_file, o.overrides);
    for (const std::string& one : flags.overrides) ir::parse_override(one, o.overrides);
    if (!flags.self_cut.empty()) {
        const auto cut = ir::parse_self_cut(flags.self_cut);
        if (!cut)
            throw CLI::ValidationError(
                "--self-cut",
                fmt::format("'{}' is not a method of self-cut{}; choose one of {}", flags.self_cut,
                            did_you_mean(flags.self_cut, ir::self_cut_names()), fmt::join(ir::self_cut_names(), ", ")));
        o.schedule.self_cut = *cut;
    }
    o.schedule.explain = flags.explain || !flags.explain_op.empty();
    o.schedule.seed = o.seed;
    o.stable_softmax = !flags.no_stable_softmax;
    o.host_fallback = !flags.no_host_fallback;
    flags.files.command = command_of(flags);
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

void run(CompileFlags& flags) {
    require_kind(InputKind::Model, flags.files.model, "ttsim compile");
    finish(flags);
    flags.options.simulate = runtime::simulated_run;
    SearchProgress search;
    flags.options.on_simulation = search.callback();
    Progress progress(false);
    if (flags.options.target) {
        flags.options.target->measure = runtime::measured_values;
        flags.options.target->cycles = runtime::measured_cycles;
        if (const auto show = progress.callback())
            flags.options.target->progress = [show](const std::string& stage, double share) {
                show({.stage = stage, .share = share, .next = ""});
            };
    }
    const std::optional<OutputFile> json =
        flags.json.empty() ? std::nullopt : std::optional<OutputFile>(std::in_place, flags.json, FileKind::Json);
    ir::CompiledModel model = ir::compile_model(flags.files, flags.options);
    progress.clear();
    if (!flags.reportify.empty()) write_reportify_folder(flags, model);
    if (!flags.keep_passes) model.passes.clear();
    if (!flags.rules_file.empty())
        OutputFile(flags.rules_file, FileKind::Json).write(ir::rules_text(model.report.formats->rules));
    if (image::is_image_name(flags.files.out))
        image::write_image(model, flags.files.out, flags.image);
    else
        write_folder(model, flags.files.out, flags.files.threads);
    report::CompileReport report = report::compile_report(flags.files, flags.options, std::move(model.report));
    report::keep_decisions(report, flags.explain_op);
    if (json) json->write(report::json(report));
    if (json && json->is_stdout()) return;
    print_text(report::text(report));
}

void add_format_flags(CLI::App& command, CompileFlags& flags) {
    command
        .add_option("--default-df", flags.df,
                    "Data format of tensors. Tensors whose small values a block float would lose use 16 bits. "
                    "Default: Float16_b, with --amp 2 Float16")
        ->type_name("FORMAT");
    command
        .add_option(
            "--accumulate-df", flags.accumulate_df,
            "Data format of Dst. Default: 16 bits, in the format of the result; Float32 for products above LoFi on "
            "chips that support it")
        ->type_name("FORMAT");
    command.add_option("--math-fidelity", flags.fidelity, "Math fidelity: LoFi, HiFi2, HiFi3 or HiFi4. Default: HiFi4")
        ->type_name("NAME");
    command
        .add_option(
            "--amp", flags.amp,
            "Automatic mixed precision: 1: products in Bfp8_b, softmax and normalizations in Float16_b; 2: the same "
            "in the A formats. Default: 0, off")
        ->check(in_range(0, 2))
        ->type_name("LEVEL");
    command
        .add_option("--amp-light", flags.amp_light,
                    "Mixed precision of weights of products only: 1: Bfp8 HiFi2, 2: Bfp4 HiFi2, 3: Bfp4 LoFi. "
                    "Default: 0, off")
        ->check(in_range(0, 3))
        ->type_name("LEVEL");
    command
        .add_option(
            "--target-pcc", flags.target_pcc,
            "Choose formats and fidelities op by op, by simulation: the cheapest whose outputs have this Pearson "
            "correlation with the float32 model, for the samples of --input or else for generated inputs")
        ->check(in_range(0.5, 0.999999))
        ->type_name("X");
    command.add_option("--trials", flags.trials, "Maximum simulations of --target-pcc. Default: 24")
        ->check(in_range(1, 100000))
        ->type_name("N");
    command.add_option("--format-rules", flags.format_rules, "YAML file with formats and fidelities of ops")
        ->check(existing_file())
        ->type_name("FILE");
}

}  // namespace

static void set_channels(const std::vector<std::string>& given, std::map<std::string, std::int64_t>& channels) {
    for (const std::string& text : given) {
        const auto [name, value] = name_and_value("--queue-channel", text);
        std::int64_t n = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
        if (error != std::errc() || end != value.data() + value.size() || n < 0)
            throw CLI::ValidationError("--queue-channel", fmt::format("'{}' must be NAME=N, such as in_x=2", text));
        channels[name] = n;
    }
}

static void add_placing_flags(CLI::App& command, CompileFlags& flags) {
    ir::CompileOptions& o = flags.options;
    command
        .add_option(
            "--overrides", flags.overrides_file,
            "YAML file of overrides of single ops: NAME: {size: [2, 4], place: [0, 0], transpose: "
            "true, t: 4 or t_columns: 4, t_dir: r or c, u_kt: 2, input_buffers: [0, 16], input_blocks: [4], "
            "output_buffers: 4, dram_parameters: true, queued: [0], nops: [0, 1] or {OP: 1}, after: [OP], fuse: false, "
            "epoch_break: true, chip_break: true, chip: 1, parts: 4}; for a convolution of the model {fracture: 3}")
        ->check(existing_file())
        ->type_name("FILE");
    command.add_option("--override", flags.overrides, "Override of one op, NAME:size=2x4,place=0x0,t=4; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME:KEY=VALUE,...");
    command
        .add_option(
            "--self-cut", flags.self_cut,
            "Which edges are moved to queues in DRAM when an op's neighbours in its epoch leave it no valid grid: "
            "consumer_operand_edges_first (its operands one by one, then its consumers; default), "
            "producer_user_edges_first (consumers first), fast_cut (all operands), none (report an error)")
        ->type_name("NAME");
    command.add_flag("--no-bias-correction", flags.no_balance,
                     "Do not correct biases for the mean error of rounded weights");
    command.add_flag("--no-auto-fusing", flags.no_auto_fusing, "Do not fuse chains of elementwise ops");
    command.add_flag(
        "--fuse-gelu,!--no-fuse-gelu", [&](std::int64_t n) { flags.fuse_gelu = n > 0; },
        "Always or never compute a gelu in the kernel of the product before it. Default: if the estimate is better");
    command
        .add_option(
            "--loops", flags.loops,
            "Loops and recurrent layers with identical iterations: run as a loop of the program, with the state in "
            "the device's memory (programs), or unrolled (unrolled). Default: programs if the unrolled loop has "
            "many ops")
        ->check(quiet(CLI::IsMember({"programs", "unrolled"})))
        ->type_name("HOW");
    command
        .add_option("--conv-fracture", o.conv_fracture,
                    "Split every convolution into N convolutions, each with some rows of the kernel; 1: never. "
                    "Default: if the estimate is better, or if it does not fit otherwise")
        ->check(in_range(1, 1024))
        ->type_name("N");
    command.add_flag("--prestride,!--no-prestride", o.prestride,
                     "Let the host rearrange the input of a first convolution into windows. Default: on");
    command
        .add_option_function<std::vector<std::string>>(
            "--queue-channel", [&](const std::vector<std::string>& all) { set_channels(all, o.emit.channels); },
            "DRAM channel of a queue of the netlist, such as in_x=2; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME=N");
    command.add_flag("--host-inputs", o.emit.host_inputs, "Place input queues in host memory");
    command.add_flag("--host-outputs", o.emit.host_outputs, "Place output queues in host memory");
    command.add_flag("--keep-names", o.keep_names,
                     "Name ops of the netlist as in the model; if one becomes several, NAME.dc.TYPE.N");
    command.add_flag("--no-t-streaming", flags.no_t_streaming, "Never split large results into slices of rows");
    command.add_flag("--no-column-order", flags.no_column_order,
                     "Always order ublocks by rows. Default: by columns if the consumers read them that way");
    command
        .add_option("--dram-placement", flags.placement,
                    "DRAM channels of queues: least_traffic (in the epochs that use the queue; default), round_robin, "
                    "round_robin_flip_flop (one half of the channels for even epochs, one for odd), "
                    "greatest_capacity, closest (to the cores that write or read)")
        ->type_name("NAME");
    command
        .add_option("--num-chips", o.emit.chips, "Number of chips in a row, each with some of the epochs. Default: 1")
        ->check(in_range(1, 32))
        ->type_name("N");
    command.add_flag("--dynamic-queues", o.emit.dynamic_queues,
                     "Allocate queues between epochs only while they are used, so that they share memory");
    command
        .add_option("--intermediates", o.intermediates,
                    "Make the results of these ops outputs named OP_intermediate_output; the ops are not fused")
        ->delimiter(',')
        ->type_name("OP,...");
    command.add_option("--harvested-rows", o.harvested_rows, "Harvested NoC rows of the device, such as 1,11")
        ->delimiter(',')
        ->type_name("Y,...");
    command
        .add_option("--cluster", o.cluster,
                    "Cluster descriptor: chips and their Ethernet links. Default: those of the product")
        ->check(existing_file())
        ->type_name("FILE");
}

void add_compile(CLI::App& app) {
    auto flags = std::make_shared<CompileFlags>();
    ir::CompileOptions& o = flags->options;
    CLI::App* command = app.add_subcommand("compile", "Compile an ONNX model into a netlist and its weights");
    command->add_option("model", flags->files.model, "Model (.onnx), or graph in text form")
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
    command
        ->add_option(
            "--tti-format", flags->tti_format,
            "Layout of tensors in a device image: backend, as in host memory (default), or tilized, as in the device's "
            "queues")
        ->check(quiet(CLI::IsMember({"backend", "tilized"}, CLI::ignore_case)))
        ->type_name("backend|tilized");
    command
        ->add_option(
            "--device", o.device,
            "Product (see 'ttsim devices'), SoC descriptor file or folder of a custom chip to compile for. Default: "
            "wh_n150")
        ->type_name("NAME|FILE");
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
    add_format_flags(*command, *flags);
    command
        ->add_option(
            "--policy", flags->policy,
            "How grids are chosen: balanced: by estimated kernel times (default); minimize_grid: the smallest that "
            "fit; nlp: one target time for all ops; ribbon: grids of one height; random: by --seed; "
            "simulated: the fastest of several schedules on the simulated chip")
        ->type_name("NAME");
    add_placing_flags(*command, *flags);
    command
        ->add_option("--threads", flags->files.threads,
                     "Threads of the compiler; they do not affect the result. Default: one per processor")
        ->check(in_range(1, 256))
        ->type_name("N");
    command
        ->add_option(
            "--effort", o.effort,
            "Effort of the schedule search: 0: the first schedule that fits; 1: a few by estimated times, and for "
            "models of up to 600 ops seven on the simulated chip (default); 2: some tens on the simulated chip; "
            "3: some hundreds")
        ->check(in_range(0, 3))
        ->type_name("LEVEL");
    command
        ->add_option(
            "--optimize", flags->optimize,
            "What to optimize: throughput: inputs/s (default); latency: the time of one input, from loading its "
            "first kernels to its last output")
        ->check(quiet(CLI::IsMember({"throughput", "latency"})))
        ->type_name("throughput|latency");
    command
        ->add_option("--microbatch", o.microbatch, "Inputs that each epoch processes before the next epoch. Default: 1")
        ->check(in_range(1, 4096))
        ->type_name("N");
    command->add_option("--seed", o.seed, "Seed of the generated inputs. Default: 0")->type_name("N");
    command->add_flag("--no-stable-softmax", flags->no_stable_softmax, "Do not subtract the maximum in softmax");
    command->add_flag("--no-host-fallback", flags->no_host_fallback,
                      "Report an error for ops that would run on the host, such as token id lookups and integer ops");
    command->add_flag(
        "--explain", flags->explain,
        "Print for each op every grid with its blocks, L1 and cycles, why it was chosen or rejected, and how its "
        "operands reach it");
    command->add_option("--explain-op", flags->explain_op, "The same only for ops whose full name matches")
        ->type_name("REGEX");
    outputs->file("--write-format-rules", flags->rules_file, FileKind::Json,
                  "Write the formats that --target-pcc chose, to reuse with --format-rules without a search");
    outputs->file("--json", flags->json, FileKind::Json, "Write the report as JSON; - is stdout");
    command->footer(
        "Exits with 2 for an invalid model, and with 4 for a model that cannot be compiled.\n\n"
        "Examples:\n"
        "  ttsim compile model.onnx -o out && ttsim run out\n"
        "  ttsim compile model.onnx --device wh_n150 -o model.tti && ttsim run model.tti\n"
        "  ttsim compile model.onnx -o out --explain-op 'matmul_.*'\n"
        "  ttsim compile model.onnx -o out --microbatch 32 --effort 2\n"
        "  ttsim compile model.onnx -o out --optimize latency --effort 2 --explain\n"
        "  ttsim compile model.onnx --device gs_e150 --shape input=1,3,224,224 --input input=cat.npy -o out");
    group_compile_options(*command);
    command->callback([flags, outputs] {
        outputs->claim();
        run(*flags);
    });
}

}  // namespace ttsim::impl::cli
