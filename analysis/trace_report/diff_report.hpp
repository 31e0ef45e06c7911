// Two traces compared: text, CSV and JSON.
#pragma once

#include <optional>
#include <string>

#include "analysis/trace/diff.hpp"

namespace ttsim::impl::report {

/// What makes a comparison fail when it became slower.
enum class FailOn : std::uint8_t { Run, Epochs, Ops };

struct DiffReport {
    std::string before_file, after_file;
    trace::RunDiff diff;
    double threshold = 0.05;  ///< 0.05: up to 5 % more is no change
    FailOn fail_on = FailOn::Epochs;
    std::size_t limit = 20;  ///< rows of a table of the text

    /// Of the run, and of the epochs, and of the ops as fail_on says, those that take more by over the threshold.
    std::vector<std::string> slower() const;
};

/// Tables no wider than `width`; rows within the threshold are only counted.
std::string text(const DiffReport& report, std::optional<std::size_t> width = std::nullopt);
std::string json(const DiffReport& report);
std::string csv(const DiffReport& report);

}  // namespace ttsim::impl::report
