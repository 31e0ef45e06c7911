#include "base/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/command_files.hpp"
#include "base/error.hpp"

namespace tt {

namespace fs = std::filesystem;

void fail_write(const std::string& path, int error) {
    fail_input({path, 0, 0}, "cannot be written: {}", std::strerror(error));
}

bool may_follow(std::uint32_t owner_of_link, std::uint32_t user) { return owner_of_link == user || owner_of_link == 0; }

/// Whether anybody can lay links into a folder: /tmp.
static bool is_open_to_all(const fs::path& folder) {
    struct stat found {};
    return ::stat(folder.empty() ? "." : folder.c_str(), &found) == 0 && (found.st_mode & S_IWOTH) != 0;
}

/// A link of another user leads to what that user chose. A result is written through none, and on the way to its folder
/// through none that anybody could have laid.
static void refuse_links_of_others(const std::string& path, const fs::path& target) {
    fs::path at;
    for (const fs::path& part : target) {
        const fs::path above = at;
        at /= part;
        struct stat found {};
        if (::lstat(at.c_str(), &found) != 0 || !S_ISLNK(found.st_mode) || may_follow(found.st_uid, ::geteuid()))
            continue;
        if (at == target || is_open_to_all(above))
            fail_input({path, 0, 0},
                       "cannot be written: '{}' is a symbolic link of another user; name another file for the result",
                       at.string());
    }
}

static mode_t usual_permissions(mode_t all) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return all & ~mask;
}

std::string followed(const std::string& path) {
    std::error_code failed;
    fs::path at(path);
    for (int links = 0; links < 40 && fs::is_symlink(at, failed); ++links) {
        refuse_links_of_others(path, at);
        const fs::path next = fs::read_symlink(at, failed);
        if (failed) break;
        at = at.parent_path() / next;  // an absolute `next` stands for itself
    }
    refuse_links_of_others(path, at);
    return at.string();
}

static std::string beside(const fs::path& target) {
    constexpr std::size_t longest = 200;  // names have at most 255 bytes
    return (target.parent_path() / ("." + target.filename().string().substr(0, longest) + ".XXXXXX")).string();
}

NewFile::NewFile(std::string path, FileKind kind) : path_(std::move(path)), target_(followed(path_)) {
    std::error_code ignored;
    const fs::file_status status = fs::status(target_, ignored);
    if (fs::is_directory(status)) fail_write(path_, EISDIR);
    if (fs::exists(status)) {
        if (!fs::is_regular_file(status)) fail_input({path_, 0, 0}, "cannot be written: it is no regular file");
        if (::access(target_.c_str(), W_OK) != 0) fail_write(path_, errno);
        check_replaceable(path_, kind);
    }
    temporary_ = beside(target_);
    const int descriptor = ::mkstemp(temporary_.data());
    if (descriptor < 0) fail_write(path_, errno);
    registered_.emplace(temporary_);
    ::close(descriptor);
}

NewFile::~NewFile() {
    if (!committed_) ::unlink(temporary_.c_str());
}

void NewFile::commit() {
    if (::chmod(temporary_.c_str(), usual_permissions(0666)) != 0) fail_write(path_, errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(path_, errno);
    registered_.reset();
    committed_ = true;
}

/// The highest of the missing folders on the way to `folder`, "" when it is there.
static fs::path first_missing(const fs::path& folder) {
    std::error_code ignored;
    fs::path missing;
    for (fs::path at = folder; !at.empty() && !fs::exists(at, ignored); at = at.parent_path()) {
        missing = at;
        if (at == at.parent_path()) break;
    }
    return missing;
}

NewFolder::NewFolder(std::string path, const FolderKind& kind) : path_(std::move(path)) {
    fs::path target(path_);
    while (!target.has_filename() && target.has_parent_path()) target = target.parent_path();  // "out/"
    check_replaceable(target.string(), kind);
    target_ = followed(target.string());
    if (::access(target_.c_str(), F_OK) == 0 && ::access(target_.c_str(), W_OK) != 0) fail_write(path_, errno);
    std::error_code failed;
    const fs::path above = fs::path(target_).parent_path();
    made_above_ = first_missing(above).string();
    if (!above.empty()) fs::create_directories(above, failed);
    if (failed) fail_input({path_, 0, 0}, "the folder cannot be made: {}", failed.message());
    temporary_ = beside(target_);
    if (!::mkdtemp(temporary_.data())) fail_input({path_, 0, 0}, "the folder cannot be made: {}", std::strerror(errno));
    registered_.emplace(temporary_);
}

NewFolder::~NewFolder() {
    std::error_code ignored;
    if (!registered_) return;
    fs::remove_all(temporary_, ignored);
    // from the folder above the result up to the first that was made for it, as long as they are empty
    fs::path at = fs::path(target_).parent_path();
    while (!made_above_.empty() && fs::remove(at, ignored) && at != made_above_) at = at.parent_path();
}

void NewFolder::commit() {
    if (::chmod(temporary_.c_str(), usual_permissions(0777)) != 0) fail_write(path_, errno);
    std::error_code failed;
    if (!fs::exists(target_, failed)) {
        if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(path_, errno);
        return registered_.reset();
    }
    // At no moment is there neither the old folder nor the new one, where the file system can swap them.
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
        fs::remove_all(temporary_, failed);
        return registered_.reset();
    }
    const std::string old = temporary_ + ".old";
    if (::rename(target_.c_str(), old.c_str()) != 0) fail_write(path_, errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        const int error = errno;
        ::rename(old.c_str(), target_.c_str());
        fail_write(path_, error);
    }
    fs::remove_all(old, failed);
    registered_.reset();
}

void write_new_file(const std::string& path, FileKind kind, const std::function<void(std::ostream&)>& write) {
    NewFile file(path, kind);
    errno = 0;
    std::ofstream out(file.temporary(), std::ios::binary | std::ios::trunc);
    write(out);
    out.close();
    if (!out) fail_write(path, errno == 0 ? EIO : errno);
    file.commit();
}

}  // namespace tt
