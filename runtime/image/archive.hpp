// The archive of a device image: members below one folder, `unzipped_tti/`. Written as a plain tar; read as a tar, also
// a compressed one, or as a zip. Images come from anywhere: what could leave the folder or fill the memory is refused.
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
    std::vector<std::string> folders;  ///< those that are members themselves
    bool unpacked = false;             ///< they lie in a folder

    std::string place(const std::string& name) const override { return file + "/" + name; }
    bool has(const std::string& name) const override { return bytes.contains(name); }
    SharedBytes read(const std::string& name, std::uint64_t most) const override;
};

/// Throws Error(Input) at the archive or the member: no archive, or one that is cut off or damaged; a link or device;
/// more bytes than most_unpacked(). So does a name that is absolute, leaves the folder or comes twice, however it is
/// written.
Members read_archive(const std::string& file);
/// Of a folder into which an image was unpacked: its `unzipped_tti/`, or that itself, as it is at one moment, while
/// other processes may unpack there (base/folder_hold.hpp). Throws Error(Input) for links and devices.
Members read_tree(const std::string& folder);

/// So much an archive of that many bytes may hold: 32 MiB and ten times its size. Plain tars hold less than they have
/// bytes themselves.
std::uint64_t most_unpacked(std::uint64_t archive_bytes);

/// A new archive that appears whole. The same members in the same order give the same bytes.
class ArchiveWriter {
public:
    /// Throws Error(Input) as NewFile does.
    explicit ArchiveWriter(const std::string& file);
    ~ArchiveWriter();
    ArchiveWriter(const ArchiveWriter&) = delete;
    ArchiveWriter& operator=(const ArchiveWriter&) = delete;

    /// Names are those below `unzipped_tti/`. Throws Error(Input) when it cannot be written.
    void add(const std::string& name, std::string_view bytes);
    void add_folder(const std::string& name);
    void commit();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl::image
