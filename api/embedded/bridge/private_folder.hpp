// Folders that only this user can look into: where the sockets of devices lie. Nobody else can take a name there, or
// reach a socket.
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

/// Those that are there, in the order in which they are looked for:
///   $XDG_RUNTIME_DIR/ttsim, /run/user/UID/ttsim        where the folder above is private too
///   /tmp/ttsim-UID, $TMPDIR/ttsim-UID
///   /tmp/ttsim-UID-*, $TMPDIR/ttsim-UID-*              made where another user has taken the name before
std::vector<PrivateFolder> private_folders();
/// The first of these that is there or can be made. Throws std::runtime_error.
PrivateFolder private_folder();

/// Of what lies in a folder, sorted.
std::vector<std::string> names_in(const Descriptor& folder);

}  // namespace ttsim::impl::bridge
