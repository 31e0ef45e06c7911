#include "base/read_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/thread_pool.hpp"

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
    const auto bytes = std::filesystem::file_size(file, failed);
    if (!failed && bytes > most) fail_input({file, 0, 0}, "has {} bytes; at most {} are read", bytes, most);
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_input({file, 0, 0}, "the file cannot be read");
    std::string text;
    if (!failed) text.reserve(bytes);
    std::vector<char> piece(1 << 16);
    while (in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > most) fail_input({file, 0, 0}, "has more than {} bytes", most);
    }
    if (in.bad()) fail_input({file, 0, 0}, "the file cannot be read");
    return text;
}

InputFile::InputFile(const std::string& file, std::uint64_t most) {
    refuse_irregular(file);
    std::error_code failed;
    size_ = std::filesystem::file_size(file, failed);
    if (!failed && size_ > most) fail_input({file, 0, 0}, "has {} bytes; at most {} are read", size_, most);
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (!failed && descriptor_ >= 0) return;
    if (descriptor_ >= 0) ::close(descriptor_);
    fail_input({file, 0, 0}, "the file cannot be read");
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
    std::atomic<bool> whole{true};
    const auto read = [&](std::size_t n) {
        if (!in.read(bytes.get(), n * piece, std::min<std::size_t>(size, (n + 1) * piece))) whole = false;
    };
    const std::size_t pieces = (size + piece - 1) / piece;
    if (pieces <= 1) {
        if (pieces == 1) read(0);
    } else {
        ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
        pool.parallel_for(pieces, read);
    }
    if (!whole) fail_input({file, 0, 0}, "the file cannot be read, or others write to it");
    return {bytes, {bytes.get(), size}};
}

}  // namespace tt
