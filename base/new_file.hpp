// A file that appears whole or not at all: it is written under a temporary name beside its own and renamed at the end.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace tt {

class NewFile {
public:
    /// Makes the empty temporary file. Throws Error(Input) when `path` could not be written: a folder, a file without
    /// write permission, a folder that is missing or full, something that is no regular file.
    explicit NewFile(std::string path);
    /// Takes the temporary file away unless commit() succeeded.
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    const std::string& path() const { return path_; }
    const std::string& temporary() const { return temporary_; }
    /// Gives the file its usual permissions and its name. Throws Error(Input); the old file is then as it was.
    void commit();

private:
    std::string path_, temporary_;
    bool committed_ = false;
};

/// Writes the whole file through a stream. Throws what `write` throws and Error(Input) where the file cannot be
/// written.
void write_new_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Throws Error(Input): "path: error: cannot be written: No space left on device".
[[noreturn]] void fail_write(const std::string& path, int error);

}  // namespace tt
