// The ops of a whole run as one sortable table: text, CSV and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/op_totals.hpp"

namespace ttsim::impl::report {

/// Columns by which top_report() can sort: keys of its JSON and titles of its CSV.
std::vector<std::string> top_columns();

struct TopReport {
    trace::RunInfo run;
    std::vector<trace::OpTotal> ops;
    std::size_t left_out = 0;  ///< number of ops beyond the limit
};
/// Sorts by column `sort` (one of top_columns()): numbers largest first, names from A.
TopReport top_report(trace::Reader& trace, const std::string& sort, std::optional<std::size_t> limit);

/// A table no wider than `width`.
std::string text(const TopReport& report, std::optional<std::size_t> width = std::nullopt);
std::string json(const TopReport& report);
std::string csv(const TopReport& report);

}  // namespace ttsim::impl::report
