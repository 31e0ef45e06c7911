// Files below the folder of an export.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ttsim::impl::report {

/// Makes the folders above. Throws Error(Input) where it cannot be written.
void write_text(const std::string& folder, const std::string& name, std::string_view text);
/// JSON with four blanks a level, as the original's files.
void write_json(const std::string& folder, const std::string& name, const nlohmann::ordered_json& json);
/// A text between double quotes, as JSON and YAML have it.
std::string yaml_text(const std::string& text);
/// A name of the netlist as the name of a file or folder.
std::string file_name(const std::string& name);

}  // namespace ttsim::impl::report
