// Rows of JSON objects as comma-separated values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ttsim::impl::report {

/// A title line, then a line per row. Every row must have all titles as keys.
std::string csv_rows(const nlohmann::ordered_json& rows, const std::vector<std::string>& titles);

}  // namespace ttsim::impl::report
