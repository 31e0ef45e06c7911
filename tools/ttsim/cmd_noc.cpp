// ttsim noc: traffic on the NoCs of one chip, from files and from patterns.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/noc/replay.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/output.hpp"

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
    for (const noc::BarrierTime& b : result.barrier_times)
        json["barriers"]["each"].push_back({{"x", b.core.x},
                                            {"y", b.core.y},
                                            {"processor", b.process},
                                            {"start", b.start},
                                            {"recorded_cycles", b.recorded},
                                            {"predicted_cycles", b.predicted}});
    json["links"] = use_json(result.links);
    json["nius"] = use_json(result.nius);
    json["dram"] = use_json(result.dram);
    json["packets"] = result.packets;
    json["events"] = result.events;
    json["simulation_seconds"] = seconds;
    return json.dump(2) + "\n";
}

std::string replay_text(const noc::ReplayResult& result) {
    std::string out = fmt::format("{:.0f} cycles", result.total_cycles);
    if (result.golden_cycles)
        out += fmt::format(", recorded {:.0f} ({:+.2f} %)", *result.golden_cycles,
                           *result.golden_cycles > 0 ? 100 * (result.total_cycles / *result.golden_cycles - 1) : 0);
    out += "\n";
    if (result.barriers.count)
        out += fmt::format("{} barriers, {:.0f} cycles in them, recorded {:.0f} (mean absolute error {:.2f} %)\n",
                           result.barriers.count, result.barriers.predicted, result.barriers.recorded,
                           result.barriers.mean_error);
    const auto use = [&](const char* name, const noc::Fabric::Use& u) {
        out += fmt::format("{:<6} {:>5.1f} % busy on average, {:>5.1f} % the busiest\n", name, u.mean, u.most);
    };
    use("links", result.links);
    use("NIUs", result.nius);
    use("DRAM", result.dram);
    return out;
}

void run_replay(const NocFlags& flags) {
    const NocMachine machine(flags);
    const std::optional<OutputFile> json = flags.json.empty() ? std::nullopt : std::optional<OutputFile>(flags.json);
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
    command->add_option("--json", flags->json, "Write the result as JSON; - is stdout")->option_text("FILE");
    command->add_option("--constants", flags->constants, "Constants of the model other than the chip's own")
        ->option_text("FILE");
    command->footer(
        "Examples:\n"
        "  ttsim noc replay trace.json --arch wormhole_b0\n"
        "  ttsim noc replay trace.json --open-loop --json result.json");
    command->callback([flags] { run_replay(*flags); });
}

}  // namespace

void add_noc(CLI::App& app) {
    CLI::App* noc = app.add_subcommand("noc", "Traffic on a chip's NoCs: recorded files and patterns");
    noc->require_subcommand(1);
    add_replay(*noc);
}

}  // namespace tt::cli
