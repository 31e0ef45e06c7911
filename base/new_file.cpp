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
    check_machine_limit(error, path);
    fail_input({path, 0, 0}, "cannot be written: {}{}", std::strerror(error),
               error == EFBIG ? "; the limit of file sizes ('ulimit -f') stops it" : "");
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

/// Waits until a file, or the names in a folder, are on the disk. 0, or the errno of what failed; file systems that
/// have nothing to wait for are no failure.
static int put_on_disk(const std::string& path) {
    const int descriptor = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const bool failed = ::fsync(descriptor) != 0;
    const int error = errno;
    ::close(descriptor);
    return failed && error != EINVAL && error != EROFS && error != ENOTSUP ? error : 0;
}

/// The new name. What it names is on the disk already, and is whole even where the name is lost: no failure.
static void put_name_on_disk(const std::string& target) { (void)put_on_disk(fs::path(target).parent_path().string()); }

/// The new folders that have no name yet: they put all on the disk at once that lies in them.
class FoldersInTheMaking {
public:
    void add(const std::string& path) {
        const std::lock_guard lock(guard_);
        paths_.insert(path);
    }
    void remove(const std::string& path) {
        const std::lock_guard lock(guard_);
        paths_.erase(path);
    }
    bool hold(const std::string& file) {
        const std::lock_guard lock(guard_);
        return std::any_of(paths_.begin(), paths_.end(),
                           [&](const std::string& path) { return file.starts_with(path + "/"); });
    }

private:
    std::mutex guard_;
    std::set<std::string> paths_;
};

static FoldersInTheMaking& folders_in_the_making() {
    static FoldersInTheMaking all;
    return all;
}

void NewFile::commit(Lasting lasting) {
    if (folders_in_the_making().hold(target_)) lasting = Lasting::No;
    if (::chmod(temporary_.c_str(), usual_permissions(0666)) != 0) fail_write(path_, errno);
    if (lasting == Lasting::Yes)
        if (const int error = put_on_disk(temporary_); error != 0) fail_write(path_, error);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(path_, errno);
    registered_.reset();
    committed_ = true;
    if (lasting == Lasting::Yes) put_name_on_disk(target_);
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
    // another process may take the folders above away again that it had made for itself
    for (int tries = 0;; ++tries) {
        temporary_ = beside(target_);
        if (::mkdtemp(temporary_.data())) break;
        if (errno != ENOENT || tries == 100)
            fail_input({path_, 0, 0}, "the folder cannot be made: {}", std::strerror(errno));
        if (!above.empty()) fs::create_directories(above, failed);
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
    // from the folder above the result up to the first that was made for it, as long as they are empty
    fs::path at = fs::path(target_).parent_path();
    while (!made_above_.empty() && fs::remove(at, ignored) && at != made_above_) at = at.parent_path();
}

/// All that lies in a folder, and their names.
static void put_tree_on_disk(const std::string& folder, const std::string& shown) {
    std::error_code failed;
    fs::recursive_directory_iterator at(folder, failed), end;
    for (; !failed && at != end; at.increment(failed)) {
        const fs::file_status status = at->symlink_status(failed);
        if (!fs::is_regular_file(status) && !fs::is_directory(status)) continue;
        if (const int error = put_on_disk(at->path().string()); error != 0) fail_write(shown, error);
    }
    if (failed) fail_write(shown, failed.value());
    if (const int error = put_on_disk(folder); error != 0) fail_write(shown, error);
}

void NewFolder::commit() {
    if (::chmod(temporary_.c_str(), usual_permissions(0777)) != 0) fail_write(path_, errno);
    put_tree_on_disk(temporary_, path_);
    take_name();
    put_name_on_disk(target_);
}

void NewFolder::take_name() {
    std::error_code failed;
    if (!fs::exists(target_, failed)) {
        if (::rename(temporary_.c_str(), target_.c_str()) == 0) return registered_.reset();
        if (errno != EEXIST && errno != ENOTEMPTY) fail_write(path_, errno);  // else another process was quicker
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

void write_new_file(const std::string& path, FileKind kind, const std::function<void(std::ostream&)>& write,
                    Lasting lasting) {
    NewFile file(path, kind);
    errno = 0;
    std::ofstream out(file.temporary(), std::ios::binary | std::ios::trunc);
    write(out);
    out.close();
    if (!out) fail_write(path, errno == 0 ? EIO : errno);
    file.commit(lasting);
}

}  // namespace ttsim::impl
