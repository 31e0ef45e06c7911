// Devices, their parameters and coordinates.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <tt_backend_api.hpp>

#include "api/embedded/api/names.hpp"
#include "api/embedded/bridge/bridge.hpp"

namespace tt::backend {

namespace {

param::DeviceDesc public_desc(const tt::bridge::ChipFacts& chip) {
    return {tt_backend_api::arch_of_chip(chip.arch), chip.descriptor, chip.mmio, chip.harvesting_mask};
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

using Parameters = std::map<std::string, std::string>;
std::mutex cache_guard;
std::map<std::string, Parameters> cache;  ///< parameters by the requested files

Parameters parameters_of(const std::string& soc, const std::string& cluster, const std::string& params) {
    const std::string key = soc + "\n" + cluster + "\n" + params;
    const std::lock_guard lock(cache_guard);
    const auto found = cache.find(key);
    if (found != cache.end()) return found->second;
    return cache[key] = tt::bridge::backend_parameters(soc, cluster, params);
}

}  // namespace

std::vector<ARCH> detect_available_devices() {
    std::vector<ARCH> all;
    for (const tt::bridge::ChipFacts& chip : tt::bridge::present_chips(""))
        all.push_back(tt_backend_api::arch_of_chip(chip.arch));
    return all;
}

std::vector<param::DeviceDesc> get_device_descs_for_available_devices(const std::string& folder) {
    std::vector<param::DeviceDesc> all;
    for (const tt::bridge::ChipFacts& chip : tt::bridge::present_chips(folder)) all.push_back(public_desc(chip));
    return all;
}

param::DeviceDesc get_custom_device_desc(ARCH arch, bool mmio, std::uint32_t harvesting_mask, std::pair<int, int> grid,
                                         const std::string& folder) {
    return public_desc(tt::bridge::custom_chip(get_string_lowercase(arch), mmio, harvesting_mask, grid, folder));
}

std::string get_device_cluster_yaml_v2(const std::string& folder) { return tt::bridge::present_cluster(folder); }

std::string get_backend_param(const std::string& name, const std::string& soc, const std::string& cluster,
                              const std::string& params, bool save) {
    if (save && params.empty()) throw std::runtime_error("get_backend_param: to save needs the name of a params file");
    const bool write = save && !std::filesystem::exists(params);
    const Parameters all = parameters_of(soc, cluster, write ? "" : params);
    if (write) tt::bridge::write_parameters(all, params);
    if (name == "*") {
        for (const auto& [key, value] : all) std::cout << key << ": " << value << "\n";
        return std::to_string(all.size());
    }
    if (const auto found = all.find(lower(name)); found != all.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : all) known.push_back(key);
    throw std::runtime_error("there is no backend parameter '" + name + "'" + tt::bridge::nearest(lower(name), known) +
                             "; \"*\" lists them");
}

void clear_backend_param_cache_v2() {
    const std::lock_guard lock(cache_guard);
    cache.clear();
}

std::pair<int, int> translate_coord_logical_to_routing(const std::string& soc_descriptor, std::pair<int, int> logical) {
    return tt::bridge::logical_to_routing(soc_descriptor, logical);
}
std::pair<int, int> translate_coord_routing_to_logical(const std::string& soc_descriptor, std::pair<int, int> routing) {
    return tt::bridge::routing_to_logical(soc_descriptor, routing);
}

}  // namespace tt::backend
