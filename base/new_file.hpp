// A file or folder that appears whole or not at all: it is made under a temporary name beside its own and renamed at
// the end. What it holds is on the disk before it has its name, so that a power cut leaves the old one or the new one.
// It replaces its own kind only, and no input of the command (base/command_files.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "base/file_kind.hpp"
#include "base/temporaries.hpp"

namespace ttsim::impl {

/// Where a name leads when all symlinks are followed, also when nothing is there yet. Throws Error(Input) at a link
/// that belongs to another user.
std::string followed(const std::string& path);

/// Whether a new file must outlast a power cut. What is written anew every second does not, and waits for no disk.
enum class Lasting : std::uint8_t { Yes, No };
/// Whether a link of that owner is followed: only one's own and those of the system's administrator (user 0).
bool may_follow(std::uint32_t owner_of_link, std::uint32_t user);

class NewFile {
public:
    /// Makes the empty temporary file. Throws Error(Input) when `path` could not be written: a folder, a file without
    /// write permission, a folder that is missing or full, something that is no regular file, a file of another kind
    /// or an input.
    NewFile(std::string path, FileKind kind);
    /// Takes the temporary file away unless commit() succeeded.
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    const std::string& path() const { return path_; }
    const std::string& temporary() const { return temporary_; }
    /// Gives the file its usual permissions and its name. Throws Error(Input); the old file is then as it was.
    void commit(Lasting lasting = Lasting::Yes);

private:
    std::string path_, target_, temporary_;
    std::optional<Temporary> registered_;
    bool committed_ = false;
};

class NewFolder {
public:
    /// Makes the empty temporary folder, and the folders above. Throws Error(Input) as NewFile does.
    NewFolder(std::string path, const FolderKind& kind);
    /// Takes the temporary folder away unless commit() succeeded, and folders above that were made for it.
    ~NewFolder();
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;

    /// What is put here is in the folder after commit().
    const std::string& temporary() const { return temporary_; }
    /// Puts it in the place of the old one. Throws Error(Input); the old folder is then as it was.
    void commit();

private:
    void take_name();

    std::string path_, target_, temporary_, made_above_;
    std::optional<Temporary> registered_;
};

/// Writes the whole file through a stream. Throws what `write` throws and Error(Input) where the file cannot be
/// written.
void write_new_file(const std::string& path, FileKind kind, const std::function<void(std::ostream&)>& write,
                    Lasting lasting = Lasting::Yes);

/// Throws Error(Input): "path: error: cannot be written: No space left on device".
[[noreturn]] void fail_write(const std::string& path, int error);

}  // namespace ttsim::impl
