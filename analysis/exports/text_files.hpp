// Writing of files in the folder of an export.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ttsim::impl::report {

/// Writes a file and creates parent folders. Throws Error(Input) when it cannot be written.
void write_text(const std::string& folder, const std::string& name, std::string_view text);
/// Writes JSON with an indentation of four blanks, as in the original's files.
void write_json(const std::string& folder, const std::string& name, const nlohmann::ordered_json& json);
/// A text in double quotes, valid in JSON and YAML.
std::string yaml_text(const std::string& text);
/// Converts a name of the netlist to a valid file name.
std::string file_name(const std::string& name);

}  // namespace ttsim::impl::report
