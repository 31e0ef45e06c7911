#include "isa/config_dir.hpp"

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/error.hpp"
#include "base/own_file.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl {

namespace {

std::mutex override_mutex;
std::string override_dir;

std::vector<fs::path> installed_dirs() {
    std::vector<fs::path> list;
    fs::path folder = own_file().parent_path();
    // PREFIX/bin, PREFIX/lib, PREFIX/lib/ARCHITECTURE
    for (int level = 0; level < 2 && folder.has_relative_path(); ++level, folder = folder.parent_path())
        list.push_back(folder.parent_path() / "share/ttsim/configs");
    return list;
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

}  // namespace

void set_config_dir(const std::string& folder) {
    if (!folder.empty() && !is_folder(folder)) fail_input({}, "the configuration folder {} is not a folder", folder);
    const std::lock_guard lock(override_mutex);
    override_dir = folder.empty() ? "" : fs::weakly_canonical(folder).string();
}

std::vector<std::string> config_dirs() {
    std::vector<std::string> found;
    {
        const std::lock_guard lock(override_mutex);
        if (!override_dir.empty()) found.push_back(override_dir);
    }
    if (const char* named = std::getenv("TTSIM_CONFIG_DIR"); named && *named != '\0') {
        if (!is_folder(named)) fail_input({}, "TTSIM_CONFIG_DIR is {}, which is not a folder", named);
        found.push_back(fs::weakly_canonical(named).string());
    }
    std::vector<fs::path> standard = installed_dirs();
    standard.push_back(fs::path(TTSIM_SOURCE_DIR) / "configs");
    bool complete = false;
    for (const fs::path& candidate : standard)
        if (!complete && is_folder(candidate / "chips")) {
            found.push_back(candidate.string());
            complete = true;  // use one installation only
        }
    if (found.empty()) {
        std::string tried;
        for (const fs::path& candidate : standard) tried += (tried.empty() ? "" : ", ") + candidate.string();
        fail_input({},
                   "the configuration folder is missing; tried {}; set TTSIM_CONFIG_DIR to the folder that holds "
                   "chips/ and products.yaml",
                   tried);
    }
    return found;
}

std::vector<std::string> config_files(const std::string& name) {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const std::string& dir : config_dirs())
        if (const fs::path file = fs::path(dir) / name; fs::exists(file, ignored)) found.push_back(file.string());
    return found;
}

std::string config_file(const std::string& name) {
    const std::vector<std::string> found = config_files(name);
    if (!found.empty()) return found.front();
    fail_input({}, "there is no configuration file {} in {}", name, fmt::join(config_dirs(), ", "));
}

}  // namespace ttsim::impl
