#include "analysis/exports/text_files.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/new_file.hpp"
#include "base/utf8.hpp"

namespace ttsim::impl::report {

void write_text(const std::string& folder, const std::string& name, std::string_view text) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    if (failed) fail_write(path.string(), failed.value());
    errno = 0;
    std::ofstream out(path, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) fail_write(path.string(), errno);
}

void write_json(const std::string& folder, const std::string& name, const nlohmann::ordered_json& json) {
    write_text(folder, name, json.dump(4, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

std::string yaml_text(const std::string& text) {
    // control characters above 0x7e are valid in JSON, but not in YAML
    return printable(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string file_name(const std::string& name) {
    std::string text = name;
    for (char& c : text)
        if (c == '/' || c == '\0') c = '_';
    if (text.empty() || text == "." || text == "..") text = "_" + text;
    return text;
}

}  // namespace ttsim::impl::report
