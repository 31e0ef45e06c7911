// What the run of a compiled model says: the device's report, and the model's outputs beside what is expected of them.
#pragma once

#include <optional>
#include <string>

#include "analysis/report/run_report.hpp"
#include "compiler/model/model_run.hpp"

namespace ttsim::impl::report {

struct ModelReport {
    RunReport device;
    ir::ModelRunReport model;
    bool pass() const { return device.pass() && model.pass(); }
    /// Of the time of the chips and the host together; 0 without a clock.
    double host_time_share() const;
};

/// The device's report, no wider than `width`, then host steps and outputs: element type, range, first elements, and
/// how they compare.
std::string text(const ModelReport& report, std::optional<std::size_t> width = std::nullopt);
/// The device's report with the key "model" added.
std::string json(const ModelReport& report);

}  // namespace ttsim::impl::report
