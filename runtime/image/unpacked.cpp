// Unpacks images to folders, and packs them again.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/error.hpp"
#include "base/folder_lock.hpp"
#include "base/new_file.hpp"
#include "base/read_file.hpp"
#include "base/sha256.hpp"
#include "runtime/image/image.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::image {

namespace {

void write_bytes(const fs::path& file, std::string_view bytes) {
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    if (failed) fail_input({file.string(), 0, 0}, "cannot make the folder: {}", failed.message());
    write_new_file(file.string(), FileKind::Text,
                   [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

/// Whether the same image is unpacked there, ignoring files added by runs.
bool is_unpacked(const Members& members, const fs::path& top) {
    return std::all_of(members.bytes.begin(), members.bytes.end(), [&](const auto& member) {
        const std::string file = (top / member.first).string();
        std::error_code failed;
        return fs::file_size(file, failed) == member.second.size() && !failed &&
               read_file(file, member.second.size()) == member.second.view();
    });
}

void write_members(const Members& members, const fs::path& top, const std::string& path) {
    for (const auto& [name, bytes] : members.bytes) write_bytes(top / name, bytes);
    for (const std::string& name : members.folders) {
        std::error_code failed;
        fs::create_directories(top / name, failed);
        if (failed)
            fail_input({(fs::path(path) / name).string(), 0, 0}, "cannot make the folder: {}", failed.message());
    }
}

}  // namespace

FolderLockPtr extract_image(const std::string& file, const std::string& path) {
    const Members members = read_archive(file);
    (void)read_own_part(members);
    if (!members.has(record_file))
        fail_input({members.place(record_file), 0, 0}, "it is not a device image: {} is missing", record_file);
    fs::path named(path);
    while (!named.has_filename() && named.has_parent_path()) named = named.parent_path();  // "open/"
    std::error_code failed;
    const fs::path target = followed(named.string());
    if (target.has_parent_path())
        fs::create_directories(target.parent_path(), failed);  // otherwise NewFolder reports the error
    const FolderLockPtr parent_lock = lock_parent_folder(target.string());
    const fs::path top = named / image_folder;
    std::unique_ptr<ExclusiveFolderLock> exclusive_lock =
        lock_folder_exclusively(top.string(), std::chrono::milliseconds(0));
    if (!exclusive_lock && fs::is_directory(top, failed)) {
        if (is_unpacked(members, top)) return lock_folder(top.string());
        constexpr std::chrono::seconds max_wait{10};  // readers of an image finish within this time
        exclusive_lock = lock_folder_exclusively(top.string(), max_wait);
        if (!exclusive_lock)
            fail_input({path, 0, 0},
                       "other processes use the image that is unpacked there; unpack this one into another folder");
    }
    NewFolder folder(path, unpacked_folder());
    const fs::path content = fs::path(folder.temporary()) / image_folder;
    write_members(members, content, path);
    write_bytes(content / archive_checksum_file, sha256_of_file(file) + "\n");
    FolderLockPtr lock = lock_folder(content.string());
    folder.commit();
    return lock;
}

void pack_image(const std::string& folder, const std::string& file) {
    Members members = read_tree(folder);
    members.bytes.erase(archive_checksum_file);
    update_checksums(members);
    (void)read_image(members);
    ArchiveWriter archive(file);
    for (const std::string& name : members.folders) archive.add_folder(name);
    for (const auto& [name, bytes] : members.bytes) archive.add(name, bytes);
    archive.commit();
}

}  // namespace ttsim::impl::image
