#include "sim/figures/telemetry.hpp"

#include <algorithm>
#include <set>

namespace ttsim::impl::sim {

static void add_cores(const MachineView& view, std::vector<ChipTelemetry>& chips) {
    std::set<std::pair<std::int64_t, NocCoord>> used;
    for (const CoreState& core : view.cores(nullptr)) {
        const auto chip =
            std::find_if(chips.begin(), chips.end(), [&](const auto& c) { return c.chip == core.op->chip; });
        if (chip == chips.end()) continue;
        chip->math += core.counters.math;
        if (used.emplace(chip->chip, core.at()).second) ++chip->cores_used;
    }
    for (ChipTelemetry& chip : chips) chip.math += view.math_of_ended(chip.chip);
}

static void add_links(const MachineView& view, std::vector<ChipTelemetry>& chips) {
    for (const LinkState& link : view.links()) {
        const auto chip = std::find_if(chips.begin(), chips.end(), [&](const auto& c) { return c.chip == link.chip; });
        if (chip == chips.end()) continue;
        if (link.kind == "dram") chip->dram_bytes += link.bytes;
        if (link.kind == "pcie") chip->pcie_bytes += link.bytes;
        if (link.kind == "ethernet") chip->ethernet_bytes += link.bytes;
        if (link.kind == "noc" && link.name.ends_with(" in"))
            chip->noc_bytes += link.bytes;  // counted once, at the source's NIU
    }
}

Telemetry telemetry(const MachineView& view) {
    Telemetry now{.cycle = view.now()};
    for (const ChipInstance& chip : view.machine().chips) now.chips.push_back({.chip = chip.id});
    for (const EpochState& epoch : view.epochs()) {
        now.epoch = epoch.number;
        now.graphs = epoch.graphs;
        now.inputs_over = epoch.over;
        now.inputs = epoch.inputs;
    }
    for (const Queue& queue : view.netlist().queues) {
        if (queue.type == QueueType::Ram || queue.entries == 0) continue;
        const double share = static_cast<double>(view.queue(queue).occupied) / static_cast<double>(queue.entries);
        if (share <= now.fullest) continue;
        now.fullest = share;
        now.fullest_queue = queue.name;
    }
    add_cores(view, now.chips);
    add_links(view, now.chips);
    return now;
}

}  // namespace ttsim::impl::sim
