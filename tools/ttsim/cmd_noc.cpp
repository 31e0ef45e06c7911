// ttsim noc: simulates traffic on the NoCs of one chip, from recorded files or patterns.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "tools/common/chip_option.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/bench_output.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/validation/noc_replays.hpp"
#include "tools/validation/noc_report.hpp"
#include "tools/validation/noc_rows.hpp"

namespace ttsim::impl::cli {

namespace {

struct NocFlags {
    std::string arch, constants, json;
    std::vector<std::string> files;
    bool open_loop = false;
};

struct NocMachine {
    explicit NocMachine(const NocFlags& flags)
        : chip_params(chosen_chip(flags.arch)),
          constants(flags.constants.empty() ? noc::constants(chip_params)
                                            : noc::read_constants(flags.constants, chip_params)),
          topology(chip_params, constants.block_ports) {}
    const ChipParams& chip_params;
    const noc::Constants constants;
    const noc::Topology topology;
};

void run_replay(const NocFlags& flags) {
    const NocMachine machine(flags);
    const std::optional<OutputFile> json =
        flags.json.empty() ? std::nullopt : std::optional<OutputFile>(std::in_place, flags.json, FileKind::Json);
    const noc::Loop loop = flags.open_loop ? noc::Loop::Open : noc::Loop::Closed;
    const bool text = !json || !json->is_stdout();
    const std::vector<std::string> files = noc::traffic_files(flags.files);
    if (files == flags.files && files.size() == 1) {
        const noc::FileReplay one = noc::replay_file(files.front(), machine.topology, machine.constants, loop);
        if (json) json->write(noc::replay_json(*one.result, one.seconds));
        if (text) print_text(noc::replay_text(*one.result));
        return;
    }
    const std::vector<noc::FileReplay> all = noc::replay_files(files, machine.topology, machine.constants, loop);
    if (json) json->write(noc::replays_json(all));
    if (text) print_text(noc::replays_text(all, report_width()));
    noc::throw_errors(all);
}

void add_replay(CLI::App& noc) {
    auto flags = std::make_shared<NocFlags>();
    CLI::App* command = noc.add_subcommand("replay", "Replay recorded traffic (trace and workload files of tt-npe)");
    command
        ->add_option("files", flags->files,
                     "Traces (lists of events) and workloads (maps with 'phases'), or folders of them; several give a "
                     "table")
        ->required()
        ->option_text("FILE.json|FOLDER...");
    add_chip_option(*command, flags->arch);
    command->add_flag("--open-loop", flags->open_loop,
                      "Keep the recorded times of all calls; by default barriers shift them");
    auto outputs = std::make_shared<Outputs>(*command);
    outputs->file("--json", flags->json, FileKind::Json, "Write the result as JSON; - is stdout");
    command->add_option("--constants", flags->constants, "File of model constants to use instead of the chip's own")
        ->option_text("FILE");
    command->footer(
        "Examples:\n"
        "  ttsim noc replay trace.json --arch wormhole_b0\n"
        "  ttsim noc replay trace.json --open-loop --json result.json\n"
        "  ttsim noc replay traces/ --json -");
    command->callback([flags, outputs] {
        outputs->claim();
        run_replay(*flags);
    });
}

struct NocBenchFlags {
    BenchFlags bench;
    noc::BenchCase what;
    std::string pattern = "one_from_one", memory = "l1", constants;
};

void run_bench(NocBenchFlags& flags) {
    NocFlags machine_flags;
    machine_flags.arch = flags.bench.arch;
    machine_flags.constants = flags.constants;
    const NocMachine machine(machine_flags);
    if (!flags.bench.csv.empty())
        return report_rows(flags.bench,
                           noc::predict_noc_rows(read_csv(flags.bench.csv, noc::noc_columns()), machine.chip_params,
                                                 machine.topology, machine.constants),
                           "predicted_cycles");
    const std::vector<std::string>& names = noc::pattern_names();
    flags.what.pattern =
        static_cast<noc::Pattern>(std::find(names.begin(), names.end(), flags.pattern) - names.begin());
    flags.what.dram = flags.memory == "dram";
    const noc::BenchResult r = noc::bench(flags.what, machine.topology, machine.constants);
    print_text(flags.bench.json ? noc::bench_json(flags.what, r, machine.chip_params.name) : noc::bench_text(r));
}

void add_noc_bench(CLI::App& noc) {
    auto flags = std::make_shared<NocBenchFlags>();
    CLI::App& command =
        add_bench(noc, "Time patterns of transfers, for one case or a file of measured rows", flags, run_bench);
    noc::BenchCase& what = flags->what;
    command.add_option("--pattern", flags->pattern, fmt::format("{}", fmt::join(noc::pattern_names(), ", ")))
        ->check(one_of(noc::pattern_names()))
        ->option_text("NAME");
    command.add_option("--bytes", what.bytes, "Size of a transaction (4096)")
        ->check(in_range(1, 1 << 26))
        ->option_text("N");
    command.add_option("--count", what.count, "Transactions from each core to each destination, back to back (1)")
        ->check(in_range(1, 1 << 20))
        ->option_text("N");
    command.add_option("--noc", what.noc, "NoC 0 (the default) or 1")->check(in_range(0, 1))->option_text("N");
    command
        .add_option("--memory", flags->memory, "Remote memory of one_from_one and one_to_one: l1 (the default) or dram")
        ->check(one_of({"l1", "dram"}))
        ->option_text("KIND");
    command
        .add_option("--grid-x", what.grid_x,
                    "Columns of cores of the pattern 'all' and of multicasts (all of the chip)")
        ->check(in_range(1, 64))
        ->option_text("N");
    command.add_option("--grid-y", what.grid_y, "Rows of cores of the same patterns (all of the chip)")
        ->check(in_range(1, 64))
        ->option_text("N");
    command.add_flag("--same-axis", what.same_axis, "Use a remote core in the same column");
    command.add_flag("--loopback", what.loopback, "Transfer from a core to itself");
    command.add_flag("--stateful", what.stateful, "Use calls that keep the destination (stateful)");
    command.add_flag("--linked", what.linked, "Use multicasts that keep their path reserved (linked)");
    command.add_option("--constants", flags->constants, "File of model constants to use instead of the chip's own")
        ->option_text("FILE");
    command.footer(
        "Examples:\n"
        "  ttsim noc bench --pattern one_from_one --bytes 8192 --count 64\n"
        "  ttsim noc bench --pattern multicast --grid-x 5 --grid-y 5 --bytes 2048 --count 16 --json\n"
        "  ttsim noc bench --csv rows.csv --out predicted.csv --report");
}

}  // namespace

void add_noc(CLI::App& app) {
    CLI::App* noc = app.add_subcommand("noc", "Simulate traffic on a chip's NoCs: recorded files and patterns");
    noc->require_subcommand(1);
    add_replay(*noc);
    add_noc_bench(*noc);
}

}  // namespace ttsim::impl::cli
