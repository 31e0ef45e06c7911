// The archive of a device image: members below one folder, `unzipped_tti/`. Written as a plain tar; read as a tar, a
// compressed tar, or a zip. Images are untrusted: members that leave the folder or exceed memory limits are refused.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_set.hpp"
#include "base/shared_bytes.hpp"

namespace ttsim::impl::image {

inline constexpr const char* image_folder = "unzipped_tti";

/// The members of an image in memory, by their names below `unzipped_tti/`.
struct Members final : FileSet {
    std::string file;  ///< archive or folder, for messages
    std::map<std::string, SharedBytes> bytes;
    std::vector<std::string> folders;  ///< folders that are members themselves
    bool unpacked = false;             ///< the members are in a folder

    std::string place(const std::string& name) const override { return file + "/" + name; }
    bool has(const std::string& name) const override { return bytes.contains(name); }
    SharedBytes read(const std::string& name, std::uint64_t most) const override;
};

/// Throws Error(Input) at the archive or the member if it is not an archive, truncated or damaged, contains links or
/// devices, or has more than max_unpacked_bytes() bytes. Also for names that are absolute, leave the folder or are
/// duplicates after normalization.
Members read_archive(const std::string& file);
/// Reads an unpacked image: the `unzipped_tti/` of a folder, or that folder itself. Consistent even if other processes
/// unpack there meanwhile (base/folder_lock.hpp). Throws Error(Input) for links and devices.
Members read_tree(const std::string& folder);

/// Maximum unpacked bytes of an archive: 32 MiB plus ten times its size. The members of plain tars are always smaller
/// than the tar.
std::uint64_t max_unpacked_bytes(std::uint64_t archive_bytes);

/// Writes a new archive atomically. The same members in the same order give the same bytes.
class ArchiveWriter {
public:
    /// Throws Error(Input) as NewFile does.
    explicit ArchiveWriter(const std::string& file);
    ~ArchiveWriter();
    ArchiveWriter(const ArchiveWriter&) = delete;
    ArchiveWriter& operator=(const ArchiveWriter&) = delete;

    /// Names are relative to `unzipped_tti/`. Throws Error(Input) if it cannot be written.
    void add(const std::string& name, std::string_view bytes);
    void add_folder(const std::string& name);
    void commit();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl::image
