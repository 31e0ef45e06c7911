// ttsim-opt: runs compiler passes on a graph and prints the result.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "compiler/files/model_files.hpp"
#include "compiler/options/pass_options.hpp"
#include "compiler/options/resolve_request.hpp"
#include "generated/compile_flags.hpp"
#include "tools/common/output.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/common/usage.hpp"

namespace {

using namespace ttsim::impl;

struct Flags {
    ir::ModelFiles files;
    ir::CompileRequest request = cli::pass_request();
    ir::CompileOptions options;  ///< made of the request
    cli::CompileRequestFiles yaml;
    ir::PassValues own;
    std::vector<std::string> passes;
    std::string pipeline;
    std::int64_t elide = 64;
    bool list = false, print_after_all = false, no_verify = false;
};

void list_passes() {
    fmt::print("passes:\n");
    for (const ir::Pass* pass : ir::all_passes()) {
        fmt::print("  {:24} {}{}\n", pass->name, pass->summary, pass->optional ? " (optional)" : "");
        const auto read = cli::flags_by_pass().find(std::string(pass->name));
        if (read != cli::flags_by_pass().end()) fmt::print("  {:24} reads {}\n", "", fmt::join(read->second, ", "));
    }
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

/// The options of passes; `flags` are completed with the contents of YAML files. The result refers to `flags`.
ir::PassOptions options_of(Flags& flags) {
    constexpr std::uint64_t max_bytes = 64 << 20;
    const auto text_of = [](const std::string& file) { return file.empty() ? "" : read_file(file, max_bytes); };
    flags.request.format_rules = text_of(flags.yaml.format_rules);
    flags.request.overrides = text_of(flags.yaml.overrides);
    flags.options = ir::resolve_request(flags.request, {flags.yaml.format_rules, flags.yaml.overrides});
    check_values(flags.own);
    ir::PassOptions made = ir::pass_options(flags.options);
    static_cast<ir::PassValues&>(made) = flags.own;
    return made;
}

void run(Flags& flags) {
    if (flags.list) return list_passes();
    if (flags.files.model.empty()) fail_input({}, "expected a file: a graph in text form or an ONNX model");
    const ir::PassOptions options = options_of(flags);
    const auto passes = selected_passes(flags);
    ir::Graph graph = ir::read_model(flags.files);
    if (!flags.no_verify) graph.verify();
    ir::run_passes(graph, passes, options, !flags.no_verify, [&](const ir::Pass& pass, const ir::Graph& now) {
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
    cli::add_pass_options(app, flags.request, flags.yaml, flags.own);
    app.add_option("--elide", flags.elide,
                   "Print constants with more elements than N as their size only; 0: never. Default: 64")
        ->type_name("N");
    app.add_flag("--print-after-all", flags.print_after_all, "Print the graph after each pass");
    app.add_flag(
        "--verify-each,!--no-verify-each", [&](std::int64_t n) { flags.no_verify = n < 0; },
        "Verify after each pass (default)");
    app.add_flag("--list-passes", flags.list, "List passes, with the options that each reads, and pipelines");
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
