// Locks for folders that several processes use: readers share the lock, a writer that replaces the folder locks it
// exclusively. So nothing is deleted while it is read. Uses flock; on file systems without locks nobody waits.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace ttsim::impl {

/// A shared lock on a folder. It refers to the folder itself, not to its name: a folder renamed into its place later is
/// a different one.
class FolderLock {
public:
    explicit FolderLock(int descriptor);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

    int descriptor() const { return descriptor_; }
    /// A path to the locked folder, even if its name now belongs to another one.
    std::string path() const;

private:
    int descriptor_;
};
using FolderLockPtr = std::shared_ptr<const FolderLock>;

/// Locks a folder for reading. Waits while another process has it exclusively. Null: the folder does not exist.
FolderLockPtr lock_folder(const std::string& folder);

/// An exclusive lock on a folder, needed to replace it.
class ExclusiveFolderLock {
public:
    /// `own`: a shared lock of this process that was upgraded and is downgraded at the end; or null.
    ExclusiveFolderLock(int descriptor, FolderLockPtr own) : descriptor_(descriptor), own_(std::move(own)) {}
    ~ExclusiveFolderLock();
    ExclusiveFolderLock(const ExclusiveFolderLock&) = delete;
    ExclusiveFolderLock& operator=(const ExclusiveFolderLock&) = delete;

private:
    int descriptor_;
    FolderLockPtr own_;
};
/// Null: the folder does not exist, or other processes held it for longer than `wait`. Shared locks of this process do
/// not count.
std::unique_ptr<ExclusiveFolderLock> lock_folder_exclusively(const std::string& folder, std::chrono::milliseconds wait);

/// Locks the parent folder of `path`, so that one process at a time creates or replaces folders there. Waits; null if
/// it cannot be locked.
FolderLockPtr lock_parent_folder(const std::string& path);

}  // namespace ttsim::impl
