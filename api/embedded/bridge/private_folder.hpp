// Folders that only this user can access, for the sockets of devices. Other users can neither create names there nor
// connect.
#pragma once

#include <string>
#include <vector>

#include "api/embedded/bridge/descriptor.hpp"

namespace ttsim::impl::bridge {

/// Owned by this user, of mode 0700.
struct PrivateFolder {
    Descriptor descriptor;
    std::string path;
};

/// Existing private folders, in the order of the search:
///   $XDG_RUNTIME_DIR/ttsim, /run/user/UID/ttsim        if the parent folder is private too
///   /tmp/ttsim-UID, $TMPDIR/ttsim-UID
///   /tmp/ttsim-UID-*, $TMPDIR/ttsim-UID-*              created when another user owns the name above
std::vector<PrivateFolder> private_folders();
/// The first of these that exists or can be created. Throws std::runtime_error.
PrivateFolder private_folder();

/// Sorted names of the entries of a folder.
std::vector<std::string> names_in(const Descriptor& folder);

}  // namespace ttsim::impl::bridge
