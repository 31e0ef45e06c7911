#include "analysis/smi/telemetry_file.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <ostream>

#include "analysis/smi/sample.hpp"
#include "base/new_file.hpp"

namespace ttsim::impl::smi {

TelemetryFile::TelemetryFile(std::string path, std::string command)
    : path_(std::move(path)), command_(std::move(command)) {
    const NewFile probe(path_, FileKind::Json);
}

static Json chip_json(const ChipInstance& chip, const sim::ChipTelemetry& sums) {
    return {{"chip", chip.id},
            {"arch", chip.params.name},
            {"clock_mhz", chip.params.clock_mhz},
            {"workers", chip.params.worker_x.size() * chip.params.worker_y.size()},
            {"harvested_rows", fmt::format("[{}]", fmt::join(chip.harvested_rows, ","))},
            {"cores_used", sums.cores_used},
            {"math", sums.math},
            {"dram_bytes", sums.dram_bytes},
            {"noc_bytes", sums.noc_bytes},
            {"pcie_bytes", sums.pcie_bytes},
            {"ethernet_bytes", sums.ethernet_bytes}};
}

void TelemetryFile::write(const sim::MachineView& view, const std::string& status) {
    const sim::Telemetry now = sim::telemetry(view);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
    Json chips = Json::array();
    for (std::size_t n = 0; n < now.chips.size(); ++n)
        chips.push_back(chip_json(view.machine().chips[n], now.chips[n]));
    const Json json = {{"ttsim_telemetry", 1},
                       {"status", status},
                       {"pid", ::getpid()},
                       {"command", command_},
                       {"netlist", std::filesystem::path(view.netlist().file).filename().string()},
                       {"device", view.machine().name},
                       {"cycle", now.cycle},
                       {"host_seconds", passed.count()},
                       {"epoch", now.epoch < 0 ? Json(nullptr) : Json(now.epoch)},
                       {"graphs", now.graphs},
                       {"inputs_over", now.inputs_over},
                       {"inputs", now.inputs},
                       {"queue_fill", now.fullest},
                       {"fullest_queue", now.fullest_queue},
                       {"chips", std::move(chips)}};
    last_ = json.dump(1) + "\n";
    put(last_);
}

void TelemetryFile::end(const std::string& status) {
    const std::string running = "\"status\": \"running\"";
    if (const std::size_t at = last_.find(running); at != std::string::npos)
        put(std::string(last_).replace(at, running.size(), "\"status\": \"" + status + "\""));
}

void TelemetryFile::put(const std::string& text) {
    // replaced atomically, since tt-smi reads it during the run
    write_new_file(
        path_, FileKind::Json, [&text](std::ostream& out) { out << text; }, Durability::No);
}

}  // namespace ttsim::impl::smi
