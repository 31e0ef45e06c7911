// Relative errors of predictions against measurements, by group.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ttsim::impl {

/// Errors of one group in percent of the measurement: statistics of the absolute error, and the signed bias.
struct PredictionErrors {
    std::string group;
    std::size_t rows = 0;
    double mean = 0, median = 0, p95 = 0, worst = 0, bias = 0;
};

/// Collects pairs of prediction and measurement.
class ErrorStatistics {
public:
    void add(const std::string& group, double predicted, double measured);
    /// One entry per group in alphabetic order, then "all"; empty if nothing was added.
    std::vector<PredictionErrors> summary() const;

private:
    std::map<std::string, std::vector<double>> by_group_;
    std::vector<double> all_;
};

/// Returns `errors`; throws Error(Input) if they are empty, since a report on `file` would then have no content.
std::vector<PredictionErrors> require_errors(std::vector<PredictionErrors> errors, const std::string& file);

/// A table with one line per group; `title` heads the first column.
std::string error_table(const std::vector<PredictionErrors>& errors, const std::string& title);

}  // namespace ttsim::impl
