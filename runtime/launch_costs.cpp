#include "runtime/launch_costs.hpp"

#include <algorithm>
#include <cmath>

#include "base/yaml_map.hpp"
#include "isa/config_dir.hpp"
#include "sim/memory/memory_constants.hpp"
#include "sim/noc/constants.hpp"

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
    const noc::Constants& noc = noc::constants(chip);
    costs.l1_bytes = static_cast<double>(noc.flit_bytes);  // a port of the NoC carries a flit a cycle
    costs.l1_latency = std::max(0.0, memory.access.dram_read - noc.dram_latency);
    return costs;
}

std::uint64_t LaunchCosts::write_cycles(std::int64_t bytes) const {
    return whole(push_latency + static_cast<double>(bytes) / push_bytes);
}

std::uint64_t LaunchCosts::read_cycles(std::int64_t bytes) const {
    return whole(pop_latency + static_cast<double>(bytes) / pop_bytes);
}

std::uint64_t LaunchCosts::move_cycles(std::span<const Moved> sources, const Moved& result) const {
    double in_dram = 0, in_l1 = 0, read = 0;
    const auto latency = [&](const Moved& one) { return one.l1_cores > 0 ? l1_latency : dram_latency; };
    const auto add = [&](const Moved& one) {
        if (one.l1_cores > 0)
            in_l1 += static_cast<double>(one.bytes) / (static_cast<double>(one.l1_cores) * l1_bytes);
        else
            in_dram += static_cast<double>(one.bytes) / dram_bytes;
    };
    for (const Moved& source : sources) {
        add(source);
        read = std::max(read, latency(source));
    }
    add(result);
    return whole((sources.empty() ? latency(result) : read) + latency(result) + std::max(in_dram, in_l1));
}

}  // namespace ttsim::impl::runtime
