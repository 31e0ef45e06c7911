// Checks and reads input files.
#pragma once

#include <cstdint>
#include <string>

#include "base/shared_bytes.hpp"

namespace ttsim::impl {

/// Throws Error(Input) if the path does not exist or cannot be reached. The message suggests the most similar name.
void require_path(const std::string& path);
/// As require_path(), and the path must be a regular file that this user may read. Devices and pipes are refused
/// because they may never end.
void require_file(const std::string& file);
/// As require_path(), and the path must be a folder.
void require_folder(const std::string& folder);
/// The contents. Throws as require_file() does, and if the file has more than `most` bytes.
std::string read_file(const std::string& file, std::uint64_t most);
/// An open file for random access. Throws as read_file() does.
class InputFile {
public:
    InputFile(const std::string& file, std::uint64_t most);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    int descriptor() const { return descriptor_; }
    std::uint64_t size() const { return size_; }  ///< bytes
    /// Reads [from, to) to the same offsets of `at`; false if the file is too short.
    bool read(char* at, std::size_t from, std::size_t to) const { return read_at(at + from, from, to - from); }
    /// Reads `bytes` bytes at an offset; false if the file is too short.
    bool read_at(char* at, std::uint64_t offset, std::size_t bytes) const;

private:
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};
/// As read_file(), for large files: reads on several threads into uninitialized memory.
SharedBytes read_bytes(const std::string& file, std::uint64_t most);

}  // namespace ttsim::impl
