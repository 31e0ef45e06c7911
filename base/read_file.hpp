// Whole input files as text.
#pragma once

#include <cstdint>
#include <string>

#include "base/shared_bytes.hpp"

namespace tt {

/// Throws Error(Input) when it is a folder, or a device or pipe: such never end, or never begin. Says nothing of a file
/// that is not there.
void refuse_irregular(const std::string& file);
/// Throws Error(Input) when there is no such file, it is no regular file, cannot be read, or has more bytes than
/// `most`.
std::string read_file(const std::string& file, std::uint64_t most);
/// An open one, for who reads it piece by piece; throws the same.
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

}  // namespace tt
