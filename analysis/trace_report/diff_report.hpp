// Two traces compared: text, CSV and JSON.
#pragma once

#include <optional>
#include <string>

#include "analysis/trace/diff.hpp"

namespace ttsim::impl::report {

/// What must not become slower for the comparison to pass.
enum class FailOn : std::uint8_t { Run, Epochs, Ops };

struct DiffReport {
    std::string before_file, after_file;
    trace::RunDiff diff;
    double threshold = 0.05;  ///< relative change that is tolerated; 0.05: 5 %
    FailOn fail_on = FailOn::Epochs;
    std::size_t limit = 20;  ///< maximum number of rows of a text table

    /// Names of the run, epochs and ops (up to fail_on) that became slower by more than the threshold.
    std::vector<std::string> slower() const;
};

/// Tables limited to `width` columns; rows within the threshold are only counted.
std::string text(const DiffReport& report, std::optional<std::size_t> width = std::nullopt);
std::string json(const DiffReport& report);
std::string csv(const DiffReport& report);

}  // namespace ttsim::impl::report
