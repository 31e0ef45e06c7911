// Parameters of a machine by name, such as "wormhole_b0-t6-grid_size".
#include <fmt/ranges.h>

#include <algorithm>

#include "api/embedded/bridge/guard.hpp"
#include "base/new_file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "isa/arch.hpp"
#include "netlist/device/cluster.hpp"
#include "netlist/device/device.hpp"
#include "netlist/device/soc_descriptor.hpp"
#include "runtime/image/merge_memory.hpp"
#include "runtime/image/target.hpp"

namespace ttsim::impl::bridge {

namespace {

using Parameters = std::map<std::string, std::string>;

std::string yes_no(bool value) { return value ? "1" : "0"; }

/// Adds the parameters of one chip, prefixed by the name of its arch.
void add_chip(Parameters& all, const impl::ChipParams& chip) {
    const auto set = [&](const std::string& key, const auto& value) {
        all[chip.name + "-" + key] = fmt::format("{}", value);
    };
    const auto grid = [](std::size_t x, std::size_t y) { return fmt::format("{}-{}", x, y); };
    set("t6-grid_size", grid(chip.worker_x.size(), chip.worker_y.size()));
    set("t6-l1_size", chip.l1_bytes);
    set("t6-l1_reserved", chip.l1_reserved);
    set("t6-dst_tiles_16b", chip.features.dest_tiles_16b);
    set("t6-dst_tiles_32b", chip.features.dest_tiles_32b);
    set("t6-clock_mhz", chip.clock_mhz);
    set("noc-grid_size", grid(static_cast<std::size_t>(chip.grid_x), static_cast<std::size_t>(chip.grid_y)));
    set("noc-translation_id_enabled", yes_no(chip.harvest_from_end));
    set("noc-link_bytes", chip.timing.noc_link_bytes);
    set("dram-num_channels", chip.dram.size());
    set("dram-channel_capacity", chip.dram_channel_bytes);
    for (std::size_t k = 0; k < chip.dram.size(); ++k)
        set(fmt::format("dram-core_xy_chan{}", k), fmt::format("{}-{}", chip.dram[k][0].x, chip.dram[k][0].y));
    set("eth-num_channels", chip.eth.size());
    set("eth-l1_size", chip.eth_l1_bytes);
    set("eth-l1_reserved", chip.eth_l1_reserved);
}

/// Adds memory that the original's runtime reserves or maps, for chips with the section `images`.
void add_memory(Parameters& all, const impl::Machine& machine) {
    const std::string arch = machine.chips.front().params.name + "-";
    impl::image::MemoryLimits limits;
    try {
        limits = impl::image::limits_of(machine);
    } catch (const impl::Error& error) {
        if (error.fault() != impl::Fault::Unsupported) throw;
        return;
    }
    all[arch + "dram-backend_reserved_max"] = fmt::format("{}", limits.reserved);
    all[arch + "sysmem-num_channels"] = fmt::format("{}", limits.host.size());
    for (std::size_t k = 0; k < limits.host.size(); ++k)
        all[fmt::format("{}sysmem-chan{}_size", arch, k)] = fmt::format("{}", limits.host[k]);
}

void add_system(Parameters& all, const impl::Machine& machine) {
    std::vector<std::int64_t> mmio;
    std::string links;
    for (const impl::ChipInstance& chip : machine.chips) {
        const std::string device = fmt::format("system-device{}-", chip.id);
        if (chip.mmio) mmio.push_back(chip.id);
        all[device + "type"] = chip.params.name;
        all[device + "harvesting_mask"] = fmt::format("{}", impl::image::harvesting_mask(chip));
        all[device + "num_harvested_rows"] = fmt::format("{}", chip.harvested_rows.size());
    }
    for (const impl::EthLink& link : machine.links)
        links += fmt::format("{},{},{},{},-", link.chip_a, link.channel_a, link.chip_b, link.channel_b);
    all["system-device-number_of_chips"] = fmt::format("{}", machine.chips.size());
    all["system-device-num_mmio_devices"] = fmt::format("{}", mmio.size());
    all["system-device-chips_with_mmio"] = mmio.empty() ? "" : fmt::format("{},-", fmt::join(mmio, ",-,"));
    all["system-device-ethernet_connections"] = links;
}

void add_file(Parameters& all, const std::string& file) {
    impl::YamlMap map = impl::YamlMap::from_file(file);
    impl::YamlMap list = map.map("system_level_params");
    for (const std::string& key : list.keys()) all[impl::to_lower(key)] = list.text(key);
}

/// The arch of a soc descriptor; "" = any.
std::string arch_of(const std::string& soc) {
    if (soc.empty()) return "";
    return impl::to_lower(impl::YamlMap::from_file(soc).text("arch_name"));
}

}  // namespace

std::map<std::string, std::string> backend_parameters(const std::string& soc, const std::string& cluster,
                                                      const std::string& file) {
    return guarded([&] {
        Parameters all;
        const std::string described = arch_of(soc);
        std::string system = described;
        for (const std::string& name : impl::chip_names()) {
            const impl::Machine machine = impl::make_machine(name, {.device = name == described ? soc : ""});
            add_chip(all, machine.chips.front().params);
            add_memory(all, machine);
        }
        if (system.empty()) system = impl::default_chip().name;
        add_system(all, impl::make_machine(system, {.device = soc, .cluster = cluster}));
        if (!file.empty()) add_file(all, file);
        return all;
    });
}

void write_parameters(const std::map<std::string, std::string>& all, const std::string& file) {
    guarded([&] {
        impl::write_new_file(file, impl::FileKind::Text, [&](std::ostream& out) {
            out << "system_level_params:\n";
            for (const auto& [key, value] : all) out << "  " << key << ": \"" << value << "\"\n";
        });
    });
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
    return impl::did_you_mean(word, known);
}

}  // namespace ttsim::impl::bridge
