// The JSON documents that commands print.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ttsim::impl {

/// Of all documents of --json. It rises when a key goes or changes its meaning; new keys alone do not raise it.
/// configs/schemas/ describes them.
inline constexpr int json_schema_version = 2;

/// The keys of an object behind "schema_version", indented, with a line end. What is no UTF-8 in names is replaced.
std::string json_document(const nlohmann::ordered_json& object);

}  // namespace ttsim::impl
