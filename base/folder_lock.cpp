#include "base/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace ttsim::impl {

namespace fs = std::filesystem;

namespace {

using FolderId = std::pair<dev_t, ino_t>;

/// Locks held by this process. A forked child shares the locks of its parent but counts as another process.
struct HeldLocks {
    std::mutex mutex;
    pid_t process = 0;
    std::map<FolderId, std::weak_ptr<const FolderLock>> folders;
};

HeldLocks& held() {
    static HeldLocks instance;
    return instance;
}

FolderLockPtr held_here(const FolderId& id) {
    HeldLocks& all = held();
    const std::scoped_lock lock(all.mutex);
    const auto found = all.folders.find(id);
    return all.process != ::getpid() || found == all.folders.end() ? nullptr : found->second.lock();
}

void note_held(const FolderId& id, const FolderLockPtr& hold) {
    HeldLocks& all = held();
    const std::scoped_lock lock(all.mutex);
    if (all.process != ::getpid()) all.folders.clear();
    all.process = ::getpid();
    std::erase_if(all.folders, [](const auto& entry) { return entry.second.expired(); });
    all.folders[id] = hold;
}

int open_folder(const std::string& folder) { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

/// True if the lock was acquired, or if the file system has no locks.
bool lock(int descriptor, int operation) {
    while (::flock(descriptor, operation) != 0)
        if (errno != EINTR) return errno != EWOULDBLOCK;
    return true;
}

bool is_same_folder(int descriptor, const std::string& folder, FolderId& id) {
    struct stat opened {
    }, named{};
    if (::fstat(descriptor, &opened) != 0 || ::stat(folder.c_str(), &named) != 0) return false;
    id = {opened.st_dev, opened.st_ino};
    return id == FolderId{named.st_dev, named.st_ino};
}

}  // namespace

FolderLock::FolderLock(int descriptor) : descriptor_(descriptor) {}
FolderLock::~FolderLock() { ::close(descriptor_); }
std::string FolderLock::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

FolderLockPtr lock_folder(const std::string& folder) {
    for (;;) {
        const int descriptor = open_folder(folder);
        if (descriptor < 0) return nullptr;
        auto hold = std::make_shared<const FolderLock>(descriptor);
        FolderId id;
        if (is_same_folder(descriptor, folder, id))
            if (FolderLockPtr own = held_here(id)) return own;
        (void)lock(descriptor, LOCK_SH);
        if (!is_same_folder(descriptor, folder, id)) continue;  // replaced in the meantime
        note_held(id, hold);
        return hold;
    }
}

ExclusiveFolderLock::~ExclusiveFolderLock() {
    if (own_)
        (void)lock(descriptor_, LOCK_SH);
    else
        ::close(descriptor_);
}

std::unique_ptr<ExclusiveFolderLock> lock_folder_exclusively(const std::string& folder,
                                                             std::chrono::milliseconds wait) {
    const auto end = std::chrono::steady_clock::now() + wait;
    int descriptor = open_folder(folder);
    FolderId id;
    if (descriptor < 0) return nullptr;
    FolderLockPtr own = is_same_folder(descriptor, folder, id) ? held_here(id) : nullptr;
    if (own) {
        ::close(descriptor);
        descriptor = own->descriptor();
    }
    while (!lock(descriptor, LOCK_EX | LOCK_NB)) {
        if (own) (void)lock(descriptor, LOCK_SH);  // a failed upgrade drops the shared lock
        if (std::chrono::steady_clock::now() >= end) {
            if (!own) ::close(descriptor);
            return nullptr;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return std::make_unique<ExclusiveFolderLock>(descriptor, std::move(own));
}

FolderLockPtr lock_parent_folder(const std::string& path) {
    const fs::path parent_folder = fs::path(path).parent_path();
    const int descriptor = open_folder(parent_folder.empty() ? "." : parent_folder.string());
    if (descriptor < 0) return nullptr;
    // A child forked in the meantime inherits the descriptor, so closing it here would not release the lock.
    const auto release = [process = ::getpid()](const FolderLock* hold) {
        if (::getpid() == process) (void)lock(hold->descriptor(), LOCK_UN);
        delete hold;
    };
    FolderLockPtr hold(new FolderLock(descriptor), release);
    (void)lock(descriptor, LOCK_EX);
    return hold;
}

}  // namespace ttsim::impl
