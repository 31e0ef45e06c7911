#include "base/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <set>

#include "base/command_files.hpp"
#include "base/error.hpp"
#include "base/machine_limit.hpp"

namespace ttsim::impl {

namespace fs = std::filesystem;

void fail_write(const std::string& path, int error) {
    check_resource_limit(error, path);
    fail_input({path, 0, 0}, "cannot be written: {}{}", std::strerror(error),
               error == EFBIG ? "; the limit of file sizes ('ulimit -f') stops it" : "");
}

bool may_follow(std::uint32_t owner_of_link, std::uint32_t user) { return owner_of_link == user || owner_of_link == 0; }

/// Whether every user can create links in a folder, as in /tmp.
static bool is_open_to_all(const fs::path& folder) {
    struct stat found {};
    return ::stat(folder.empty() ? "." : folder.c_str(), &found) == 0 && (found.st_mode & S_IWOTH) != 0;
}

/// A symbolic link of another user could redirect a result. The result path must not be such a link, nor may its
/// parents be such links in a world-writable folder.
static void refuse_links_of_others(const std::string& path, const fs::path& target) {
    fs::path at;
    for (const fs::path& part : target) {
        const fs::path parent_folder = at;
        at /= part;
        struct stat found {};
        if (::lstat(at.c_str(), &found) != 0 || !S_ISLNK(found.st_mode) || may_follow(found.st_uid, ::geteuid()))
            continue;
        if (at == target || is_open_to_all(parent_folder))
            fail_input({path, 0, 0},
                       "cannot be written: '{}' is a symbolic link of another user; name another file for the result",
                       at.string());
    }
}

static mode_t default_permissions(mode_t all) {
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
        at = at.parent_path() / next;  // an absolute `next` replaces the parent
    }
    refuse_links_of_others(path, at);
    return at.string();
}

static std::string temporary_pattern(const fs::path& target) {
    constexpr std::size_t max_length = 200;  // names have at most 255 bytes
    return (target.parent_path() / ("." + target.filename().string().substr(0, max_length) + ".XXXXXX")).string();
}

NewFile::NewFile(std::string path, FileKind kind) : path_(std::move(path)), target_(followed(path_)) {
    std::error_code ignored;
    const fs::file_status status = fs::status(target_, ignored);
    if (fs::is_directory(status)) fail_write(path_, EISDIR);
    if (fs::exists(status)) {
        if (!fs::is_regular_file(status)) fail_input({path_, 0, 0}, "cannot be written: it is not a regular file");
        if (::access(target_.c_str(), W_OK) != 0) fail_write(path_, errno);
        check_replaceable(path_, kind);
    }
    temporary_ = temporary_pattern(target_);
    const int descriptor = ::mkstemp(temporary_.data());
    if (descriptor < 0) fail_write(path_, errno);
    registered_.emplace(temporary_);
    ::close(descriptor);
}

NewFile::~NewFile() {
    if (!committed_) ::unlink(temporary_.c_str());
}

/// Flushes a file, or the entries of a folder, to disk. Returns 0 or an errno. File systems without fsync are not an
/// error.
static int sync_to_disk(const std::string& path) {
    const int descriptor = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const bool failed = ::fsync(descriptor) != 0;
    const int error = errno;
    ::close(descriptor);
    return failed && error != EINVAL && error != EROFS && error != ENOTSUP ? error : 0;
}

/// Flushes the new directory entry. Errors are ignored: the contents are on disk already.
static void sync_parent(const std::string& target) { (void)sync_to_disk(fs::path(target).parent_path().string()); }

/// New folders that are not committed yet. Their commit flushes all contained files at once.
class FoldersInTheMaking {
public:
    void add(const std::string& path) {
        const std::lock_guard lock(mutex_);
        paths_.insert(path);
    }
    void remove(const std::string& path) {
        const std::lock_guard lock(mutex_);
        paths_.erase(path);
    }
    bool hold(const std::string& file) {
        const std::lock_guard lock(mutex_);
        return std::any_of(paths_.begin(), paths_.end(),
                           [&](const std::string& path) { return file.starts_with(path + "/"); });
    }

private:
    std::mutex mutex_;
    std::set<std::string> paths_;
};

static FoldersInTheMaking& folders_in_the_making() {
    static FoldersInTheMaking all;
    return all;
}

void NewFile::commit(Durability lasting) {
    if (folders_in_the_making().hold(target_)) lasting = Durability::No;
    if (::chmod(temporary_.c_str(), default_permissions(0666)) != 0) fail_write(path_, errno);
    if (lasting == Durability::Yes)
        if (const int error = sync_to_disk(temporary_); error != 0) fail_write(path_, error);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(path_, errno);
    registered_.reset();
    committed_ = true;
    if (lasting == Durability::Yes) sync_parent(target_);
}

/// The topmost missing folder on the path to `folder`; empty if it exists.
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
    const fs::path parent_folder = fs::path(target_).parent_path();
    created_parent_ = first_missing(parent_folder).string();
    if (!parent_folder.empty()) fs::create_directories(parent_folder, failed);
    if (failed) fail_input({path_, 0, 0}, "the folder cannot be made: {}", failed.message());
    // another process may remove parent folders that it had created
    for (int attempt = 0;; ++attempt) {
        temporary_ = temporary_pattern(target_);
        if (::mkdtemp(temporary_.data())) break;
        if (errno != ENOENT || attempt == 100)
            fail_input({path_, 0, 0}, "the folder cannot be made: {}", std::strerror(errno));
        if (!parent_folder.empty()) fs::create_directories(parent_folder, failed);
    }
    registered_.emplace(temporary_);
    try {
        folders_in_the_making().add(temporary_);
    } catch (const std::bad_alloc&) {
        ::rmdir(temporary_.c_str());
        throw;
    }
}

NewFolder::~NewFolder() {
    std::error_code ignored;
    folders_in_the_making().remove(temporary_);
    if (!registered_) return;
    fs::remove_all(temporary_, ignored);
    // remove the parent folders created for the result, as long as they are empty
    fs::path at = fs::path(target_).parent_path();
    while (!created_parent_.empty() && fs::remove(at, ignored) && at != created_parent_) at = at.parent_path();
}

/// Flushes all files of a folder, and its directory entries.
static void sync_tree(const std::string& folder, const std::string& path_in_messages) {
    std::error_code failed;
    fs::recursive_directory_iterator at(folder, failed), end;
    for (; !failed && at != end; at.increment(failed)) {
        const fs::file_status status = at->symlink_status(failed);
        if (!fs::is_regular_file(status) && !fs::is_directory(status)) continue;
        if (const int error = sync_to_disk(at->path().string()); error != 0) fail_write(path_in_messages, error);
    }
    if (failed) fail_write(path_in_messages, failed.value());
    if (const int error = sync_to_disk(folder); error != 0) fail_write(path_in_messages, error);
}

void NewFolder::commit() {
    if (::chmod(temporary_.c_str(), default_permissions(0777)) != 0) fail_write(path_, errno);
    sync_tree(temporary_, path_);
    rename_into_place();
    sync_parent(target_);
}

void NewFolder::rename_into_place() {
    std::error_code failed;
    if (!fs::exists(target_, failed)) {
        if (::rename(temporary_.c_str(), target_.c_str()) == 0) return registered_.reset();
        if (errno != EEXIST && errno != ENOTEMPTY)
            fail_write(path_, errno);  // otherwise another process created it first
    }
    // If the file system can swap names, either the old or the new folder exists at any time.
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

void write_new_file(const std::string& path, FileKind kind, const std::function<void(std::ostream&)>& write,
                    Durability lasting) {
    NewFile file(path, kind);
    errno = 0;
    std::ofstream out(file.temporary(), std::ios::binary | std::ios::trunc);
    write(out);
    out.close();
    if (!out) fail_write(path, errno == 0 ? EIO : errno);
    file.commit(lasting);
}

}  // namespace ttsim::impl
