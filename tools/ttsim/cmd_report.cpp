// ttsim report: writes a run, a compilation or a netlist as an HTML page.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/page/page_server.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/common/stop_signals.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/page_of_run.hpp"

namespace ttsim::impl::cli {

namespace {

struct ReportFlags {
    std::vector<std::string> inputs;
    std::string out, folder;
    int port = 8000;
    bool estimate = false;
};

void serve_reports(const ReportFlags& flags) {
    const StopSignals signals;
    report::ServeOptions options;
    options.folder = flags.folder;
    options.port = flags.port;
    options.stop = StopSignals::caught();
    options.accepts = [](const std::string& path) {
        const InputKind kind = kind_of(path);
        return kind == InputKind::Trace || kind == InputKind::CompiledModel || kind == InputKind::Image ||
               kind == InputKind::Netlist;
    };
    options.page = [page = report::page_template()](const std::string& path) {
        return report::page_html(page, report::page_data({page_source_of(path)}));
    };
    options.started = [&](int port) {
        print_text(fmt::format("{}: http://127.0.0.1:{}/ until Ctrl-C\n", flags.folder, port));
    };
    report::serve(options);
}

void write_report(const ReportFlags& flags) {
    const OutputFile out(flags.out, FileKind::Report);  // before any work
    const std::string page = report::page_template();
    std::vector<report::PageSource> sources;
    for (const std::string& file : flags.inputs) {
        sources.push_back(page_source_of(file));
        sources.back().measure = !flags.estimate && !sources.back().trace.empty();
    }
    out.write(report::page_html(page, report::page_data(report::joined(std::move(sources)))));
}

}  // namespace

void add_report(CLI::App& app) {
    auto flags = std::make_shared<ReportFlags>();
    CLI::App* command = app.add_subcommand("report", "Write an HTML page that shows where time and memory go");
    command
        ->add_option(
            "inputs", flags->inputs,
            "Traces, folders of compiled models, device images or netlists. A trace and its netlist are shown as "
            "one run, other inputs side by side")
        ->check(existing_path())
        ->type_name("FILE|DIR");
    auto outputs = std::make_shared<Outputs>(*command);
    CLI::Option* out = outputs->file("-o,--output", flags->out, FileKind::Report,
                                     "Page to write: one HTML file that includes its data; '-' = standard output");
    command
        ->add_flag("--estimate", flags->estimate,
                   "Estimate the gains of the advice from the trace, without simulating the run again")
        ->needs(out);
    CLI::Option* folder =
        command
            ->add_option("--serve", flags->folder,
                         "Serve pages of the runs of a folder to browsers of this machine, instead of writing a file")
            ->check(existing_folder())
            ->type_name("DIR")
            ->excludes(out);
    command->add_option("--port", flags->port, "Port of --serve; 0: any free port. Default: 8000")
        ->check(in_range(0, 65535))
        ->type_name("N")
        ->needs(folder);
    command->footer(
        "The page needs no server and no network access.\n\n"
        "Examples:\n"
        "  ttsim run encoder.yaml --mode timing --trace encoder.ttperf\n"
        "  ttsim report encoder.ttperf -o encoder.html\n"
        "  ttsim report before.ttperf after.ttperf -o both.html\n"
        "  ttsim report --serve runs");
    command->callback([flags, outputs] {
        if (!flags->folder.empty()) {
            if (!flags->inputs.empty())
                throw CLI::ValidationError("--serve", "use it with a folder and no other inputs");
            serve_reports(*flags);
            return;
        }
        if (flags->inputs.empty()) throw CLI::RequiredError("FILE|DIR");
        if (flags->out.empty()) throw CLI::RequiredError("-o");
        outputs->claim();
        write_report(*flags);
    });
}

}  // namespace ttsim::impl::cli
