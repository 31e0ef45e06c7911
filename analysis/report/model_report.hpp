// Report of a compiled model's run: the device's report, and the model's outputs compared with expected ones.
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
    /// Host time as a fraction of the time of chips and host; 0 without a clock.
    double host_time_share() const;
};

/// The device's report, limited to `width` columns, then host steps and outputs: element type, range, first elements,
/// and comparison.
std::string text(const ModelReport& report, std::optional<std::size_t> width = std::nullopt);
/// The device's report with the key "model" added.
std::string json(const ModelReport& report);

}  // namespace ttsim::impl::report
