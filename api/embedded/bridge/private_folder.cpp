#include "api/embedded/bridge/private_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>

namespace ttsim::impl::bridge {

namespace {

constexpr int open_folder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Opens the folder itself, without following links; empty when it does not exist.
PrivateFolder opened_at(int parent, const std::string& name, const std::string& path) {
    return {Descriptor([&] { return ::openat(parent, name.c_str(), open_folder); }), path};
}

bool is_private(const Descriptor& folder) {
    struct stat found {};
    return folder && ::fstat(folder.get(), &found) == 0 && found.st_uid == ::geteuid() && (found.st_mode & 0077) == 0;
}

/// Whether other users cannot rename or remove its entries.
bool is_safe_above(const Descriptor& folder) {
    struct stat found {};
    if (!folder || ::fstat(folder.get(), &found) != 0) return false;
    const bool of_others = (found.st_mode & 0022) != 0;
    return (found.st_uid == 0 || found.st_uid == ::geteuid()) && (!of_others || (found.st_mode & S_ISVTX) != 0);
}

/// A parent folder of private folders.
struct ParentFolder {
    std::string path;
    bool shared;  ///< with other users
};

std::vector<ParentFolder> folders_above() {
    std::vector<ParentFolder> all;
    const auto add = [&](std::string path, bool shared) {
        const auto same = [&](const ParentFolder& other) { return other.path == path; };
        if (path.starts_with('/') && std::none_of(all.begin(), all.end(), same))
            all.push_back({std::move(path), shared});
    };
    const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
    add(variable("XDG_RUNTIME_DIR"), false);
    add("/run/user/" + std::to_string(::geteuid()), false);  // for processes without XDG_RUNTIME_DIR
    add("/tmp", true);
    add(variable("TMPDIR"), true);
    return all;
}

/// Opens the folder, following links, since $TMPDIR and /tmp may be links.
Descriptor folder_of(const ParentFolder& parent) {
    return Descriptor([&] { return ::open(parent.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
}

std::string own_name(const ParentFolder& parent) {
    return parent.shared ? "ttsim-" + std::to_string(::geteuid()) : "ttsim";
}

/// Calls `take` with the private folders of a parent until it returns true.
bool each_private(const ParentFolder& parent, const std::function<bool(PrivateFolder)>& take) {
    const Descriptor folder = folder_of(parent);
    if (!(parent.shared ? is_safe_above(folder) : is_private(folder))) return false;
    std::vector<std::string> names{own_name(parent)};
    if (parent.shared)
        for (std::string& name : names_in(folder))
            if (name.starts_with(names.front() + "-")) names.push_back(std::move(name));
    for (const std::string& name : names) {
        PrivateFolder found = opened_at(folder.get(), name, parent.path + "/" + name);
        if (is_private(found.descriptor) && take(std::move(found))) return true;
    }
    return false;
}

PrivateFolder made_in(const ParentFolder& parent) {
    const Descriptor folder = folder_of(parent);
    if (!(parent.shared ? is_safe_above(folder) : is_private(folder))) return {};
    const std::string name = own_name(parent), path = parent.path + "/" + name;
    if (::mkdirat(folder.get(), name.c_str(), 0700) == 0) return opened_at(folder.get(), name, path);
    if (!parent.shared || errno != EEXIST) return {};
    std::string other = path + "-XXXXXX";  // a random name
    if (!::mkdtemp(other.data())) return {};
    return opened_at(folder.get(), other.substr(parent.path.size() + 1), other);
}

}  // namespace

std::vector<std::string> names_in(const Descriptor& folder) {
    std::vector<std::string> names;
    const int again = ::openat(folder.get(), ".", open_folder);  // owned and closed by the DIR
    if (again < 0) return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(again), ::closedir);
    if (!list) ::close(again);
    while (const dirent* entry = list ? ::readdir(list.get()) : nullptr) names.emplace_back(entry->d_name);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<PrivateFolder> private_folders() {
    std::vector<PrivateFolder> all;
    for (const ParentFolder& parent : folders_above())
        each_private(parent, [&](PrivateFolder found) {
            constexpr std::size_t most = 64;
            all.push_back(std::move(found));
            return all.size() >= most;
        });
    return all;
}

PrivateFolder private_folder() {
    std::string tried;
    for (const ParentFolder& parent : folders_above()) {
        PrivateFolder folder;
        const auto take = [&](PrivateFolder found) {
            folder = std::move(found);
            return true;
        };
        // another process may create it at the same time
        if (each_private(parent, take) || is_private((folder = made_in(parent)).descriptor) ||
            each_private(parent, take))
            return folder;
        tried += (tried.empty() ? "" : ", ") + parent.path;
    }
    throw std::runtime_error("no folder that this user alone can use is there or can be made (" + tried +
                             "); set XDG_RUNTIME_DIR to a folder of yours of mode 0700");
}

}  // namespace ttsim::impl::bridge
