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

/// The folder itself, not what a link leads to; empty where it is not there.
PrivateFolder opened_at(int above, const std::string& name, const std::string& path) {
    return {Descriptor([&] { return ::openat(above, name.c_str(), open_folder); }), path};
}

bool is_private(const Descriptor& folder) {
    struct stat found {};
    return folder && ::fstat(folder.get(), &found) == 0 && found.st_uid == ::geteuid() && (found.st_mode & 0077) == 0;
}

/// Others cannot rename or remove what lies in it.
bool is_safe_above(const Descriptor& folder) {
    struct stat found {};
    if (!folder || ::fstat(folder.get(), &found) != 0) return false;
    const bool of_others = (found.st_mode & 0022) != 0;
    return (found.st_uid == 0 || found.st_uid == ::geteuid()) && (!of_others || (found.st_mode & S_ISVTX) != 0);
}

/// A folder in which private ones may lie.
struct Above {
    std::string path;
    bool shared;  ///< with other users
};

std::vector<Above> folders_above() {
    std::vector<Above> all;
    const auto add = [&](std::string path, bool shared) {
        const auto same = [&](const Above& other) { return other.path == path; };
        if (path.starts_with('/') && std::none_of(all.begin(), all.end(), same))
            all.push_back({std::move(path), shared});
    };
    const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
    add(variable("XDG_RUNTIME_DIR"), false);
    add("/run/user/" + std::to_string(::geteuid()), false);  // for processes without a session's environment
    add("/tmp", true);
    add(variable("TMPDIR"), true);
    return all;
}

/// $TMPDIR and /tmp may be links; what they lead to is looked at.
Descriptor folder_of(const Above& above) {
    return Descriptor([&] { return ::open(above.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
}

std::string own_name(const Above& above) { return above.shared ? "ttsim-" + std::to_string(::geteuid()) : "ttsim"; }

/// Calls `take` with the private folders below one until it returns true.
bool each_private(const Above& above, const std::function<bool(PrivateFolder)>& take) {
    const Descriptor folder = folder_of(above);
    if (!(above.shared ? is_safe_above(folder) : is_private(folder))) return false;
    std::vector<std::string> names{own_name(above)};
    if (above.shared)
        for (std::string& name : names_in(folder))
            if (name.starts_with(names.front() + "-")) names.push_back(std::move(name));
    for (const std::string& name : names) {
        PrivateFolder found = opened_at(folder.get(), name, above.path + "/" + name);
        if (is_private(found.descriptor) && take(std::move(found))) return true;
    }
    return false;
}

PrivateFolder made_in(const Above& above) {
    const Descriptor folder = folder_of(above);
    if (!(above.shared ? is_safe_above(folder) : is_private(folder))) return {};
    const std::string name = own_name(above), path = above.path + "/" + name;
    if (::mkdirat(folder.get(), name.c_str(), 0700) == 0) return opened_at(folder.get(), name, path);
    if (!above.shared || errno != EEXIST) return {};
    std::string other = path + "-XXXXXX";  // a name that nobody can guess
    if (!::mkdtemp(other.data())) return {};
    return opened_at(folder.get(), other.substr(above.path.size() + 1), other);
}

}  // namespace

std::vector<std::string> names_in(const Descriptor& folder) {
    std::vector<std::string> names;
    const int again = ::openat(folder.get(), ".", open_folder);  // closedir() closes it
    if (again < 0) return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(again), ::closedir);
    if (!list) ::close(again);
    while (const dirent* entry = list ? ::readdir(list.get()) : nullptr) names.emplace_back(entry->d_name);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<PrivateFolder> private_folders() {
    std::vector<PrivateFolder> all;
    for (const Above& above : folders_above())
        each_private(above, [&](PrivateFolder found) {
            constexpr std::size_t most = 64;
            all.push_back(std::move(found));
            return all.size() >= most;
        });
    return all;
}

PrivateFolder private_folder() {
    std::string tried;
    for (const Above& above : folders_above()) {
        PrivateFolder folder;
        const auto take = [&](PrivateFolder found) {
            folder = std::move(found);
            return true;
        };
        // another process may make it at the same time
        if (each_private(above, take) || is_private((folder = made_in(above)).descriptor) || each_private(above, take))
            return folder;
        tried += (tried.empty() ? "" : ", ") + above.path;
    }
    throw std::runtime_error("no folder that this user alone can use is there or can be made (" + tried +
                             "); set XDG_RUNTIME_DIR to a folder of yours of mode 0700");
}

}  // namespace ttsim::impl::bridge
