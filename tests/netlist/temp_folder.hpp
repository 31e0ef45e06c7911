// A folder for the files of one test program, removed when the program ends.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ttsim::impl {

inline const std::filesystem::path& temp_folder() {
    struct Folder {
        std::filesystem::path path;
        Folder() {
            std::string pattern = (std::filesystem::temp_directory_path() / "ttsim_test_XXXXXX").string();
            path = mkdtemp(pattern.data());
        }
        ~Folder() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
    };
    static const Folder folder;
    return folder.path;
}

/// Writes the text into that folder; an earlier file of the same name is replaced.
inline std::string write_temp(const std::string& name, const std::string& text) {
    const std::filesystem::path file = temp_folder() / name;
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
}

/// Whether nothing unfinished lies in the folder: such files begin with a dot until they are whole.
inline bool holds_whole_files(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().filename().string().front() == '.') return false;
    return true;
}

}  // namespace ttsim::impl
