#include "base/command_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace ttsim::impl {

namespace fs = std::filesystem;

namespace {

using FileId = std::pair<dev_t, ino_t>;

struct Command {
    std::set<FileId> inputs;
    bool force = false;
};

Command& command() {
    static Command instance;
    return instance;
}

std::optional<FileId> id_of(const fs::path& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return std::nullopt;
    return FileId{found.st_dev, found.st_ino};
}

bool is_registered(const fs::path& path) {
    const auto id = id_of(path);
    return id && command().inputs.contains(*id);
}

/// Whether the file is registered, or belongs to a registered folder at most two levels above it.
bool is_input(const fs::path& path) {
    if (is_registered(path)) return true;
    std::error_code failed;
    const fs::path resolved = fs::canonical(path, failed);
    fs::path parent = resolved.parent_path();
    for (int level = 0; !failed && level < 2 && parent.has_relative_path(); ++level, parent = parent.parent_path())
        if (is_registered(parent) && is_folder_part(parent.string(), resolved.lexically_relative(parent).string()))
            return true;
    return false;
}

bool holds_input(const fs::path& folder) {
    if (is_registered(folder)) return true;
    std::error_code failed;
    fs::recursive_directory_iterator at(folder, failed), end;
    for (; !failed && at != end; at.increment(failed))
        if (is_registered(at->path())) return true;
    return false;
}

}  // namespace

void register_input(const std::string& path) {
    if (const auto id = id_of(path)) command().inputs.insert(*id);
}

void force_outputs(bool force) { command().force = force; }

void reset_command() { command() = {}; }

void check_replaceable(const std::string& path, FileKind kind) {
    std::error_code ignored;
    if (command().force || !fs::is_regular_file(path, ignored)) return;
    if (is_input(path))
        fail_input({path, 0, 0}, "is an input of this command; name another file for the result, or add --force");
    if (!looks_like(path, kind))
        fail_input({path, 0, 0}, "exists and is not {}; it is left as it is (--force replaces it)", to_string(kind));
}

void check_replaceable(const std::string& path, const FolderKind& kind) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return;
    if (!fs::is_directory(path, ignored)) fail_input({path, 0, 0}, "it is a file; a folder is wanted for the result");
    if (fs::equivalent(path, fs::current_path(ignored), ignored))
        fail_input({path, 0, 0}, "it is the folder you are in; name another for the result");
    if (!command().force && holds_input(path))
        fail_input({path, 0, 0}, "holds inputs of this command; name another folder for the result, or add --force");
    const bool of_kind = std::all_of(kind.marks.begin(), kind.marks.end(),
                                     [&](std::string_view mark) { return fs::exists(fs::path(path) / mark, ignored); });
    if (of_kind && command().force) return;
    if (const std::string mismatch = folder_mismatch(path, kind); !mismatch.empty())
        fail_input({path, 0, 0}, "the folder holds something else than {}: {}; it is left as it is{}", kind.name,
                   mismatch, of_kind ? " (--force replaces it)" : "");
}

}  // namespace ttsim::impl
