// Rows of JSON objects as comma-separated values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ttsim::impl::report {

/// One title line, then a line for each row; every row has all the titles as keys.
std::string csv_rows(const nlohmann::ordered_json& rows, const std::vector<std::string>& titles);

}  // namespace ttsim::impl::report
