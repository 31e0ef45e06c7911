// ttsim pipe bench: bandwidth of one pipe between two ops, or from a queue in DRAM, and what limits it.
#include <memory>

#include "tools/common/chip_option.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/validation/pipe_bench.hpp"

namespace ttsim::impl::cli {

namespace {
struct PipeFlags {
    sim::PipeBenchCase what;
    std::string arch, from = "1x4/2x2/r", to, format = "Float16_b";
    bool json = false;
};

void run(PipeFlags& flags) {
    const ChipParams& params = chosen_chip(flags.arch);
    flags.what.from = sim::parse_pipe_end(flags.from);
    flags.what.to = sim::parse_pipe_end(flags.to.empty() ? flags.from : flags.to);
    const auto df = parse_format(flags.format);
    if (!df) fail_input({}, "there is no data format '{}'; 'ttsim ops' and docs/ops.md list them", flags.format);
    flags.what.df = *df;
    const sim::PipeBenchResult result = sim::pipe_bench(flags.what, params);
    print_text(flags.json ? sim::pipe_json(flags.what, result, params.name) : sim::pipe_text(result));
}
}  // namespace

void add_pipe(CLI::App& app) {
    auto flags = std::make_shared<PipeFlags>();
    CLI::App* pipe = app.add_subcommand("pipe", "Benchmark pipes between ops");
    pipe->require_subcommand(1);
    CLI::App* command =
        pipe->add_subcommand("bench", "Bandwidth of one pipe between kernels that take no time, and what limits it");
    sim::PipeBenchCase& what = flags->what;
    add_chip_option(*command, flags->arch);
    command->add_option("--from", flags->from, "mblock, ublock and order of each core of the producer (1x4/2x2/r)")
        ->option_text("MxN/RxC/ORDER");
    command->add_option("--to", flags->to, "The same of the consumer (that of the producer)")
        ->option_text("MxN/RxC/ORDER");
    command->add_option("--sources", what.sources, "Number of cores of the producer, in a column (1)")
        ->check(in_range(1, 12))
        ->option_text("N");
    command->add_option("--takers", what.takers, "Number of cores of the consumer, in a column (1)")
        ->check(in_range(1, 12))
        ->option_text("N");
    command->add_flag("--from-dram", what.from_dram, "The producer is a queue in one DRAM channel");
    command->add_option("--data-format", flags->format, "Data format of the tiles (Float16_b)")->option_text("NAME");
    command->add_option("--buf-size-mb", what.buf_size_mb, "Size of the producer's output buffer in mblocks (2)")
        ->check(in_range(1, 1024))
        ->option_text("N");
    command->add_option("--inputs", what.inputs, "Number of inputs to transfer (64)")
        ->check(in_range(1, 65536))
        ->option_text("N");
    command->add_flag("--json", flags->json, "Print the result as JSON");
    command->footer(
        "Examples:\n"
        "  ttsim pipe bench --from 1x4/2x2/r --to 2x2/1x4/c\n"
        "  ttsim pipe bench --from 2x2/2x2/r --to 8x2/2x2/r --sources 4\n"
        "  ttsim pipe bench --from 2x2/2x4/r --from-dram --json");
    command->callback([flags] { run(*flags); });
}

}  // namespace ttsim::impl::cli
