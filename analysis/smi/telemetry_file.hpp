// The telemetry file of a run: one JSON object, rewritten regularly.
#pragma once

#include <chrono>
#include <string>

#include "netlist/device/device.hpp"
#include "sim/figures/telemetry.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::smi {

class TelemetryFile {
public:
    /// Throws Error(Input) when the file cannot be written.
    TelemetryFile(std::string path, std::string command);
    /// `status`: "running", or how the run ended.
    void write(const sim::MachineView& view, const std::string& status);
    /// Writes the final status of the run.
    void end(const std::string& status);

private:
    void put(const std::string& text);
    std::string path_, command_, last_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace ttsim::impl::smi
