// ttsim export: a trace in the formats of other programs.
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/new_file.hpp"
#include "tools/common/file_kind.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/output.hpp"
#include "trace/perfetto.hpp"

namespace tt::cli {

namespace {

struct Flags {
    std::string trace, out;
};

/// A file written piece by piece; it appears when it is whole.
void write_file(const std::string& path, trace::Reader& trace) {
    NewFile file(path);
    struct Closed {
        std::FILE* file;
        ~Closed() {
            if (file) std::fclose(file);
        }
    } out{std::fopen(file.temporary().c_str(), "wb")};
    if (!out.file) fail_write(path, errno);
    trace::export_perfetto(trace, [&](std::string_view piece) {
        if (std::fwrite(piece.data(), 1, piece.size(), out.file) != piece.size()) fail_write(path, errno);
    });
    if (std::fclose(std::exchange(out.file, nullptr)) != 0) fail_write(path, errno);
    file.commit();
}

void run(const Flags& flags) {
    want(FileKind::Trace, flags.trace, "ttsim export -o " + flags.out + " --perfetto");
    trace::Reader trace(flags.trace);
    if (flags.out == "-")
        trace::export_perfetto(trace, [](std::string_view piece) { print_text(piece); });
    else
        write_file(flags.out, trace);
}

}  // namespace

void add_export(CLI::App& app) {
    auto flags = std::make_shared<Flags>();
    CLI::App* command = app.add_subcommand("export", "Turn a trace into a file for other programs");
    command
        ->add_option("--perfetto", flags->trace,
                     "Trace to export as JSON for ui.perfetto.dev and chrome://tracing: a track for each core, a slice "
                     "for each input (and step, in a trace of level 2), counters for links and memory channels")
        ->required()
        ->type_name("FILE");
    command->add_option("-o,--output", flags->out, "File to write; '-' = standard output")
        ->required()
        ->type_name("FILE");
    command->footer(
        "Examples:\n"
        "  ttsim run encoder.yaml --mode timing --trace encoder.ttperf --trace-level 2\n"
        "  ttsim export --perfetto encoder.ttperf -o encoder.json");
    command->callback([flags] { run(*flags); });
}

}  // namespace tt::cli
