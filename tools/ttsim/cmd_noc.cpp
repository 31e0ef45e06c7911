// ttsim noc: traffic on the NoCs of one chip, from files and from patterns.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/noc/bench_rows.hpp"
#include "sim/noc/replay.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/bench_output.hpp"
#include "tools/ttsim/commands.hpp"

namespace tt::cli {

namespace {

struct NocFlags {
    std::string arch = "wormhole_b0", constants, json, file;
    bool open_loop = false;
};

struct NocMachine {
    explicit NocMachine(const NocFlags& flags)
        : chip_params(chip(flags.arch)),
          constants(flags.constants.empty() ? noc::constants(chip_params)
                                            : noc::read_constants(flags.constants, chip_params)),
          topology(chip_params, constants.block_ports) {}
    const ChipParams& chip_params;
    const noc::Constants constants;
    const noc::Topology topology;
};

nlohmann::ordered_json use_json(const noc::Fabric::Use& use) {
    return {{"mean_percent", use.mean}, {"busiest_percent", use.most}};
}

std::string replay_json(const noc::ReplayResult& result, double seconds) {
    nlohmann::ordered_json json;
    json["total_cycles"] = result.total_cycles;
    json["golden_cycles"] =
        result.golden_cycles ? nlohmann::ordered_json(*result.golden_cycles) : nlohmann::ordered_json();
    json["barriers"] = {{"count", result.barriers.count},
                        {"recorded_cycles", result.barriers.recorded},
                        {"predicted_cycles", result.barriers.predicted},
                        {"mean_absolute_error_percent", result.barriers.mean_error}};
    for (const noc::ChipReplay& chip : result.chips)
        json["chips"].push_back(
            {{"device", chip.device}, {"total_cycles", chip.total_cycles}, {"golden_cycles", chip.golden_cycles}});
    for (const noc::BarrierTime& b : result.barrier_times) {
        nlohmann::ordered_json& each = json["barriers"]["each"].emplace_back();
        if (!result.chips.empty()) each["device"] = result.chips[b.chip].device;
        each.update({{"x", b.core.x},
                     {"y", b.core.y},
                     {"processor", b.process},
                     {"start", b.start},
                     {"recorded_cycles", b.recorded},
                     {"predicted_cycles", b.predicted}});
    }
    json["links"] = use_json(result.links);
    json["nius"] = use_json(result.nius);
    json["dram"] = use_json(result.dram);
    json["packets"] = result.packets;
    json["events"] = result.events;
    json["simulation_seconds"] = seconds;
    return json.dump(2) + "\n";
}

std::string use_text(const noc::Fabric::Use& links, const noc::Fabric::Use& nius, const noc::Fabric::Use& dram) {
    std::string out;
    for (const auto& [name, use] : {std::pair{"links", links}, std::pair{"NIUs", nius}, std::pair{"DRAM", dram}})
        out += fmt::format("{:<6} {:>5.1f} % busy on average, {:>5.1f} % the busiest\n", name, use.mean, use.most);
    return out;
}

std::string replay_text(const noc::ReplayResult& result) {
    std::string out = fmt::format("{:.0f} cycles", result.total_cycles);
    if (result.golden_cycles)
        out += fmt::format(", recorded {:.0f} ({:+.2f} %)", *result.golden_cycles,
                           *result.golden_cycles > 0 ? 100 * (result.total_cycles / *result.golden_cycles - 1) : 0);
    out += "\n";
    for (const noc::ChipReplay& chip : result.chips)
        out += fmt::format("device {}: {:.0f} cycles, recorded {:.0f}\n", chip.device, chip.total_cycles,
                           chip.golden_cycles);
    if (result.barriers.count)
        out += fmt::format("{} barriers, {:.0f} cycles in them, recorded {:.0f} (mean absolute error {:.2f} %)\n",
                           result.barriers.count, result.barriers.predicted, result.barriers.recorded,
                           result.barriers.mean_error);
    return out + use_text(result.links, result.nius, result.dram);
}

void run_replay(const NocFlags& flags) {
    const NocMachine machine(flags);
    const std::optional<OutputFile> json =
        flags.json.empty() ? std::nullopt : std::optional<OutputFile>(std::in_place, flags.json, FileKind::Json);
    const auto traffic = noc::read_traffic(flags.file, machine.topology);
    const auto start = std::chrono::steady_clock::now();
    const noc::ReplayResult result =
        std::holds_alternative<noc::Trace>(traffic)
            ? noc::replay(std::get<noc::Trace>(traffic), machine.topology, machine.constants,
                          flags.open_loop ? noc::Loop::Open : noc::Loop::Closed)
            : noc::replay(std::get<noc::Workload>(traffic), machine.topology, machine.constants);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (json) json->write(replay_json(result, seconds));
    if (!json || !json->is_stdout()) print_text(replay_text(result));
}

void add_replay(CLI::App& noc) {
    auto flags = std::make_shared<NocFlags>();
    CLI::App* command = noc.add_subcommand("replay", "Replay recorded traffic (tt-npe's trace and workload files)");
    command->add_option("file", flags->file, "A trace (list of events) or a workload (map with 'phases')")
        ->required()
        ->option_text("FILE.json");
    command->add_option("--arch", flags->arch, "Chip: grayskull, wormhole, wormhole_b0")
        ->option_text("CHIP")
        ->capture_default_str();
    command->add_flag("--open-loop", flags->open_loop, "Keep all recorded times of calls; else barriers shift them");
    auto outputs = std::make_shared<Outputs>(*command);
    outputs->file("--json", flags->json, FileKind::Json, "Write the result as JSON; - is stdout");
    command->add_option("--constants", flags->constants, "Constants of the model other than the chip's own")
        ->option_text("FILE");
    command->footer(
        "Examples:\n"
        "  ttsim noc replay trace.json --arch wormhole_b0\n"
        "  ttsim noc replay trace.json --open-loop --json result.json");
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
    if (flags.bench.json)
        return print_text(nlohmann::ordered_json{{"arch", machine.chip_params.name},
                                                 {"pattern", flags.pattern},
                                                 {"memory", flags.memory},
                                                 {"bytes", flags.what.bytes},
                                                 {"count", flags.what.count},
                                                 {"noc", flags.what.noc},
                                                 {"cycles", r.cycles},
                                                 {"bytes_per_cycle_per_core", r.bytes_per_cycle},
                                                 {"links", use_json(r.links)},
                                                 {"nius", use_json(r.nius)},
                                                 {"dram", use_json(r.dram)},
                                                 {"packets", r.packets}}
                              .dump(2) +
                          "\n");
    print_text(fmt::format("{:.0f} cycles, {:.2f} bytes per cycle and core\n{}", r.cycles, r.bytes_per_cycle,
                           use_text(r.links, r.nius, r.dram)));
}

void add_noc_bench(CLI::App& noc) {
    auto flags = std::make_shared<NocBenchFlags>();
    CLI::App* command = noc.add_subcommand("bench", "Time patterns of transfers, one case or a file of measured rows");
    auto outputs = std::make_shared<Outputs>(*command);
    add_bench_flags(*command, flags->bench, *outputs);
    noc::BenchCase& what = flags->what;
    command->add_option("--pattern", flags->pattern, fmt::format("{}", fmt::join(noc::pattern_names(), ", ")))
        ->check(one_of(noc::pattern_names()))
        ->option_text("NAME");
    command->add_option("--bytes", what.bytes, "Size of a transaction (4096)")
        ->check(quiet(CLI::Range(1, 1 << 26)))
        ->option_text("N");
    command->add_option("--count", what.count, "Transactions of each core to each other end, back to back (1)")
        ->check(quiet(CLI::Range(1, 1 << 20)))
        ->option_text("N");
    command->add_option("--noc", what.noc, "NoC 0 (the default) or 1")
        ->check(quiet(CLI::Range(0, 1)))
        ->option_text("N");
    command
        ->add_option("--memory", flags->memory,
                     "The other end of one_from_one and one_to_one: l1 (the default) or dram")
        ->check(one_of({"l1", "dram"}))
        ->option_text("KIND");
    command->add_option("--grid-x", what.grid_x, "Columns of the cores of 'all' and of a multicast (the chip's)")
        ->check(quiet(CLI::Range(1, 64)))
        ->option_text("N");
    command->add_option("--grid-y", what.grid_y, "Their rows (the chip's)")
        ->check(quiet(CLI::Range(1, 64)))
        ->option_text("N");
    command->add_flag("--same-axis", what.same_axis, "The other end lies in the same column");
    command->add_flag("--loopback", what.loopback, "The other end is the core itself");
    command->add_flag("--stateful", what.stateful, "Calls that keep the target set");
    command->add_flag("--linked", what.linked, "Multicasts that keep their path");
    command->add_option("--constants", flags->constants, "Constants of the model other than the chip's own")
        ->option_text("FILE");
    command->footer(
        "Examples:\n"
        "  ttsim noc bench --pattern one_from_one --bytes 8192 --count 64\n"
        "  ttsim noc bench --pattern multicast --grid-x 5 --grid-y 5 --bytes 2048 --count 16 --json\n"
        "  ttsim noc bench --csv rows.csv --out predicted.csv --report");
    command->callback([flags, outputs] {
        check_bench_flags(flags->bench);
        outputs->claim();
        run_bench(*flags);
    });
}

}  // namespace

void add_noc(CLI::App& app) {
    CLI::App* noc = app.add_subcommand("noc", "Traffic on a chip's NoCs: recorded files and patterns");
    noc->require_subcommand(1);
    add_replay(*noc);
    add_noc_bench(*noc);
}

}  // namespace tt::cli
