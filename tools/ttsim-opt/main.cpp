// ttsim-opt: runs compiler passes on a graph and prints the result.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/text.hpp"
#include "compiler/files/model_files.hpp"
#include "tools/common/output.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/common/usage.hpp"

namespace {

using namespace ttsim::impl;

struct Flags {
    ir::ModelFiles files;
    std::vector<std::string> passes;
    std::string pipeline, df, accumulate_df, format_rules;
    int amp = 0, amp_light = 0;
    std::int64_t elide = 64, conv_fracture = 1;
    std::vector<std::string> intermediates;
    bool wide_dest = false, wide_results = false;
    bool list = false, print_after_all = false, no_verify = false, no_stable_softmax = false, no_host_fallback = false;
};

void list_passes() {
    fmt::print("passes:\n");
    for (const ir::Pass* pass : ir::all_passes()) fmt::print("  {:24} {}\n", pass->name, pass->summary);
    fmt::print("pipelines:\n");
    for (const ir::Pipeline& pipeline : ir::all_pipelines())
        fmt::print("  {:24} {}: {}\n", pipeline.name, pipeline.summary, fmt::join(pipeline.passes, ","));
}

const ir::Pass* pass_named(const std::string& name) {
    if (const ir::Pass* pass = ir::find_pass(name)) return pass;
    std::vector<std::string> known;
    for (const ir::Pass* pass : ir::all_passes()) known.emplace_back(pass->name);
    fail_input({}, "there is no pass '{}'{}", name, did_you_mean(name, known));
}

DataFormat format_named(const std::string& name) {
    if (const auto df = parse_format(name)) return *df;
    std::vector<std::string> known;
    for (const FormatInfo& format : all_formats()) known.emplace_back(format.name);
    fail_input({}, "there is no data format '{}'{}", name, did_you_mean(name, known));
}

std::vector<const ir::Pass*> selected_passes(const Flags& flags) {
    std::vector<const ir::Pass*> passes;
    for (const std::string& name : flags.passes) passes.push_back(pass_named(name));
    if (flags.pipeline.empty()) return passes;
    std::vector<std::string> known;
    for (const ir::Pipeline& pipeline : ir::all_pipelines()) {
        known.emplace_back(pipeline.name);
        if (pipeline.name != flags.pipeline) continue;
        for (const std::string_view name : pipeline.passes) passes.push_back(ir::find_pass(name));
        return passes;
    }
    fail_input({}, "there is no pipeline '{}'{}", flags.pipeline, did_you_mean(flags.pipeline, known));
}

std::vector<ir::FormatRule> rules_of(const Flags& flags, std::optional<DataFormat> df, ir::FormatRules read) {
    std::vector<ir::FormatRule> rules = ir::amp_rules(flags.amp, flags.df.empty() ? std::nullopt : df);
    const auto add = [&](std::vector<ir::FormatRule> more) { rules.insert(rules.end(), more.begin(), more.end()); };
    add(ir::light_amp_rules(flags.amp_light));
    add(std::move(read.rules));
    return rules;
}

void run(const Flags& flags) {
    if (flags.list) return list_passes();
    if (flags.files.model.empty()) fail_input({}, "expected a file: a graph in text form or an ONNX model");
    ir::FormatRules read;
    if (!flags.format_rules.empty()) read = ir::read_format_rules(flags.format_rules);
    const DataFormat unset = read.default_df.value_or(DataFormat::Float16_b);
    const std::optional<DataFormat> df = flags.df.empty() ? unset : format_named(flags.df);
    std::optional<DataFormat> accumulate;
    if (!flags.accumulate_df.empty()) accumulate = format_named(flags.accumulate_df);
    const auto passes = selected_passes(flags);
    ir::Graph graph = ir::read_model(flags.files);
    if (!flags.no_verify) graph.verify();
    ir::run_passes(
        graph, passes,
        {*df,
         !flags.no_stable_softmax,
         !flags.no_host_fallback,
         nullptr,
         accumulate,
         rules_of(flags, df, std::move(read)),
         true,
         true,
         {},
         flags.conv_fracture,
         true,
         ir::Fusing::IfProfitable,
         ir::Loops::Programs,
         {},
         ir::PassOptions{}.slice_bytes,
         flags.intermediates,
         flags.wide_dest,
         false,
         ir::PassOptions{}.l1_bytes,
         {},
         0,
         flags.wide_results},
        !flags.no_verify, [&](const ir::Pass& pass, const ir::Graph& now) {
            if (flags.print_after_all)
                cli::print_text(fmt::format("// after {}\n{}\n", pass.name, ir::print_graph(now, flags.elide)));
        });
    if (!flags.print_after_all || passes.empty()) cli::print_text(ir::print_graph(graph, flags.elide));
}

void add_flags(CLI::App& app, Flags& flags) {
    app.add_option("file", flags.files.model, "Graph in text form, or model (.onnx)")->type_name("FILE");
    CLI::Option* passes = app.add_option("--passes", flags.passes, "Passes, in the order to run them")
                              ->delimiter(',')
                              ->allow_extra_args(false)
                              ->type_name("A,B");
    app.add_option("--pipeline", flags.pipeline, "A named list of passes")->excludes(passes)->type_name("NAME");
    app.add_option("--default-df", flags.df, "Data format of tensors. Default: Float16_b")->type_name("FORMAT");
    app.add_option("--accumulate-df", flags.accumulate_df, "Format of Dst")->type_name("FORMAT");
    app.add_option("--intermediates", flags.intermediates,
                   "Ops whose results the pass keep-intermediates makes outputs")
        ->delimiter(',')
        ->type_name("OP,...");
    app.add_flag("--wide-results", flags.wide_results, "Store small results in 32 bits, as 'ttsim compile' does");
    app.add_flag("--wide-dest", flags.wide_dest, "Allow 32-bit Dst, as on chips that support it above LoFi");
    app.add_option("--amp", flags.amp, "Automatic mixed precision: 0, 1 or 2")->check(cli::in_range(0, 2));
    app.add_option("--amp-light", flags.amp_light, "Automatic mixed precision of weights only: 0 to 3")
        ->check(cli::in_range(0, 3));
    app.add_option("--format-rules", flags.format_rules, "Mixed precision rules (YAML)")->type_name("FILE");
    app.add_option("--elide", flags.elide,
                   "Print constants with more elements than N as their size only; 0: never. Default: 64")
        ->type_name("N");
    app.add_flag("--print-after-all", flags.print_after_all, "Print the graph after each pass");
    app.add_flag(
        "--verify-each,!--no-verify-each", [&](std::int64_t n) { flags.no_verify = n < 0; },
        "Verify after each pass (default)");
    app.add_flag("--no-stable-softmax", flags.no_stable_softmax, "Do not subtract the maximum in softmax");
    app.add_option("--conv-fracture", flags.conv_fracture,
                   "Cut the rows of convolution kernels into N parts. Default: 1")
        ->check(cli::in_range(1, 1024))
        ->type_name("N");
    app.add_flag("--no-host-fallback", flags.no_host_fallback,
                 "The pass mark-host reports an error instead of marking ops for the host");
    app.add_flag("--list-passes", flags.list, "List passes and pipelines");
}

int parse_and_run(int argc, char** argv) {
    CLI::App app{"Runs compiler passes on a graph and prints the result."};
    app.name("ttsim-opt");
    app.set_version_flag("--version", "ttsim-opt " TTSIM_VERSION);
    app.footer(
        "Exit codes: 0 success, 2 wrong input, 4 a feature that the compiler lacks, 70 a bug in ttsim-opt\n\n"
        "Examples:\n"
        "  ttsim-opt --list-passes\n"
        "  ttsim-opt model.onnx --passes fold-constants,canonicalize\n"
        "  ttsim-opt graph.tg --pipeline lower --print-after-all");
    Flags flags;
    add_flags(app, flags);
    if (const auto done = cli::parse(app, argc, argv)) return *done;
    run(flags);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_tool([&] { return parse_and_run(argc, argv); });
}
