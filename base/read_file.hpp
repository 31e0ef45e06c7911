// Input files: whether they can be read, and their contents.
#pragma once

#include <cstdint>
#include <string>

#include "base/shared_bytes.hpp"

namespace ttsim::impl {

/// Throws Error(Input) when there is no such file or folder, with the nearest name beside it, or it cannot be reached.
void require_path(const std::string& path);
/// The same for a regular file that this user may read: no folder, and no device or pipe, which may never end.
void require_file(const std::string& file);
/// The same for a folder.
void require_folder(const std::string& folder);
/// The contents. Throws as require_file() does, and for more bytes than `most`.
std::string read_file(const std::string& file, std::uint64_t most);
/// An open file that is read piece by piece; throws the same.
class InputFile {
public:
    InputFile(const std::string& file, std::uint64_t most);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    int descriptor() const { return descriptor_; }
    std::uint64_t size() const { return size_; }  ///< bytes
    /// Whether all of [from, to) was there.
    bool read(char* at, std::size_t from, std::size_t to) const { return read_at(at + from, from, to - from); }
    /// Whether all of so many bytes from an offset on was there.
    bool read_at(char* at, std::uint64_t offset, std::size_t bytes) const;

private:
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};
/// The same as read_file() for large ones: on several processors, into memory that is not cleared before.
SharedBytes read_bytes(const std::string& file, std::uint64_t most);

}  // namespace ttsim::impl
