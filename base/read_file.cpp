#include "base/read_file.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace tt {

void refuse_irregular(const std::string& file) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(file, ignored);
    if (std::filesystem::is_directory(status)) fail_input({file, 0, 0}, "is a folder; a file is wanted");
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        fail_input({file, 0, 0}, "is a device or a pipe; a file is wanted");
}

std::string read_file(const std::string& file, std::uint64_t most) {
    refuse_irregular(file);
    std::error_code failed;
    if (const auto bytes = std::filesystem::file_size(file, failed); !failed && bytes > most)
        fail_input({file, 0, 0}, "has {} bytes; at most {} are read", bytes, most);
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_input({file, 0, 0}, "the file cannot be read");
    std::string text;
    std::vector<char> piece(1 << 16);
    while (in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > most) fail_input({file, 0, 0}, "has more than {} bytes", most);
    }
    if (in.bad()) fail_input({file, 0, 0}, "the file cannot be read");
    return text;
}

}  // namespace tt
