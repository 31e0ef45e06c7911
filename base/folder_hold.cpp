#include "base/folder_hold.hpp"

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

/// What this process holds. A child that was forked holds it with its parent, and counts as another process.
struct Held {
    std::mutex mutex;
    pid_t process = 0;
    std::map<FolderId, std::weak_ptr<const FolderHold>> folders;
};

Held& held() {
    static Held one;
    return one;
}

FolderHoldPtr held_here(const FolderId& id) {
    Held& all = held();
    const std::scoped_lock lock(all.mutex);
    const auto found = all.folders.find(id);
    return all.process != ::getpid() || found == all.folders.end() ? nullptr : found->second.lock();
}

void note_held(const FolderId& id, const FolderHoldPtr& hold) {
    Held& all = held();
    const std::scoped_lock lock(all.mutex);
    if (all.process != ::getpid()) all.folders.clear();
    all.process = ::getpid();
    std::erase_if(all.folders, [](const auto& one) { return one.second.expired(); });
    all.folders[id] = hold;
}

int open_folder(const std::string& folder) { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

/// Whether it was locked; so it counts where the file system has no locks.
bool lock(int descriptor, int how) {
    while (::flock(descriptor, how) != 0)
        if (errno != EINTR) return errno != EWOULDBLOCK;
    return true;
}

bool same(int descriptor, const std::string& folder, FolderId& id) {
    struct stat opened {
    }, named{};
    if (::fstat(descriptor, &opened) != 0 || ::stat(folder.c_str(), &named) != 0) return false;
    id = {opened.st_dev, opened.st_ino};
    return id == FolderId{named.st_dev, named.st_ino};
}

}  // namespace

FolderHold::FolderHold(int descriptor) : descriptor_(descriptor) {}
FolderHold::~FolderHold() { ::close(descriptor_); }
std::string FolderHold::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

FolderHoldPtr hold_folder(const std::string& folder) {
    for (;;) {
        const int descriptor = open_folder(folder);
        if (descriptor < 0) return nullptr;
        auto hold = std::make_shared<const FolderHold>(descriptor);
        FolderId id;
        if (same(descriptor, folder, id))
            if (FolderHoldPtr own = held_here(id)) return own;
        (void)lock(descriptor, LOCK_SH);
        if (!same(descriptor, folder, id)) continue;  // it was replaced while this waited
        note_held(id, hold);
        return hold;
    }
}

FolderAlone::~FolderAlone() {
    if (own_)
        (void)lock(descriptor_, LOCK_SH);
    else
        ::close(descriptor_);
}

std::unique_ptr<FolderAlone> hold_alone(const std::string& folder, std::chrono::milliseconds wait) {
    const auto end = std::chrono::steady_clock::now() + wait;
    int descriptor = open_folder(folder);
    FolderId id;
    if (descriptor < 0) return nullptr;
    FolderHoldPtr own = same(descriptor, folder, id) ? held_here(id) : nullptr;
    if (own) {
        ::close(descriptor);
        descriptor = own->descriptor();
    }
    while (!lock(descriptor, LOCK_EX | LOCK_NB)) {
        if (own) (void)lock(descriptor, LOCK_SH);  // a lock that could not be changed is lost
        if (std::chrono::steady_clock::now() >= end) {
            if (!own) ::close(descriptor);
            return nullptr;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return std::make_unique<FolderAlone>(descriptor, std::move(own));
}

FolderHoldPtr hold_place_of(const std::string& path) {
    const fs::path above = fs::path(path).parent_path();
    const int descriptor = open_folder(above.empty() ? "." : above.string());
    if (descriptor < 0) return nullptr;
    // A process that is forked meanwhile has the descriptor too, so that closing it here would not end the lock.
    const auto release = [process = ::getpid()](const FolderHold* hold) {
        if (::getpid() == process) (void)lock(hold->descriptor(), LOCK_UN);
        delete hold;
    };
    FolderHoldPtr hold(new FolderHold(descriptor), release);
    (void)lock(descriptor, LOCK_EX);
    return hold;
}

}  // namespace ttsim::impl
