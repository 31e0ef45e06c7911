#include "base/file_set.hpp"

#include <filesystem>

#include "base/read_file.hpp"

namespace tt {

std::string FolderFiles::place(const std::string& name) const {
    return (std::filesystem::path(folder_) / name).string();
}

bool FolderFiles::has(const std::string& name) const {
    std::error_code ignored;
    return std::filesystem::exists(place(name), ignored);
}

SharedBytes FolderFiles::read(const std::string& name, std::uint64_t most) const {
    return read_file(place(name), most);
}

}  // namespace tt
