// How far predictions are from measurements, by group.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ttsim::impl {

/// Errors of one group in percent of the measurement: of the absolute value, and the bias with its sign.
struct PredictionErrors {
    std::string group;
    std::size_t rows = 0;
    double mean = 0, median = 0, p95 = 0, worst = 0, bias = 0;
};

/// Collects pairs of prediction and measurement.
class ErrorCount {
public:
    void add(const std::string& group, double predicted, double measured);
    /// By group in alphabetic order, then "all"; empty when nothing was added.
    std::vector<PredictionErrors> summary() const;

private:
    std::map<std::string, std::vector<double>> by_group_;
    std::vector<double> all_;
};

/// The errors themselves. Throws Error(Input) when there are none: a report on `file` would have judged nothing.
std::vector<PredictionErrors> some_errors(std::vector<PredictionErrors> errors, const std::string& file);

/// One line a group, the first column headed `title`.
std::string error_table(const std::vector<PredictionErrors>& errors, const std::string& title);

}  // namespace ttsim::impl
