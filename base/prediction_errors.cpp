#include "base/prediction_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace ttsim::impl {

namespace {

double percentile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

PredictionErrors errors_of(const std::string& group, const std::vector<double>& relative) {
    PredictionErrors e;
    e.group = group;
    e.rows = relative.size();
    std::vector<double> sizes;
    for (const double r : relative) {
        sizes.push_back(std::abs(r));
        e.mean += std::abs(r);
        e.bias += r;
    }
    e.mean /= static_cast<double>(e.rows);
    e.bias /= static_cast<double>(e.rows);
    std::sort(sizes.begin(), sizes.end());
    e.median = percentile(sizes, 0.5);
    e.p95 = percentile(sizes, 0.95);
    e.worst = sizes.back();
    return e;
}

}  // namespace

void ErrorStatistics::add(const std::string& group, double predicted, double measured) {
    const double relative = 100 * (predicted / measured - 1);
    by_group_[group].push_back(relative);
    all_.push_back(relative);
}

std::vector<PredictionErrors> ErrorStatistics::summary() const {
    std::vector<PredictionErrors> out;
    for (const auto& [group, relative] : by_group_) out.push_back(errors_of(group, relative));
    if (!all_.empty()) out.push_back(errors_of("all", all_));
    return out;
}

std::vector<PredictionErrors> require_errors(std::vector<PredictionErrors> errors, const std::string& file) {
    if (errors.empty())
        fail_input({file, 0, 0}, "nothing was compared: no row has both a measured figure and a prediction");
    return errors;
}

std::string error_table(const std::vector<PredictionErrors>& errors, const std::string& title) {
    std::size_t width = 18;
    for (const PredictionErrors& e : errors) width = std::max(width, e.group.size());
    std::string out = fmt::format("{:<{}} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8}\n", title, width, "rows", "mean %",
                                  "median %", "P95 %", "worst %", "bias %");
    for (const PredictionErrors& e : errors)
        out += fmt::format("{:<{}} {:>6} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>+8.2f}\n", e.group, width, e.rows,
                           e.mean, e.median, e.p95, e.worst, e.bias);
    return out;
}

}  // namespace ttsim::impl
