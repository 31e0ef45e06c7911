#include "analysis/smi/snapshot.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace ttsim::impl::smi {

/// The value of a line NAME="value" in a file.
static std::string value_in(const std::string& file, const std::string& name) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(name + "=")) continue;
        std::string value = line.substr(name.size() + 1);
        std::erase(value, '"');
        return value;
    }
    return "N/A";
}

Host host() {
    utsname names{};
    if (::uname(&names) != 0) return {"N/A", "N/A", "N/A", "N/A", "N/A", "N/A"};
    const double bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    return {names.sysname, value_in("/etc/os-release", "PRETTY_NAME"),
            names.release, names.nodename,
            names.machine, fmt::format("{:.2f} GB", bytes / (1024 * 1024 * 1024))};
}

static Json board_json(const ChipSample& chip) {
    Json info = {{"bus_id", "N/A"}, {"board_type", chip.board_type}};
    info["board_id"] = chip.board ? Json(chip.board->id()) : Json("N/A");
    info["coords"] = "N/A";
    info["dram_status"] = true;
    if (chip.board && chip.board->dram_speed) info["dram_speed"] = *chip.board->dram_speed;
    if (chip.board && chip.board->pcie_speed) info["pcie_speed"] = *chip.board->pcie_speed;
    if (chip.board && chip.board->pcie_width) info["pcie_width"] = fmt::format("{}", *chip.board->pcie_width);
    return info;
}

static Json device_json(const Sample& sample, const ChipSample& chip) {
    Json limits = {{"asic_fmax", fmt::format("{}", chip.clock_mhz)}};
    if (chip.board && chip.board->power_limit)
        limits["board_power_limit"] = fmt::format("{}", *chip.board->power_limit);
    const std::string beats = fmt::format("{}", static_cast<std::int64_t>(2 * sample.seconds));
    return {{"smbus_telem", {{"AICLK", fmt::format("{:#x}", chip.clock_mhz | (chip.clock_mhz << 16))}}},
            {"board_info", board_json(chip)},
            {"telemetry", {{"aiclk", fmt::format("{:4}", chip.clock_mhz)}, {"heartbeat", beats}}},
            {"firmwares", {{"fw_bundle_version", "ttsim " TTSIM_VERSION}}},
            {"limits", std::move(limits)},
            {"simulation",
             {{"chip", chip.chip},
              {"workers", chip.workers},
              {"harvested_rows", chip.harvested_rows},
              {"cores_used", chip.cores_used},
              {"math_utilization", chip.math},
              {"dram_gbps", chip.dram_gbps},
              {"noc_gbps", chip.noc_gbps},
              {"dram_bytes", chip.dram_bytes},
              {"pcie_bytes", chip.pcie_bytes},
              {"ethernet_bytes", chip.ethernet_bytes}}}};
}

template <class T>
static Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

std::string snapshot(const Sample& sample, const std::string& time) {
    const Host machine = host();
    Json devices = Json::array(), processes = Json::array();
    for (const ChipSample& chip : sample.chips) devices.push_back(device_json(sample, chip));
    if (sample.pid > 0 && !sample.last)
        processes.push_back({{"pid", sample.pid}, {"user", "N/A"}, {"device", 0}, {"cmdline", sample.command}});
    const Json json = {{"time", time},
                       {"host_info",
                        {{"OS", machine.os},
                         {"Distro", machine.distribution},
                         {"Kernel", machine.kernel},
                         {"Hostname", machine.name},
                         {"Platform", machine.platform},
                         {"Memory", machine.memory},
                         {"Driver", "ttsim " TTSIM_VERSION " (simulated)"}}},
                       {"host_sw_vers", {{"tt_smi", "ttsim " TTSIM_VERSION}}},
                       {"device_info", std::move(devices)},
                       {"processes", std::move(processes)},
                       {"simulation",
                        {{"status", sample.status},
                         {"netlist", sample.netlist},
                         {"command", sample.command},
                         {"cycle", sample.cycle},
                         {"seconds", sample.seconds},
                         {"epoch", or_null(sample.epoch)},
                         {"graphs", sample.graphs},
                         {"inputs_over", or_null(sample.inputs_over)},
                         {"inputs", or_null(sample.inputs)},
                         {"queue_fill", or_null(sample.queue_fill)},
                         {"cycles_per_host_second", sample.cycles_per_second}}}};
    return json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ttsim::impl::smi
