// Rows of JSON objects as comma-separated values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tt::report {

/// One title line, then a line for each row; every row has all the titles as keys.
std::string csv_rows(const nlohmann::ordered_json& rows, const std::vector<std::string>& titles);
/// Indented, with a line end; what is no UTF-8 in names is replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace tt::report
