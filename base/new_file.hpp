// Atomic creation of files and folders: written under a temporary name in the same folder and renamed at the end. The
// contents are flushed to disk before the rename, so a power failure leaves the old or the new version. Only a file of
// the same kind is replaced, and never an input of the command (base/command_files.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "base/file_kind.hpp"
#include "base/temporaries.hpp"

namespace ttsim::impl {

/// Follows all symbolic links of a path, which need not exist. Throws Error(Input) at a link that belongs to another
/// user.
std::string followed(const std::string& path);

/// Whether a new file must survive a power failure (flushed to disk). Files rewritten every second need not.
enum class Durability : std::uint8_t { Yes, No };
/// Whether a symbolic link of that owner is followed: only links of the user and of root (user 0).
bool may_follow(std::uint32_t owner_of_link, std::uint32_t user);

class NewFile {
public:
    /// Creates the empty temporary file. Throws Error(Input) if `path` cannot be written: it is a folder, lacks write
    /// permission, is not a regular file, is of another kind, is an input, or its folder is missing or full.
    NewFile(std::string path, FileKind kind);
    /// Removes the temporary file unless commit() succeeded.
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    const std::string& path() const { return path_; }
    const std::string& temporary() const { return temporary_; }
    /// Sets the default permissions and renames the file. On failure throws Error(Input) and leaves the old file
    /// unchanged.
    void commit(Durability lasting = Durability::Yes);

private:
    std::string path_, target_, temporary_;
    std::optional<Temporary> registered_;
    bool committed_ = false;
};

class NewFolder {
public:
    /// Creates the empty temporary folder and missing parent folders. Throws Error(Input) as NewFile does.
    NewFolder(std::string path, const FolderKind& kind);
    /// Removes the temporary folder and the parent folders created for it, unless commit() succeeded.
    ~NewFolder();
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;

    /// Files written here are in the folder after commit().
    const std::string& temporary() const { return temporary_; }
    /// Replaces the old folder. On failure throws Error(Input) and leaves the old folder unchanged.
    void commit();

private:
    void rename_into_place();

    std::string path_, target_, temporary_, created_parent_;
    std::optional<Temporary> registered_;
};

/// Writes a file through a stream. Throws what `write` throws, and Error(Input) if the file cannot be written.
void write_new_file(const std::string& path, FileKind kind, const std::function<void(std::ostream&)>& write,
                    Durability lasting = Durability::Yes);

/// Throws Error(Input): "path: error: cannot be written: No space left on device".
[[noreturn]] void fail_write(const std::string& path, int error);

}  // namespace ttsim::impl
