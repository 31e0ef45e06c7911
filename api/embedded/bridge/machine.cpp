#include "api/embedded/bridge/machine.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "api/embedded/bridge/guard.hpp"
#include "base/new_file.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "isa/arch.hpp"
#include "netlist/device/descriptor_text.hpp"
#include "netlist/device/soc_descriptor.hpp"
#include "runtime/image/target.hpp"
#include "sim/setup/setup.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::bridge {

impl::Machine machine_for(const impl::Netlist& netlist, const DeviceOptions& options) {
    impl::MachineOptions wanted;
    wanted.device = options.soc;
    wanted.cluster = options.cluster;
    wanted.chips = impl::sim::chips_named(netlist);
    const std::string of_device = impl::device_chip(options.soc);
    const std::string& arch = !options.arch.empty() ? options.arch : of_device;
    impl::Machine machine = impl::make_machine(arch.empty() ? netlist.archs.front() : arch, wanted);
    for (const auto& [chip, rows] : options.harvested) harvest_rows(machine, chip, rows);
    return machine;
}

void harvest_rows(impl::Machine& machine, std::int64_t id, const std::vector<std::uint32_t>& rows) {
    const auto found = std::find_if(machine.chips.begin(), machine.chips.end(),
                                    [&](const impl::ChipInstance& chip) { return chip.id == id; });
    if (found == machine.chips.end())
        impl::fail_input({}, "harvested_rows names chip {}; the machine {} has {}", id, machine.name,
                         machine.chips.size());
    for (const std::uint32_t row : rows) impl::harvest_line(*found, static_cast<int>(row), false, "harvested_rows");
}

// --- descriptors -------------------------------------------------------------------------------------------------

namespace {

/// The first board of the default chip, or that chip.
std::string usual_product() {
    const std::string chip = impl::default_chip().name;
    for (const impl::ProductInfo& product : impl::products())
        if (product.arch == chip) return product.name;
    return chip;
}

impl::Machine present_machine() {
    const char* named = std::getenv("TTSIM_DEVICE");
    const std::string device = named && *named ? named : usual_product();
    const std::string chip = impl::device_chip(device);
    if (chip.empty()) {
        std::vector<std::string> known;
        for (const impl::ProductInfo& product : impl::products()) known.push_back(product.name);
        impl::fail_input({}, "TTSIM_DEVICE={} is not a product; products: {}{}", device, fmt::join(known, ", "),
                         impl::did_you_mean(device, known));
    }
    return impl::make_machine(chip, {.device = device});
}

std::string write_text(const std::string& folder, const std::string& name, const std::string& text) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) impl::fail_input({folder, 0, 0}, "cannot make the folder: {}", failed.message());
    const std::string file = (fs::path(folder) / name).string();
    if (fs::exists(file) && impl::read_file(file, text.size() + 1) == text) return file;
    impl::write_new_file(file, impl::FileKind::Text, [&](std::ostream& out) { out << text; });
    return file;
}

ChipFacts facts_of(const impl::ChipInstance& chip, const std::string& folder) {
    ChipFacts facts;
    facts.arch = chip.params.name;
    facts.mmio = chip.mmio;
    facts.harvesting_mask = static_cast<std::uint32_t>(impl::image::harvesting_mask(chip));
    if (!folder.empty())
        facts.descriptor =
            write_text(folder, fmt::format("device_desc_{}_{}_{}.yaml", facts.arch, chip.id, facts.harvesting_mask),
                       "# " + facts.arch + "\n" + impl::soc_descriptor_text(chip));
    return facts;
}

/// The chip of a soc descriptor, from its `arch_name`.
impl::ChipParams chip_of(const std::string& descriptor) {
    impl::YamlMap map = impl::YamlMap::from_file(descriptor);
    return impl::read_soc_descriptor(descriptor, impl::chip(impl::to_lower(map.text("arch_name")))).params;
}

}  // namespace

std::vector<ChipFacts> present_chips(const std::string& folder) {
    return guarded([&] {
        std::vector<ChipFacts> all;
        for (const impl::ChipInstance& chip : present_machine().chips) all.push_back(facts_of(chip, folder));
        return all;
    });
}

ChipFacts custom_chip(const std::string& arch, bool mmio, std::uint32_t mask, std::pair<int, int> grid,
                      const std::string& folder) {
    return guarded([&] {
        impl::Machine machine = impl::make_machine(arch, {});
        std::vector<std::uint32_t> rows;
        for (const int row : impl::image::rows_of_mask(mask)) rows.push_back(static_cast<std::uint32_t>(row));
        harvest_rows(machine, machine.chips.front().id, rows);
        impl::ChipInstance& chip = machine.chips.front();
        const std::pair<int, int> left{static_cast<int>(chip.params.worker_x.size()),
                                       static_cast<int>(chip.params.worker_y.size())};
        if (grid != std::pair{0, 0} && grid != left)
            impl::fail_input({}, "mask {} leaves {} columns and {} rows of {}, not {} and {}", mask, left.first,
                             left.second, arch, grid.first, grid.second);
        chip.mmio = mmio;
        return facts_of(chip, folder);
    });
}

std::uint32_t present_alignment() {
    return guarded([] {
        static std::mutex guard;
        static std::map<std::string, std::uint32_t> known;  // by TTSIM_DEVICE
        const char* named = std::getenv("TTSIM_DEVICE");
        const std::lock_guard lock(guard);
        std::uint32_t& bytes = known[named ? named : ""];
        if (bytes == 0)
            bytes = static_cast<std::uint32_t>(present_machine().chips.front().params.features.noc_alignment);
        return bytes;
    });
}

std::string present_cluster(const std::string& folder) {
    return guarded([&] {
        return write_text(folder, "cluster_desc.yaml",
                          "# cluster\n" + impl::cluster_descriptor_text(present_machine()));
    });
}

// --- coordinates -------------------------------------------------------------------------------------------------

std::pair<int, int> logical_to_routing(const std::string& descriptor, std::pair<int, int> at) {
    return guarded([&]() -> std::pair<int, int> {
        const impl::ChipParams chip = chip_of(descriptor);
        const auto columns = static_cast<int>(chip.worker_x.size()), rows = static_cast<int>(chip.worker_y.size());
        if (at.first < 0 || at.first >= columns || at.second < 0 || at.second >= rows)
            impl::fail_input({descriptor, 0, 0}, "({}, {}) is not a logical core: there are {} columns and {} rows",
                             at.first, at.second, columns, rows);
        return {chip.worker_x[static_cast<std::size_t>(at.first)], chip.worker_y[static_cast<std::size_t>(at.second)]};
    });
}

std::pair<int, int> routing_to_logical(const std::string& descriptor, std::pair<int, int> at) {
    return guarded([&]() -> std::pair<int, int> {
        const impl::ChipParams chip = chip_of(descriptor);
        const auto x = std::find(chip.worker_x.begin(), chip.worker_x.end(), at.first);
        const auto y = std::find(chip.worker_y.begin(), chip.worker_y.end(), at.second);
        if (x == chip.worker_x.end() || y == chip.worker_y.end())
            impl::fail_input({descriptor, 0, 0}, "({}, {}) is not a working core", at.first, at.second);
        return {static_cast<int>(x - chip.worker_x.begin()), static_cast<int>(y - chip.worker_y.begin())};
    });
}

}  // namespace ttsim::impl::bridge
