#include "runtime/launch_costs.hpp"

#include <algorithm>
#include <cmath>

#include "base/yaml_map.hpp"
#include "isa/config_dir.hpp"
#include "sim/memory/memory_constants.hpp"

namespace ttsim::impl::runtime {

namespace {

std::uint64_t whole(double cycles) { return static_cast<std::uint64_t>(std::ceil(cycles)); }

}  // namespace

LaunchCosts launch_costs(const ChipParams& chip) {
    YamlMap map = YamlMap::from_file(config_file("launch.yaml"));
    const auto per_microsecond = static_cast<double>(chip.clock_mhz);
    LaunchCosts costs;
    costs.enqueue = map.number("enqueue") * per_microsecond;
    costs.enqueue_new = map.number("enqueue_new") * per_microsecond;
    costs.gap = map.number("gap") * per_microsecond;
    costs.spread = map.number("spread") * per_microsecond;
    map.done();
    const sim::MemoryConstants& memory = sim::memory_constants(chip);
    costs.push_bytes = memory.pcie.push_bytes;
    costs.push_latency = memory.pcie.push_latency;
    costs.pop_bytes = memory.pcie.pop_bytes;
    costs.pop_latency = memory.pcie.pop_latency;
    const auto channels = static_cast<double>(std::max<std::size_t>(chip.dram.size(), 1));
    costs.dram_bytes = channels * std::min(chip.timing.dram_read_bytes, chip.timing.dram_write_bytes);
    costs.dram_latency = memory.access.dram_read;
    return costs;
}

std::uint64_t LaunchCosts::write_cycles(std::int64_t bytes) const {
    return whole(push_latency + static_cast<double>(bytes) / push_bytes);
}

std::uint64_t LaunchCosts::read_cycles(std::int64_t bytes) const {
    return whole(pop_latency + static_cast<double>(bytes) / pop_bytes);
}

std::uint64_t LaunchCosts::move_cycles(std::int64_t bytes_read, std::int64_t bytes_written) const {
    return whole(2 * dram_latency + static_cast<double>(bytes_read + bytes_written) / dram_bytes);
}

}  // namespace ttsim::impl::runtime
