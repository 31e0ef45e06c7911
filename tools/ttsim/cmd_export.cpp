// ttsim export: a trace in the formats of other programs.
#include <memory>

#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/ttsim/commands.hpp"
#include "trace/perfetto.hpp"

namespace tt::cli {

namespace {

struct ExportFlags {
    std::string trace, out;
};

void run(const ExportFlags& flags) {
    want(InputKind::Trace, flags.trace, "ttsim export -o " + flags.out + " --perfetto");
    const OutputFile out(flags.out, FileKind::Json);  // before any work
    trace::Reader trace(flags.trace);
    out.write_pieces([&](const OutputFile::Sink& sink) { trace::export_perfetto(trace, sink); });
}

}  // namespace

void add_export(CLI::App& app) {
    auto flags = std::make_shared<ExportFlags>();
    CLI::App* command = app.add_subcommand("export", "Turn a trace into a file for other programs");
    command
        ->add_option("--perfetto", flags->trace,
                     "Trace to export as JSON for ui.perfetto.dev and chrome://tracing: a track for each core, a slice "
                     "for each input (and step, in a trace of level 2), counters for links and memory channels")
        ->required()
        ->type_name("FILE");
    auto outputs = std::make_shared<Outputs>(*command);
    outputs->file("-o,--output", flags->out, FileKind::Json, "File to write; '-' = standard output")->required();
    command->footer(
        "Examples:\n"
        "  ttsim run encoder.yaml --mode timing --trace encoder.ttperf --trace-level 2\n"
        "  ttsim export --perfetto encoder.ttperf -o encoder.json");
    command->callback([flags, outputs] {
        outputs->claim();
        run(*flags);
    });
}

}  // namespace tt::cli
