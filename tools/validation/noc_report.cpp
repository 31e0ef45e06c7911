#include "tools/validation/noc_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/report/table.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"

namespace ttsim::impl::noc {

namespace {

nlohmann::ordered_json use_json(const Fabric::Use& use) {
    return {{"mean_percent", use.mean}, {"busiest_percent", use.max}};
}

std::string use_text(const Fabric::Use& links, const Fabric::Use& nius, const Fabric::Use& dram) {
    std::string out;
    for (const auto& [name, use] : {std::pair{"links", links}, std::pair{"NIUs", nius}, std::pair{"DRAM", dram}})
        out += fmt::format("{:<6} {:>5.1f} % busy on average, {:>5.1f} % the busiest\n", name, use.mean, use.max);
    return out;
}

std::string message_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) {
        return e.what();
    }
}

nlohmann::ordered_json replay_object(const ReplayResult& result, double seconds) {
    nlohmann::ordered_json json;
    json["total_cycles"] = result.total_cycles;
    json["golden_cycles"] =
        result.golden_cycles ? nlohmann::ordered_json(*result.golden_cycles) : nlohmann::ordered_json();
    json["barriers"] = {{"count", result.barriers.count},
                        {"recorded_cycles", result.barriers.recorded},
                        {"predicted_cycles", result.barriers.predicted},
                        {"mean_absolute_error_percent", result.barriers.mean_error}};
    for (const ChipReplay& chip : result.chips)
        json["chips"].push_back(
            {{"device", chip.device}, {"total_cycles", chip.total_cycles}, {"golden_cycles", chip.golden_cycles}});
    for (const BarrierTime& b : result.barrier_times) {
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
    return json;
}

}  // namespace

std::string replay_json(const ReplayResult& result, double seconds) {
    return json_document(replay_object(result, seconds));
}

std::string replays_json(const std::vector<FileReplay>& replays) {
    nlohmann::ordered_json json;
    json["files"] = nlohmann::ordered_json::array();
    for (const FileReplay& one : replays) {
        nlohmann::ordered_json& entry = json["files"].emplace_back();
        entry["file"] = one.file;
        if (one.result)
            entry.update(replay_object(*one.result, one.seconds));
        else
            entry["error"] = message_of(one.error);
    }
    const ReplaySummary sum = summary(replays);
    json["replayed"] = sum.replayed;
    json["failed"] = sum.failed;
    json["compared"] = sum.compared;
    json["mean_absolute_error_percent"] = sum.mean_error;
    json["worst_absolute_error_percent"] = sum.worst_error;
    json["worst_file"] = sum.worst_file;
    return json_document(json);
}

std::string replays_text(const std::vector<FileReplay>& replays, std::optional<std::size_t> width) {
    report::Table table({{"file", false}, {"cycles"}, {"recorded"}, {"error"}, {"barriers"}, {"links"}, {"DRAM"}});
    for (const FileReplay& one : replays) {
        if (!one.result) {
            table.add({one.file, "-", "-", "-", "-", "-", "-"});
            continue;
        }
        const ReplayResult& result = *one.result;
        const std::optional<double> deviation = one.deviation();
        table.add({one.file, report::rounded(result.total_cycles),
                   result.golden_cycles ? report::rounded(*result.golden_cycles) : "-",
                   deviation ? fmt::format("{:+.2f} %", *deviation) : "-",
                   result.barriers.count > 0 ? fmt::format("{:.2f} %", result.barriers.mean_error) : "-",
                   fmt::format("{:.1f} %", result.links.max), fmt::format("{:.1f} %", result.dram.max)});
    }
    const ReplaySummary sum = summary(replays);
    std::string out = table.text(width);
    out += "links and DRAM: the busiest; barriers: mean absolute error of their times\n";
    out += fmt::format("{} files replayed, {} failed", sum.replayed, sum.failed);
    if (sum.compared > 0)
        out += fmt::format("; cycles of {}: mean absolute error {:.2f} %, worst {:.2f} % ({})", sum.compared,
                           sum.mean_error, sum.worst_error, sum.worst_file);
    return out + "\n";
}

std::string replay_text(const ReplayResult& result) {
    std::string out = fmt::format("{:.0f} cycles", result.total_cycles);
    if (result.golden_cycles)
        out += fmt::format(", recorded {:.0f} ({:+.2f} %)", *result.golden_cycles,
                           *result.golden_cycles > 0 ? 100 * (result.total_cycles / *result.golden_cycles - 1) : 0);
    out += "\n";
    for (const ChipReplay& chip : result.chips)
        out += fmt::format("device {}: {:.0f} cycles, recorded {:.0f}\n", chip.device, chip.total_cycles,
                           chip.golden_cycles);
    if (result.barriers.count)
        out += fmt::format("{} barriers, {:.0f} cycles in them, recorded {:.0f} (mean absolute error {:.2f} %)\n",
                           result.barriers.count, result.barriers.predicted, result.barriers.recorded,
                           result.barriers.mean_error);
    return out + use_text(result.links, result.nius, result.dram);
}

std::string bench_text(const BenchResult& result) {
    return fmt::format("{:.0f} cycles, {:.2f} bytes per cycle and core\n{}", result.cycles, result.bytes_per_cycle,
                       use_text(result.links, result.nius, result.dram));
}

std::string bench_json(const BenchCase& what, const BenchResult& result, const std::string& chip_name) {
    return json_document({{"arch", chip_name},
                          {"pattern", pattern_names().at(static_cast<std::size_t>(what.pattern))},
                          {"memory", what.dram ? "dram" : "l1"},
                          {"bytes", what.bytes},
                          {"count", what.count},
                          {"noc", what.noc},
                          {"cycles", result.cycles},
                          {"bytes_per_cycle_per_core", result.bytes_per_cycle},
                          {"links", use_json(result.links)},
                          {"nius", use_json(result.nius)},
                          {"dram", use_json(result.dram)},
                          {"packets", result.packets}});
}

}  // namespace ttsim::impl::noc
