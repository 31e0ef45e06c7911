// ttsim-opt: runs compiler passes on a graph and prints the result.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "compiler/files/model_files.hpp"
#include "compiler/options/pass_options.hpp"
#include "compiler/options/resolve_request.hpp"
#include "generated/compile_flags.hpp"
#include "tools/common/manual.hpp"
#include "tools/common/output.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim-opt/reduce.hpp"

namespace {

using namespace ttsim::impl;
using cli::PassesRun;

struct Flags {
    ir::ModelFiles files;
    ir::CompileRequest request = cli::pass_request();
    ir::CompileOptions options;  ///< made of the request
    cli::CompileRequestFiles yaml;
    ir::PassValues own;
    std::vector<std::string> passes;
    std::string pipeline, out;
    PassesRun how;
    std::vector<std::string> print_before, print_after;
    bool list = false, no_verify = false, reduces = false;
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

std::set<std::string, std::less<>> known_passes(const std::vector<std::string>& names) {
    std::set<std::string, std::less<>> known;
    for (const std::string& name : names) known.emplace(pass_named(name)->name);
    return known;
}

/// Returns the exit code.
int run(Flags& flags) {
    if (flags.list) {
        list_passes();
        return 0;
    }
    if (flags.files.model.empty()) fail_input({}, "expected a file: a graph in text form or an ONNX model");
    std::optional<cli::OutputFile> file;
    if (!flags.out.empty()) file.emplace(flags.out, FileKind::Text);
    const ir::PassOptions options = options_of(flags);
    PassesRun& how = flags.how;
    how.passes = selected_passes(flags);
    how.options = &options;
    how.verify = !flags.no_verify;
    how.print_before = known_passes(flags.print_before);
    how.print_after = known_passes(flags.print_after);
    how.print = [](const std::string& text) { cli::print_text(text); };
    if (flags.files.model == "-") flags.files.model = "/dev/stdin";
    ir::Graph graph = ir::read_model(flags.files);
    if (how.verify) graph.verify();
    const auto print_result = [&](const std::string& text) {
        if (file)
            file->write(text);
        else
            cli::print_text(text);
    };
    if (flags.reduces) {
        const cli::Reduced reduced = cli::reduce(graph, how);
        print_result(fmt::format("// fails: {}\n{}", reduced.failure, ir::print_graph(reduced.graph)));
        fmt::print(stderr, "reduced from {} to {} nodes in {} trials\n", graph.nodes.size(), reduced.graph.nodes.size(),
                   reduced.trials);
        return 0;
    }
    if (const auto changed = cli::run_passes(graph, how)) {
        fmt::print(stderr,
                   "ttsim-opt: error: pass '{}' changes values: output '{}' differs by {:.3g} of its largest "
                   "magnitude, {:.3g} are allowed; --reduce finds a small graph that shows it\n",
                   changed->pass, changed->output, changed->difference, changed->allowed);
        return 1;
    }
    const bool printed = how.print_after_all || how.print_changed;
    if (file || !printed || how.passes.empty()) print_result(ir::print_graph(graph, how.elide));
    return 0;
}

void add_flags(CLI::App& app, Flags& flags) {
    app.add_option("file", flags.files.model, "Graph in text form, or model (.onnx); '-' = a graph from standard input")
        ->type_name("FILE");
    app.add_option("-o,--output", flags.out, "File for the result. Default: standard output")->type_name("FILE");
    CLI::Option* passes = app.add_option("--passes", flags.passes, "Passes, in the order to run them")
                              ->delimiter(',')
                              ->allow_extra_args(false)
                              ->type_name("A,B");
    app.add_option("--pipeline", flags.pipeline, "A named list of passes")->excludes(passes)->type_name("NAME");
    cli::add_pass_options(app, flags.request, flags.yaml, flags.own);
    app.add_option("--elide", flags.how.elide,
                   "Print constants with more elements than N as their size only; 0: never. Default: 64")
        ->type_name("N");
    app.add_flag("--print-after-all", flags.how.print_after_all, "Print the graph after each pass");
    app.add_option("--print-before", flags.print_before, "Print the graph before these passes")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("A,B");
    app.add_option("--print-after", flags.print_after, "Print the graph after these passes")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("A,B");
    app.add_flag("--print-changed", flags.how.print_changed,
                 "Print the lines that each pass removes (-) and adds (+), instead of the result");
    app.add_flag("--time-passes", flags.how.time_passes, "Print the seconds and memory of each pass to standard error");
    app.add_flag(
        "--verify-values", flags.how.verify_values,
        "Compare the outputs before and after each pass, on three samples in float32; exit code 1 names a pass "
        "that changes them. Not compared are graphs of tiles, and ops that the host lacks");
    app.add_option(
           "--tolerance", flags.how.tolerance,
           "Largest difference for --verify-values, as a share of an output's largest magnitude. Default: 0.0001, "
           "of float16 0.004, of bfloat16 0.03, of integers 0")
        ->check(cli::in_range(0.0, 1.0))
        ->type_name("X");
    app.add_flag("--reduce", flags.reduces,
                 "Shrink the graph while the passes fail in the same way: a refusal, a crash, or with --verify-values "
                 "changed values. Prints the smallest graph found");
    app.add_flag(
        "--verify-each,!--no-verify-each", [&](std::int64_t n) { flags.no_verify = n < 0; },
        "Verify after each pass (default)");
    app.add_flag("--list-passes", flags.list, "List passes, with the options that each reads, and pipelines");
}

/// Values that completion offers for options that take names of passes.
void add_completion_values() {
    auto& values = cli::completion_values();
    for (const char* const option : {"--passes", "--print-before", "--print-after"})
        values[option] = [] {
            std::vector<std::string> names;
            for (const ir::Pass* pass : ir::all_passes()) names.emplace_back(pass->name);
            return names;
        };
    values["--pipeline"] = [] {
        std::vector<std::string> names;
        for (const ir::Pipeline& pipeline : ir::all_pipelines()) names.emplace_back(pipeline.name);
        return names;
    };
}

int parse_and_run(int argc, char** argv) {
    CLI::App app{"Runs compiler passes on a graph and prints the result."};
    app.name("ttsim-opt");
    app.set_version_flag("--version", "ttsim-opt " TTSIM_VERSION);
    app.footer(
        "Exit codes: 0 success, 1 a pass changes values, 2 wrong input, 4 a feature that the compiler lacks, 70 a bug "
        "in ttsim-opt\n\n"
        "Examples:\n"
        "  ttsim-opt --list-passes\n"
        "  ttsim-opt model.onnx --passes fold-constants,canonicalize\n"
        "  ttsim-opt graph.tg --pipeline default --print-after-all\n"
        "  ttsim-opt graph.tg --pipeline default --verify-values --reduce -o small.tg");
    add_completion_values();
    Flags flags;
    add_flags(app, flags);
    if (const auto done = cli::parse(app, argc, argv)) return *done;
    return run(flags);
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_tool([&] { return parse_and_run(argc, argv); });
}
