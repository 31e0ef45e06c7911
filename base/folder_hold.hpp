// Folders that several processes use at once: a reader holds the folder, a writer that replaces it holds it alone, so
// that nothing is deleted under a reader. Locks of the file system (flock); where it has none, nobody waits.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace ttsim::impl {

/// A folder in use, as it is now: what is renamed into its place later is another one.
class FolderHold {
public:
    explicit FolderHold(int descriptor);
    ~FolderHold();
    FolderHold(const FolderHold&) = delete;
    FolderHold& operator=(const FolderHold&) = delete;

    int descriptor() const { return descriptor_; }
    /// A path to this very folder, whatever has its name meanwhile.
    std::string path() const;

private:
    int descriptor_;
};
using FolderHoldPtr = std::shared_ptr<const FolderHold>;

/// Waits for a process that has it alone. Null: there is no such folder.
FolderHoldPtr hold_folder(const std::string& folder);

/// The right to replace a folder.
class FolderAlone {
public:
    /// `own`: a hold of this process that was made the only one, and is an ordinary one again at the end; or null.
    FolderAlone(int descriptor, FolderHoldPtr own) : descriptor_(descriptor), own_(std::move(own)) {}
    ~FolderAlone();
    FolderAlone(const FolderAlone&) = delete;
    FolderAlone& operator=(const FolderAlone&) = delete;

private:
    int descriptor_;
    FolderHoldPtr own_;
};
/// Null: other processes hold the folder, for longer than `wait`, or there is none. Holds of this process do not count.
std::unique_ptr<FolderAlone> hold_alone(const std::string& folder, std::chrono::milliseconds wait);

/// One process at a time makes or replaces the folders that lie where `path` does. Waits; null where that place cannot
/// be locked.
FolderHoldPtr hold_place_of(const std::string& path);

}  // namespace ttsim::impl
