#include "base/read_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/error_codes.hpp"
#include "base/machine_limit.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"

namespace ttsim::impl {

namespace fs = std::filesystem;

namespace {

/// The path with the most similar name in the same folder; "" if there is none. Examines at most 1,000 names.
std::string nearest_path(const fs::path& missing) {
    const fs::path folder = missing.parent_path();
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, failed), end; at != end && names.size() < 1000;
         at.increment(failed))
        names.push_back(at->path().filename().string());
    const std::string name = nearest(missing.filename().string(), names);
    return name.empty() ? "" : (folder / name).string();
}

}  // namespace

void require_path(const std::string& path) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (status.type() == fs::file_type::not_found) {
        const std::string guess = nearest_path(path);
        fail_input_as(error_code::no_such_file, {path, 0, 0}, "there is no such file{}",
                      guess.empty() ? "" : "; did you mean '" + guess + "'?");
    }
    if (failed) fail_input_as(error_code::unreadable_file, {path, 0, 0}, "cannot be read: {}", failed.message());
}

void require_file(const std::string& file) {
    require_path(file);
    std::error_code ignored;
    const fs::file_status status = fs::status(file, ignored);
    if (fs::is_directory(status))
        fail_input_as(error_code::unreadable_file, {file, 0, 0}, "is a folder; a file is wanted");
    if (!fs::is_regular_file(status))
        fail_input_as(error_code::unreadable_file, {file, 0, 0}, "is a device or a pipe; a file is wanted");
    if (::access(file.c_str(), R_OK) != 0)
        fail_input_as(error_code::unreadable_file, {file, 0, 0}, "cannot be read: {}",
                      std::generic_category().message(errno));
}

void require_folder(const std::string& folder) {
    require_path(folder);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        fail_input_as(error_code::unreadable_file, {folder, 0, 0}, "is a file; a folder is wanted");
}

[[noreturn]] static void fail_read(const std::string& file, int error) {
    check_resource_limit(error, file);
    fail_input_as(error_code::unreadable_file, {file, 0, 0}, "cannot be read");
}

std::string read_file(const std::string& file, std::uint64_t most) {
    require_file(file);
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(file, failed);
    if (!failed && bytes > most) fail_input({file, 0, 0}, "has {} bytes; at most {} are read", bytes, most);
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_read(file, errno);
    std::string text;
    if (!failed) text.reserve(bytes);
    constexpr std::uint64_t longest = 1 << 14;
    const std::uint64_t length = failed ? longest : std::min<std::uint64_t>(bytes + 1, longest);
    const auto piece = std::make_unique_for_overwrite<char[]>(length);  // most files are short
    while (in) {
        in.read(piece.get(), static_cast<std::streamsize>(length));
        text.append(piece.get(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > most) fail_input({file, 0, 0}, "has more than {} bytes", most);
    }
    if (in.bad()) fail_input_as(error_code::unreadable_file, {file, 0, 0}, "cannot be read");
    return text;
}

InputFile::InputFile(const std::string& file, std::uint64_t most) {
    require_file(file);
    std::error_code failed;
    size_ = std::filesystem::file_size(file, failed);
    if (!failed && size_ > most) fail_input({file, 0, 0}, "has {} bytes; at most {} are read", size_, most);
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (!failed && descriptor_ >= 0) return;
    const int error = descriptor_ < 0 ? errno : 0;
    if (descriptor_ >= 0) ::close(descriptor_);
    fail_read(file, error);
}

InputFile::~InputFile() { ::close(descriptor_); }

bool InputFile::read_at(char* at, std::uint64_t offset, std::size_t bytes) const {
    while (bytes > 0) {
        const ssize_t got = ::pread(descriptor_, at, bytes, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        offset += static_cast<std::uint64_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

SharedBytes read_bytes(const std::string& file, std::uint64_t most) {
    const InputFile in(file, most);
    const std::uint64_t size = in.size();
    constexpr std::size_t piece = std::size_t{8} << 20;
    const std::shared_ptr<char[]> bytes = std::make_shared_for_overwrite<char[]>(std::max<std::size_t>(size, 1));
    std::atomic<bool> complete{true};
    const auto read = [&](std::size_t n) {
        if (!in.read(bytes.get(), n * piece, std::min<std::size_t>(size, (n + 1) * piece))) complete = false;
    };
    const std::size_t pieces = (size + piece - 1) / piece;
    parallel_for(0, pieces, read);
    if (!complete)
        fail_input_as(error_code::unreadable_file, {file, 0, 0},
                      "cannot be read completely; does another program write to it?");
    return {bytes, {bytes.get(), size}};
}

}  // namespace ttsim::impl
