// Telemetry of a running simulation for tt-smi: sums since its start, per chip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine_view.hpp"

namespace ttsim::impl::sim {

struct ChipTelemetry {
    std::int64_t chip = 0;
    std::int64_t cores_used = 0;  ///< cores used by the epochs in flight
    Cycle math = 0;               ///< core cycles in which FPU or SFPU was busy
    std::uint64_t dram_bytes = 0, noc_bytes = 0, pcie_bytes = 0, ethernet_bytes = 0;
};

struct Telemetry {
    Cycle cycle = 0;
    std::int64_t epoch = -1, inputs_over = 0,
                 inputs = 0;  ///< the epoch that began last and its inputs; -1: none is in flight
    std::string graphs{};
    double fullest = 0;  ///< occupied fraction of the slots of the fullest queue
    std::string fullest_queue{};
    std::vector<ChipTelemetry> chips{};
};

Telemetry telemetry(const MachineView& view);

}  // namespace ttsim::impl::sim
