// Formats the JSON documents that commands print.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ttsim::impl {

/// The version of all --json documents. It increases when a key is removed or changes its meaning, not for new keys.
/// configs/schemas/ describes the documents.
inline constexpr int json_schema_version = 2;

/// The object as indented JSON with "schema_version" first and a line end. Invalid UTF-8 in names is replaced.
std::string json_document(const nlohmann::ordered_json& object);

}  // namespace ttsim::impl
