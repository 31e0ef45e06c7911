#include "base/file_set.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/json_object.hpp"
#include "base/read_file.hpp"

namespace ttsim::impl {

namespace fs = std::filesystem;

std::string resolve_inside(const std::string& folder, const std::string& name) {
    const fs::path place = fs::path(folder) / name;
    if (!is_path_inside(name))
        fail_input({place.string(), 0, 0}, "lies outside of the folder, whose files are read alone");
    std::error_code missing;
    const fs::path root = fs::canonical(folder, missing);
    const fs::path resolved = missing ? fs::path() : fs::canonical(place, missing);
    if (missing) return place.string();
    if (std::mismatch(root.begin(), root.end(), resolved.begin(), resolved.end()).first != root.end())
        fail_input({place.string(), 0, 0},
                   "is a link that leads out of the folder, to '{}'; put the file itself into the folder",
                   resolved.string());
    return place.string();
}

std::string FolderFiles::place(const std::string& name) const { return (fs::path(folder_) / name).string(); }

bool FolderFiles::has(const std::string& name) const {
    std::error_code ignored;
    return fs::exists(place(name), ignored);
}

SharedBytes FolderFiles::read(const std::string& name, std::uint64_t most) const {
    return read_file(resolve_inside(folder_, name), most);
}

}  // namespace ttsim::impl
